#include "sotto/posterior/locate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/bounds_plan.hpp"
#include "sotto/posterior/offset.hpp"

namespace sotto {
namespace {

constexpr int kMostSteps = 6;
constexpr double kWantedError = 0.35;   // error of the linear predictor after a step, in its unit
constexpr double kHopeless = 0.4;       // likewise, of one score with most of the budget
constexpr double kScoreWidth = 1.2;     // of the score's bound
constexpr double kReserve = 0.45;       // of the cost: the rounds' and one more step's
constexpr double kInformationRoom = 4;  // the information's bound should not bind here

}  // namespace

double predictor_unit(const OnceFacts& facts, double dispersion) {
  return facts.link == Link::identity ? std::sqrt(dispersion) : 1;
}

Located locate(const OnceFacts& facts, const StandIn& stand_in, const Frame& found_frame, Place start,
               const JointNormalPrior& prior, PaidQuestions& questions) {
  const Matrix& frame = found_frame.matrix;
  const auto d = static_cast<double>(facts.dim());
  const double rows = stand_in.rows();
  Located found{std::move(start), false, {}};
  Place& place = found.place;
  const auto plan_at = [&](double share) {
    return plan_bounds({facts, stand_in, frame, place.at, place.spread}, questions, share);
  };
  const BoundsPlan whole = plan_at(0.8);
  const double error = questions.noise_sd(facts.vector_reach() * whole.score_bound, 0.8) * std::sqrt(d) /
                       (whole.level * rows) / predictor_unit(facts, whole.dispersion);
  // A Newton step is good to its square.
  const double near =
      std::max(std::sqrt(2 * std::sqrt(error * error + d / (rows * std::max(whole.level, 1e-9)))), 0.1);
  if (error > kHopeless && facts.link != Link::identity) {
    found.hopeless = true;
    return found;
  }
  // Where the frame is not resolved the stand-in misleads: one look, no more.
  const int steps = found_frame.resolved ? kMostSteps : 1;
  for (int step = 0; step < steps && questions.left() > kReserve; ++step) {
    BoundsPlan plan = plan_at(0.1);
    if (plan.width > kScoreWidth) plan.score_bound *= kScoreWidth / plan.width;
    plan.information_bound *= kInformationRoom;
    const double unit = predictor_unit(facts, plan.dispersion);
    const double slope = plan.level * rows;
    const double wanted =
        kWantedError * (facts.link == Link::log ? 1 / std::sqrt(std::max(4 * plan.level, 1.0)) : unit);
    const double reach = facts.vector_reach() * plan.score_bound;
    const double share =
        std::clamp(d * reach * reach / (2 * questions.rho()) / (slope * slope * wanted * wanted), 0.01, 0.08);
    const auto score =
        questions.ask<NoisyVector>(BoundedScoreQuery{plan.weighting(place.at, frame), questions.pay(share)});
    Matrix noise = Matrix::Identity(facts.dim(), facts.dim());
    noise *= plan.dispersion * rows + score.variance;
    Position next = stand_in.mode(frame, score.value, noise, place.at, prior);
    if (facts.offset) {
      const Position freely =
          stand_in.mode(frame, score.value, noise, place.at, without_offset(facts, prior));
      if (offset_is_off(facts, stand_in, freely, std::sqrt(noise(0, 0)) / slope)) {
        noise += offset_score(frame, noise(0, 0));
        next = stand_in.mode(frame, score.value, noise, place.at, prior);
      }
    }
    const double move = (inverse(frame.transpose()) * (next - place.at)).norm() / unit;
    const double foreseen = std::sqrt(score.variance * d) / slope / unit;
    place.at = next;
    found.moves.push_back(move);
    if (facts.clips() && !facts.sigma) {
      const double before = place.spread.scale;
      place.spread = residual_spread(facts, stand_in, place.at, Look::first, &place.spread, questions);
      if (facts.link == Link::identity && before > 1.3 * place.spread.scale && step < steps - 1) continue;
    }
    if (move < std::max(std::min(kWantedError, near), 1.5 * foreseen) || (step >= 1 && foreseen > 0.5)) break;
  }
  return found;
}

}  // namespace sotto
