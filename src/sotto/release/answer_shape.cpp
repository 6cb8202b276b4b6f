#include "sotto/release/answer_shape.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace sotto {
namespace {

// One line per question: how many entries a vector, or rows a matrix, of its answer has.
Eigen::Index entries_of(const ClippedDeviationsQuery& q) { return q.at.size() + (q.count > 0 ? 1 : 0); }
Eigen::Index entries_of(const DeviationLengthsQuery& q) { return q.edges.size(); }
Eigen::Index entries_of(const BoundedScoreQuery& q) { return q.weighting.at.size(); }
Eigen::Index entries_of(const BoundedInformationQuery& q) { return q.weighting.at.size(); }
Eigen::Index entries_of(const ScoreSquaresQuery& q) { return q.weighting.at.size(); }
Eigen::Index entries_of(const MomentsQuery& q) { return q.frame.rows(); }
Eigen::Index entries_of(const ResidualSquaresQuery&) { return 1; }
Eigen::Index entries_of(const ColumnHistogramsQuery& q) {
  return static_cast<Eigen::Index>(q.columns.size() * (q.bins + 2));
}
Eigen::Index entries_of(const GroupedResidualsQuery& q) { return q.entries(); }
Eigen::Index entries_of(const HistogramQuery& q) { return (q.edges.size() - 1) * (q.split ? 2 : 1); }
Eigen::Index entries_of(const CurvesQuery& q) { return static_cast<Eigen::Index>(q.curves.size()); }
Eigen::Index entries_of(const ThresholdEffectsQuery& q) {
  return static_cast<Eigen::Index>(q.columns.size()) * q.contrasts.cols() + 1;
}
Eigen::Index entries_of(const RemainderQuery& q) { return q.weighting.at.size(); }
Eigen::Index entries_of(const LightRowsQuery& q) { return q.weighting.at.size() + 1; }
Eigen::Index entries_of(const TotalQuery&) { return 1; }

template <class Asked>
inline constexpr bool wants_matrix =
    std::is_same_v<Asked, BoundedInformationQuery> || std::is_same_v<Asked, ScoreSquaresQuery> ||
    std::is_same_v<Asked, MomentsQuery>;

template <class Noisy>
const Noisy* release_in(const Answer& answer) {
  const auto* released = std::get_if<Released<Noisy>>(&answer);
  return released == nullptr ? nullptr : &released->value();
}

bool has_entries(const NoisyGradient& gradient, Eigen::Index entries) {
  return gradient.value.size() == entries && gradient.variance.size() == entries;
}

bool fits(const Answer& answer, const RatioQuery&) { return release_in<NoisyRatio>(answer) != nullptr; }
bool fits(const Answer& answer, const GradientQuery& q) {
  const auto* gradient = release_in<NoisyGradient>(answer);
  return gradient != nullptr && has_entries(*gradient, q.at.size());
}
bool fits(const Answer& answer, const BatchGradientQuery& q) {
  const auto* gradient = release_in<NoisyGradient>(answer);
  return gradient != nullptr && has_entries(*gradient, q.at.size());
}
bool fits(const Answer& answer, const JointQuery& q) {
  const auto* joint = release_in<NoisyJoint>(answer);
  return joint != nullptr && has_entries(joint->gradient, q.gradient.at.size());
}
/// Its size is the model's to know, and nobody asks for one over a network.
bool fits(const Answer&, const StatisticQuery&) { return false; }

template <class Asked>
bool fits(const Answer& answer, const Asked& q) {
  if constexpr (wants_matrix<Asked>) {
    const auto* matrix = release_in<NoisyMatrix>(answer);
    return matrix != nullptr && matrix->value.rows() == entries_of(q) &&
           matrix->value.cols() == entries_of(q);
  } else {
    const auto* vector = release_in<NoisyVector>(answer);
    return vector != nullptr && vector->value.size() == entries_of(q);
  }
}

std::size_t numbers(const RatioQuery&) { return 1; }
std::size_t numbers(const StatisticQuery&) { return 0; }
std::size_t numbers(const JointQuery& q) { return 2 * static_cast<std::size_t>(q.gradient.at.size()) + 1; }

/// Gradients say the variance of each entry.
template <class Asked>
std::size_t numbers(const Asked& q) {
  if constexpr (requires { entries_of(q); }) {
    const auto entries = static_cast<std::size_t>(std::max<Eigen::Index>(entries_of(q), 0));
    return wants_matrix<Asked> ? entries * entries : entries;
  } else {
    return 2 * static_cast<std::size_t>(q.at.size());
  }
}

}  // namespace

std::size_t numbers_in_answer(const Query& question) {
  return std::visit([](const auto& asked) { return numbers(asked); }, question);
}

bool answers_to(const Answer& answer, const Query& question) {
  if (std::holds_alternative<QueryStatus>(answer)) return true;
  return std::visit([&](const auto& asked) { return fits(answer, asked); }, question);
}

}  // namespace sotto
