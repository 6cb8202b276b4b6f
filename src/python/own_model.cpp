#include "python/own_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/model/per_array.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

/// A NumPy array of that shape, in rows, with values of its own, which Python code may keep.
nb::object copy_of(const double* values, const std::vector<std::size_t>& shape, std::size_t count) {
  auto kept = std::make_unique<std::vector<double>>(values, values + count);
  double* data = kept->data();
  const nb::capsule owner(kept.release(),
                          [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return nb::ndarray<nb::numpy, double>(data, shape.size(), shape.data(), owner).cast();
}

/// Calls the method with rows, shape (columns, rows), and position, shape (parameters). Into `out`, `count` numbers.
bool compute(nb::handle declared, const char* method, const Matrix& rows, const Position& at, double* out,
             std::size_t count) {
  const nb::gil_scoped_acquire lock;
  try {
    const auto size = [](Eigen::Index length) { return static_cast<std::size_t>(length); };
    const nb::object answer =
        declared.attr(method)(copy_of(rows.data(), {size(rows.cols()), size(rows.rows())}, size(rows.size())),
                              copy_of(at.data(), {size(at.size())}, size(at.size())));
    const auto numbers = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(answer);
    if (numbers.size() != count) return false;
    std::copy_n(numbers.data(), count, out);
    return true;
  } catch (const std::exception&) {  // nb::python_error too: nothing that is raised ends a pass or is told
    return false;
  }
}

/// Of each parameter the configuration's own, or its default.
std::vector<CoefficientPrior> take_priors(const std::vector<std::string>& parameters, FitConfig& config) {
  for (const auto& [name, prior] : config.priors) {
    if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
      refuse(fmt::format("prior.parameter.{} names no parameter of this model: they are {}{}", name,
                         fmt::join(parameters, ", "), suggestion(name, parameters)));
    }
  }
  std::vector<CoefficientPrior> priors;
  for (const std::string& name : parameters) {
    const auto found = config.priors.find(name);
    priors.push_back(found == config.priors.end() ? config.default_prior : found->second);
  }
  config.priors.clear();
  config.default_prior = {};
  config.default_prior_given = false;
  return priors;
}

Position position_of(const std::vector<double>& values) {
  return Eigen::Map<const Position>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Every column at its lower bound, a category at its first level.
Position legal_row(const Schema& schema) {
  Position row(static_cast<Eigen::Index>(schema.columns.size()));
  for (Eigen::Index j = 0; j < row.size(); ++j)
    row[j] = schema.columns[static_cast<std::size_t>(j)].range().lower;
  return row;
}

template <class T>
T told(nb::handle declared, const char* name) {
  return nb::cast<T>(declared.attr(name));
}

}  // namespace

bool PythonModel::log_densities(const Matrix& rows, const Position& at, Position& out) const {
  return compute(declared_, "log_densities", rows, at, out.data(), static_cast<std::size_t>(out.size()));
}

bool PythonModel::gradients(const Matrix& rows, const Position& at, Matrix& out) const {
  return compute(declared_, "gradients", rows, at, out.data(), static_cast<std::size_t>(out.size()));
}

std::vector<std::string> columns_of(nb::handle declared) {
  return told<std::vector<std::string>>(declared, "columns");
}

OwnModel own_model_of(nb::handle declared, const Schema& schema, FitConfig& config) {
  if (!config.start.empty()) refuse("a model of one's own starts where its start says: drop [start]");
  if (config.threads > 1) refuse("a model of one's own in Python is computed by one thread: drop threads");
  config.threads = 1;
  const auto parameters = told<std::vector<std::string>>(declared, "parameters");
  std::vector<CoefficientPrior> priors = take_priors(parameters, config);
  const auto start = told<std::optional<std::vector<double>>>(declared, "start");
  Position centre(static_cast<Eigen::Index>(priors.size()));
  for (Eigen::Index j = 0; j < centre.size(); ++j) centre[j] = priors[static_cast<std::size_t>(j)].location;
  PythonModel model(declared, SlopeBound(position_of(told<std::vector<double>>(declared, "slope_bound"))));
  return {.title = told<std::string>(declared, "title"),
          .model = PerArray(std::move(model), legal_row(schema), unit_of(schema),
                            told<bool>(declared, "one_at_a_time")),
          .rows = {},
          .parameters = parameters,
          .priors = std::move(priors),
          .expected_rows = told<double>(declared, "expected_rows"),
          .start = start ? position_of(*start) : centre};
}

}  // namespace sotto::python
