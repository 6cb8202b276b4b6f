// A gradient and a log-likelihood ratio together: two releases with a charge each, one pass over the rows.

#include <utility>

#include "sotto/measurement/all_rows.hpp"

namespace sotto {

template <>
std::optional<Measurements> measure(const GradientQuery& query, const OwnerContext& context);
template <>
std::optional<Measurements> measure(const RatioQuery& query, const OwnerContext& context);

template <>
std::optional<Measurements> measure(const JointQuery& query, const OwnerContext& context) {
  auto gradient = measure(query.gradient, context);
  auto ratio = measure(query.ratio, context);
  if (!gradient || !ratio) return std::nullopt;
  return Measurements{.parts = {std::move(gradient->parts.front()), std::move(ratio->parts.front())},
                      .join = [](std::vector<Answer> answers) -> Answer {
                        return join(std::get<Released<NoisyGradient>>(std::move(answers[0])),
                                    std::get<Released<NoisyRatio>>(std::move(answers[1])));
                      }};
}

}  // namespace sotto
