// The posterior of a normal mean given one noisy sum: conjugate, so draws are independent and come from no chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/posterior/declared_covariance.hpp"
#include "sotto/posterior/location_release.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Independent normal priors on the entries of the mean.
struct MeanPrior {
  Position location, sd;
};

/// A mixture of normal posteriors over the number of rows, evenly spaced where that is not public: its own noise decides, and how
/// well the sum fits.
/// Computes   p(mu | sum, count) = sum over n of p(n | sum, count) p(mu | n, sum), p(n) flat over 0, 1, 2 ..
/// Checked by tests/posterior/location_posterior_test.cpp: holds_the_truth_as_often_as_it_says, is_the_conjugate_one
class LocationPosterior {
 public:
  LocationPosterior(const LocationRelease& release, const MeanPrior& prior);

  [[nodiscard]] Position mean() const;
  [[nodiscard]] Matrix covariance() const;
  [[nodiscard]] Position draw(ChainRng& rng) const;

 private:
  struct Part {
    double weight;  ///< all add up to 1
    Position mean;
    Matrix covariance;
  };
  std::vector<Part> parts_;
  std::vector<Matrix> factors_;  ///< lower, of the parts' covariances
};

struct LocationVerdict {
  std::vector<Eigen::Index> hidden;    ///< entries of the mean of which little but the prior is left
  std::vector<Eigen::Index> held;      ///< entries that lie far out in their prior
  std::vector<Eigen::Index> by_noise;  ///< entries whose intervals are many times as wide as without it
  std::vector<Eigen::Index>
      beyond;             ///< columns of which the model puts values beyond their bounds that pull the mean
  Position share_beyond;  ///< of each column's values, by the model
  Position pull;          ///< of moving those to the bound, in the posterior's standard deviations
  Position
      sd_inflation;  ///< over the posterior without noise; no numbers where the noise hides how many rows there are
  bool astray = false;  ///< the mean lies farther from where rows were clipped than clipping allows
  std::optional<CovarianceVerdict> covariance = {};
  bool far_shortened = false;  ///< more rows than the model's were shortened, which moves the mean
  double unseen_pull =
      0;  ///< the most that rows too few to be seen would move the mean, in its standard deviations
  double unseen_far_pull =
      0;  ///< likewise the mean of all rows, were they not drawn in: as far out as bounds allow
  bool rows_hidden = false;      ///< the noise hides how many there are
  bool noise_dominates = false;  ///< intervals are wider than the rows' own spread
};

/// From released numbers and public facts alone.
[[nodiscard]] LocationVerdict check_location(const LocationFacts& facts, const LocationRelease& release,
                                             const MeanPrior& prior, const LocationPosterior& posterior);

}  // namespace sotto
