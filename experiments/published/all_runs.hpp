// One run after another, with how far they are, until all are done or somebody stops them.
#pragma once

#include <functional>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/chain/lockstep.hpp"

namespace sotto {

/// Share of all runs done; false ends them.
using GoOn = std::function<bool(double share)>;

/// `run` fills in an outcome that says what is asked, and tells its progress; one that was stopped is dropped. `done` hears of each.
template <class Outcome, class Run>
std::vector<Outcome> all_runs(std::vector<Outcome> asked, const Run& run,
                              const std::function<void(const Outcome&)>& done, const GoOn& go_on) {
  for (std::size_t i = 0; i < asked.size(); ++i) {
    bool stopped = false;
    const Progress progress = [&](std::size_t, std::size_t) {
      stopped = stopped || (go_on && !go_on(static_cast<double>(i) / static_cast<double>(asked.size())));
      return !stopped;
    };
    try {
      if (progress(0, 1)) run(asked[i], progress);
    } catch (const Error& error) {
      if (!stopped || error.code() != ErrorCode::interrupted) throw;
    }
    if (stopped) {
      asked.resize(i);
      break;
    }
    if (done) done(asked[i]);
  }
  return asked;
}

}  // namespace sotto
