// The same model without privacy, for study and for comparison: every page says so.
#pragma once

#include "sotto/chain/lockstep.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/method.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// NOT PRIVATE: draws by `method`, and what an open look at the rows tells, into the record. release-once asks its questions without noise.
/// Errors: configuration where the method does not fit the model.
void run_without_privacy(const Method& method, const FitConfig& config, const Problem& problem,
                         const Progress& progress, RunRecord& record);

/// NOT PRIVATE: the same model fitted without noise, to be shown beside a private run: by Hamiltonian Monte Carlo, or by release-once
/// where there is no likelihood. Chains that `progress` stopped say so.
[[nodiscard]] Draws fit_without_privacy(const FitConfig& config, const Problem& problem,
                                        const Progress& progress = {});

}  // namespace sotto
