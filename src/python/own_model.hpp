// A model that a user wrote in Python, as the library takes one.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/model/slope_bound.hpp"
#include "sotto/run/own_model.hpp"

namespace sotto::python {

/// An ArrayModel. Every call takes the interpreter lock, and tells nobody what Python said of a failure: it may quote a row.
class PythonModel {
 public:
  /// `declared`: a sotto.model.Declared, which outlives this and its copies.
  PythonModel(nanobind::handle declared, SlopeBound bound) : declared_(declared), bound_(std::move(bound)) {}

  [[nodiscard]] Eigen::Index dim() const { return bound_.dim(); }
  [[nodiscard]] Interval ratio_range(const Position& from, const Position& to) const {
    return bound_.ratio_range(from, to);
  }
  [[nodiscard]] VectorBound gradient_bound(const Position& at, const Position& scale) const {
    return bound_.gradient_bound(at, scale);
  }
  [[nodiscard]] bool log_densities(const Matrix& rows, const Position& at, Position& out) const;
  [[nodiscard]] bool gradients(const Matrix& rows, const Position& at, Matrix& out) const;

 private:
  nanobind::handle declared_;
  SlopeBound bound_;
};

/// The columns that a sotto.model.Declared reads.
[[nodiscard]] std::vector<std::string> columns_of(nanobind::handle declared);

/// All but its rows. `schema`: of the columns that it reads, in this order. Priors come from the configuration, which is left
/// without them, and with one thread: the interpreter lock lets no more of them compute. Errors: configuration for a prior of a
/// parameter that the model does not have, a start, several threads.
[[nodiscard]] OwnModel own_model_of(nanobind::handle declared, const Schema& schema, FitConfig& config);

}  // namespace sotto::python
