// The correction of the Barker test: what turns normal noise into logistic noise, as nearly as can be.
#pragma once

#include <vector>

namespace sotto {

/// A symmetric distribution on finitely many atoms. Normal noise of `variance` plus a draw from it has a
/// distribution function within `error` of the logistic one everywhere; no exact correction exists for any
/// variance above 0, because the quotient of the characteristic functions is not integrable.
/// Computes   weights by linear programming, tools/correction_table.cpp
/// Source     [SPCC17]; erratum E11 of docs/barker.md
/// Checked by tests/kernel/barker_test.cpp: table_has_the_errors_it_states
class Correction {
 public:
  struct Atom {
    double at;      ///< >= 0; half of the weight sits at -at
    double weight;  ///< > 0; the weights sum to 1
  };
  struct Entry {
    double variance;
    double error;  ///< sup over x of the difference of the distribution functions
    std::vector<Atom> atoms;
  };

  /// The entry for this noise variance. Errors: configuration when there is none (0.5, 1, 1.5, 1.75, 2, 2.5 are).
  explicit Correction(double variance);

  /// The probability that value + noise's correction is positive.
  [[nodiscard]] double acceptance(double value) const {
    double sum = 0;
    for (const Atom& atom : entry_->atoms)
      sum += atom.weight * ((value + atom.at > 0) + (value - atom.at > 0));
    return sum / 2;
  }
  [[nodiscard]] double variance() const { return entry_->variance; }
  [[nodiscard]] double error() const { return entry_->error; }

  static const std::vector<Entry>& table();

 private:
  const Entry* entry_;
};

}  // namespace sotto
