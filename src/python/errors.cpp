#include <array>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <utility>

#include "cli/exit_status.hpp"
#include "python/bindings.hpp"
#include "sotto/base/error.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// Named after the codes; `interrupted` is Python's own KeyboardInterrupt.
constexpr std::array<std::pair<ErrorCode, const char*>, 9> kExceptions{{
    {ErrorCode::usage, "UsageError"},
    {ErrorCode::data, "DataError"},
    {ErrorCode::no_input, "NoInputError"},
    {ErrorCode::unavailable, "UnavailableError"},
    {ErrorCode::internal, "InternalError"},
    {ErrorCode::cannot_create, "CannotCreateError"},
    {ErrorCode::io, "IoError"},
    {ErrorCode::budget, "BudgetError"},
    {ErrorCode::configuration, "ConfigurationError"},
}};

nb::object exception_of(ErrorCode code) {
  for (const auto& [known, name] : kExceptions) {
    if (known == code) return nb::module_::import_("sotto.errors").attr(name);
  }
  return nb::borrow(PyExc_KeyboardInterrupt);
}

/// A path in a message need not be UTF-8.
void raise(ErrorCode code, const std::string& message) {
  const auto text = nb::steal(
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
  PyErr_SetObject(exception_of(code).ptr(), text.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error.code(), error.what());
  } catch (const std::filesystem::filesystem_error& refused) {
    const Error error = cli::error_of(refused);
    raise(error.code(), error.what());
  } catch (const nb::builtin_exception&) {
    throw;
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    // What a library says of an exception may quote a cell, so it is not passed on.
    raise(ErrorCode::internal, "internal error: run it in a debugger to see where");
  }
}

}  // namespace

void add_errors(nb::module_& module) {
  nb::dict statuses;
  for (const auto& [code, name] : kExceptions) statuses[name] = cli::exit_status(code);
  module.attr("exit_statuses") = statuses;
  nb::register_exception_translator(translate);
}

}  // namespace sotto::python
