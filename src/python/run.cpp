#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <vector>

#include "python/bindings.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto_io/run_directory.hpp"

namespace nb = nanobind;

namespace sotto::python {
namespace {

using Array = nb::ndarray<nb::numpy, double>;

/// A NumPy array of that shape, in rows, that owns its values.
Array array(std::vector<double> values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<double>(std::move(values));
  const nb::capsule owner(kept,
                          [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return {kept->data(), shape.size(), shape.data(), owner};
}

Array draws_of(const Chain& chain) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < chain.draws.rows(); ++i) {
    for (Eigen::Index j = 0; j < chain.draws.cols(); ++j) values.push_back(chain.draws(i, j));
  }
  return array(std::move(values),
               {static_cast<std::size_t>(chain.draws.rows()), static_cast<std::size_t>(chain.draws.cols())});
}

/// Names of the parameters, draws (draw, parameter) of each chain, and what was noted at each draw: name -> (draw).
nb::tuple run_of(const std::string& directory) {
  const RunRecord record = read_run(directory);
  nb::list draws, steps;
  for (const Chain& chain : record.draws.chains) {
    draws.append(draws_of(chain));
    nb::dict notes;
    for (const auto& [name, values] : chain.steps) notes[name.c_str()] = array(values, {values.size()});
    steps.append(notes);
  }
  return nb::make_tuple(record.draws.parameters, draws, steps);
}

}  // namespace

void add_run(nb::module_& module) {
  module.def("run", &run_of);
  module.def("format_known", &format_known);
}

}  // namespace sotto::python
