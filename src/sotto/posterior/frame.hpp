// The frame: coordinates in which covariates have unit second moments, from a few rounds of released moments.
#pragma once

#include <optional>

#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/paid_questions.hpp"

namespace sotto {

struct Frame {
  Matrix matrix;                       ///< z = matrix x
  bool resolved = true;                ///< every direction stands clear of the noise
  std::optional<double> few_usable{};  ///< share of the rows that count, where it is small
};

/// Rounds of second moments. Directions whose eigenvalue stands clear of the noise's are scaled and never touched again;
/// the others are scaled up by the noise's edge and looked at again. Where even the first round would be mostly noise, means
/// and variances alone are used, of many columns with what each two of them have in common (entrywise_frame.hpp), or nothing is
/// asked. Columns of two values one of which seems rare in the first round are counted, and stay as the count says: the few rows
/// that have it weigh too little for second moments to show them.
/// `rows`: their number, as released.
[[nodiscard]] Frame find_frame(const OnceFacts& facts, double rows, PaidQuestions& questions);

}  // namespace sotto
