#include "python/progress.hpp"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

namespace nb = nanobind;

namespace sotto::python {
namespace {

constexpr int kNotebookWidth = 80;

/// With the interpreter lock. Ctrl-C in it comes once more, where it is waited for; whatever else it raises goes to `interruption`.
template <class Call>
void ask_python(Interruption& interruption, const Call& call) {
  const nb::gil_scoped_acquire lock;
  try {
    call();
  } catch (nb::python_error& raised) {
    if (raised.matches(PyExc_KeyboardInterrupt)) {
      PyErr_SetInterrupt();
    } else {
      interruption.take(std::move(raised));
    }
  }
}

nb::object line_of_notebook(Interruption& interruption) {
  nb::object line;
  ask_python(interruption, [&] {
    nb::object found = nb::module_::import_("sotto.progress").attr("notebook_line")();
    if (!found.is_none()) line = std::move(found);
  });
  return line;
}

}  // namespace

ShownProgress::ShownProgress(Interruption& interruption)
    : interruption_(interruption),
      notebook_(line_of_notebook(interruption)),
      terminal_(/*quiet=*/notebook_.is_valid()) {}

ShownProgress::~ShownProgress() {
  if (!notebook_.is_valid()) return;
  ask_python(interruption_, [&] {
    const nb::object line = std::move(notebook_);
    line.attr("wipe")();
  });
}

void ShownProgress::update(std::string_view phase, double fraction, std::optional<double> budget) {
  if (!notebook_.is_valid()) return terminal_.update(phase, fraction, budget);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(500);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string text = cli::progress_line(phase, fraction, budget, elapsed, kNotebookWidth);
  ask_python(interruption_, [&] { notebook_.attr("show")(text); });
}

}  // namespace sotto::python
