#include "sotto/release/answer_shape.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

namespace sotto {
namespace {

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
  const auto* release = release_in<typename Asked::Answered>(answer);
  if (release == nullptr || release->value.rows() != q.entries()) return false;
  return std::is_same_v<typename Asked::Answered, NoisyVector> || release->value.cols() == q.entries();
}

std::size_t numbers(const RatioQuery&) { return 1; }
std::size_t numbers(const StatisticQuery&) { return 0; }
std::size_t numbers(const JointQuery& q) { return 2 * static_cast<std::size_t>(q.gradient.at.size()) + 1; }

/// Gradients say the variance of each entry.
template <class Asked>
std::size_t numbers(const Asked& q) {
  if constexpr (requires { q.entries(); }) {
    const auto entries = static_cast<std::size_t>(std::max<Eigen::Index>(q.entries(), 0));
    return std::is_same_v<typename Asked::Answered, NoisyMatrix> ? entries * entries : entries;
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
