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
constexpr double kFurther = 1.5;        // than a step is foreseen to be off: it was not there yet
constexpr double kReserve = 0.45;       // of the cost: the rounds' and one more step's
constexpr double kInformationRoom = 4;  // the information's bound should not bind here

/// Of counts and events: whether a step left every part's predictor near where it was, or as near as is known. A level of small counts tells
/// little of where it lies, and a step by the rows' mean square hides how far it moved.
bool parts_stay(const StandIn& stand_in, const Matrix& frame, double noise, const Position& step,
                const Position& at, const JointNormalPrior& prior, double near) {
  const Matrix jacobian = frame * stand_in.slope(at);
  const Cholesky curvature(jacobian.transpose() * jacobian / noise + prior.precision);
  return std::ranges::all_of(stand_in.parts(), [&](const Part& part) {
    const double sd = std::sqrt(part.mean.dot(curvature.solve(part.mean)));
    return std::abs(part.mean.dot(step)) < std::max(near, kFurther * sd);
  });
}

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
  const auto go_on = [&] { questions.wanted(); };
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
    Position next = stand_in.mode(frame, score.value, noise, place.at, prior, go_on);
    if (facts.offset) {
      const Position freely =
          stand_in.mode(frame, score.value, noise, place.at, without_offset(facts, prior), go_on);
      if (offset_is_off(facts, stand_in, freely, std::sqrt(noise(0, 0)) / slope)) {
        noise += offset_score(frame, noise(0, 0));
        next = stand_in.mode(frame, score.value, noise, place.at, prior, go_on);
      }
    }
    const Position step_made = next - place.at;
    const double move = (inverse(frame.transpose()) * step_made).norm() / unit;
    const double foreseen = std::sqrt(score.variance * d) / slope / unit;
    place.at = next;
    found.moves.push_back(move);
    if (facts.clips() && !facts.sigma) {
      const double before = place.spread.scale;
      place.spread = residual_spread(facts, stand_in, place.at, Look::first, &place.spread, questions);
      if (facts.link == Link::identity && before > 1.3 * place.spread.scale && step < steps - 1) continue;
    }
    const bool stays =
        move < std::max(std::min(kWantedError, near), kFurther * foreseen) &&
        (facts.link == Link::logit || facts.link == Link::identity ||
         parts_stay(stand_in, frame, noise(0, 0), step_made, place.at, prior, std::min(kWantedError, near)));
    if (stays || (step >= 1 && foreseen > 0.5)) break;
  }
  return found;
}

}  // namespace sotto
