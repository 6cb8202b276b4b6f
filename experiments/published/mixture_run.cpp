#include "experiments/published/mixture_run.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/published/deflated_normal_kernel.hpp"
#include "experiments/published/mixture_study.hpp"
#include "experiments/published/synthetic_problem.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/channel/column.hpp"
#include "sotto/channel/haar.hpp"
#include "sotto/channel/laplace.hpp"
#include "sotto/channel/smoothed_histogram.hpp"
#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/mixture/algorithm/conditional.hpp"
#include "sotto/mixture/algorithm/neal2.hpp"
#include "sotto/mixture/algorithm/neal3.hpp"
#include "sotto/mixture/algorithm/neal5.hpp"
#include "sotto/mixture/deconvolution.hpp"
#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/point_partition.hpp"
#include "sotto/mixture/prior/dirichlet_process.hpp"
#include "sotto/privatise/exact_noise.hpp"

namespace sotto {
namespace {

using mixture::Allocation;
using mixture::Confidential;
using mixture::GlobalRelease;
using mixture::LocalRelease;
using mixture::NormalKernel;

/// Gaussian noise as the conjugate model has it: on data that are not clamped.
struct UnboundedGaussian {
  double sd;
  [[nodiscard]] double log_density(double z, double y) const { return -0.5 * std::pow((z - y) / sd, 2); }
};

/// Processor time of this thread.
double seconds_used() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class MixtureRun {
 public:
  MixtureRun(const MixtureExperiment& experiment, const MixtureGrids& grids, std::size_t panel,
             std::size_t repeat, const SweepTick& go_on)
      : experiment_(experiment),
        figure_(experiment.figure),
        panel_(figure_.panels[panel]),
        grids_(grids),
        go_on_(go_on),
        data_(simulate_study(figure_.data, panel_.rows, experiment.seed + repeat)),
        noise_(experiment.seed + repeat, 1000 + panel),
        entropy_(1000 * (experiment.seed + repeat) + panel),
        rng_(experiment.seed + repeat, 0) {
    outcome_.panel = panel;
    outcome_.repeat = repeat;
  }

  /// Nothing where the run was ended.
  std::optional<MixtureOutcome> operator()(std::size_t algorithm) {
    outcome_.algorithm = panel_.algorithms[algorithm];
    rng_ = ChainRng(experiment_.seed + outcome_.repeat, 100'000 + 100 * outcome_.panel + algorithm);
    const std::string& mechanism = panel_.mechanism;
    const Epsilon epsilon(panel_.epsilon);
    if (mechanism == "none") {
      on_data();
    } else if (mechanism == "laplace") {
      const LaplaceChannel channel(data_.domain, epsilon);
      measured("true_epsilon", channel.epsilon());
      additive(channel, mixture::NoiseLaw::laplace, std::sqrt(2) * channel.scale());
    } else if (mechanism == "gaussian" || mechanism == "gaussian-printed") {
      const GaussianChannel channel = gaussian_channel();
      measured("true_delta", gaussian_delta(channel.guarantee().rho, epsilon).value());
      additive(channel, mixture::NoiseLaw::gaussian, channel.scale());
    } else if (mechanism == "wavelet" || mechanism == "wavelet-printed") {
      wavelet({data_.domain, panel_.level, epsilon,
               mechanism == "wavelet" ? HaarChannel::Scale::tight : HaarChannel::Scale::printed});
    } else {
      histogram();
    }
    if (ended_) return std::nullopt;
    return std::move(outcome_);
  }

 private:
  void measured(const char* name, double value) {
    if (std::isfinite(value)) outcome_.measured[name] = value;
  }
  [[nodiscard]] bool wants(const char* name) const {
    return std::find(figure_.measures.begin(), figure_.measures.end(), name) != figure_.measures.end();
  }

  // ---- Mechanisms.

  /// Printed: the classic formula for a diameter of 10, where the data span 20 (erratum E27).
  [[nodiscard]] GaussianChannel gaussian_channel() const {
    if (figure_.data == "waiting-times") return {data_.domain, Rho(panel_.epsilon * panel_.epsilon / 2)};
    if (panel_.mechanism == "gaussian") return {data_.domain, Epsilon(panel_.epsilon), Delta(panel_.delta)};
    const double sd = 10 / panel_.epsilon * std::sqrt(2 * std::log(1.25 / panel_.delta));
    return {data_.domain, Rho(std::pow(data_.domain.width() / sd, 2) / 2)};
  }

  template <class Channel>
  void additive(const Channel& channel, mixture::NoiseLaw law, double noise_sd) {
    measured("noise_sd", noise_sd);
    std::vector<double> z;
    for (const double y : data_.y) z.push_back(channel.simulate(y, noise_));
    outcome_.released = z;
    std::vector<double> start;
    for (const double release : z) start.push_back(channel.initial(release, noise_));
    if (outcome_.algorithm == "release") {
      const Eigen::Map<const Position> values(z.data(), static_cast<Eigen::Index>(z.size()));
      measured("mean", values.mean());
      measured("sd", std::sqrt((values.array() - values.mean()).square().mean()));
    } else if (outcome_.algorithm == "deconvolution") {
      deconvolve(z, {law, channel.scale()});
    } else if (figure_.data == "betas") {
      impute(beta_kernel(), LocalRelease<Channel, double>{channel, z}, start);
    } else if (law == mixture::NoiseLaw::laplace || outcome_.algorithm == "neal5" ||
               outcome_.algorithm == "slice") {
      impute(NormalKernel(study_base(figure_.data, z)), LocalRelease<Channel, double>{channel, z}, start);
    } else {
      conjugate(z, start, channel.scale());
    }
  }

  /// The models with one prior on (mean, variance of the release).
  void conjugate(const std::vector<double>& z, const std::vector<double>& start, double sd) {
    const mixture::InflatedNormalKernel kernel(study_base(figure_.data, z), sd * sd);
    if (outcome_.algorithm == "neal2" || outcome_.algorithm == "neal3") {
      integrate(kernel, z, [&](const mixture::NormalParameter& theta) { return kernel.deflate(theta); });
    } else {
      impute(DeflatedNormalKernel(kernel), LocalRelease<UnboundedGaussian, double>{{sd}, z}, start);
    }
  }

  void on_data() {
    if (figure_.data == "betas") return impute(beta_kernel(), Confidential<double>{data_.y}, data_.y);
    const NormalKernel kernel(study_base(figure_.data, data_.y));
    if (outcome_.algorithm == "neal2" || outcome_.algorithm == "neal3") {
      integrate(kernel, data_.y, [](const mixture::NormalParameter& theta) { return theta; });
    } else {
      impute(kernel, Confidential<double>{data_.y}, data_.y);
    }
  }

  void wavelet(const HaarChannel& channel) {
    measured("true_epsilon",
             static_cast<double>(channel.sensitivity()) / channel.scale() * HaarChannel::kStep);
    ExactNoise noise(entropy_);
    LocalRelease<HaarChannel, HaarChannel::Observed> release{channel, {}};
    std::vector<double> start;
    for (const double y : data_.y) {
      release.z.push_back(channel.observed_one(channel.release(y, noise)));
      start.push_back(channel.initial(release.z.back(), noise_));
    }
    impute(beta_kernel(), release, start);
  }

  /// Printed: the mix of the printed condition, k log((1 - mix) m / (mix n) - 1) = epsilon, which is that of the right condition at
  /// k log(exp(epsilon / k) + 2) (erratum E25).
  void histogram() {
    const double n = static_cast<double>(panel_.rows);
    const int bins = panel_.level * static_cast<int>(std::pow(n, 0.2) + 1);
    const double draws = std::floor(std::pow(n, 0.6) + 1);
    const double epsilon = panel_.mechanism == "histogram"
                               ? panel_.epsilon
                               : draws * std::log(std::exp(panel_.epsilon / draws) + 2);
    SmoothedHistogramChannel channel(Bins(data_.domain, bins), panel_.rows, static_cast<std::size_t>(draws),
                                     Epsilon(epsilon));
    measured("true_epsilon", channel.epsilon());
    ExactNoise noise(entropy_);
    channel.observe(channel.release(data_.y, noise));
    const std::vector<double> start = channel.initial(panel_.rows, noise_);
    impute(beta_kernel(), GlobalRelease<SmoothedHistogramChannel>{channel, panel_.rows}, start);
  }

  /// The second number of the printed Gamma(2, 2) is a rate by the printed full conditional; a wide prior reads it as a scale.
  [[nodiscard]] mixture::BetaKernel beta_kernel() const {
    const double rate = outcome_.algorithm.ends_with("wide-prior") ? 0.5 : 2;
    return mixture::BetaKernel({figure_.base_shape, rate, figure_.base_shape, rate});
  }

  // ---- Algorithms.

  template <class Kernel, class Data>
  void impute(const Kernel& kernel, Data data, const std::vector<double>& start) {
    const mixture::DirichletProcess mixing(1);
    const auto as_is = [](const typename Kernel::Parameter& theta) { return theta; };
    if (outcome_.algorithm.starts_with("slice")) {
      // The published algorithm has no joint moves.
      mixture::Conditional sampler(kernel, mixing, std::move(data), start, {.joint_moves = false}, rng_);
      follow(sampler, kernel, as_is);
    } else {
      const std::size_t several = outcome_.algorithm == "neal5-m5" ? 5 : 1;
      mixture::Neal5 sampler(kernel, mixing, std::move(data), start, {.imputations = several}, rng_);
      follow(sampler, kernel, as_is);
    }
  }

  template <class Kernel, class OfData>
  void integrate(const Kernel& kernel, const std::vector<double>& values, const OfData& of_data) {
    const mixture::DirichletProcess mixing(1);
    if (outcome_.algorithm == "neal2") {
      mixture::Neal2 sampler(kernel, mixing, Confidential<double>{values}, rng_);
      follow(sampler, NormalKernel(kernel.prior()), of_data);
    } else {
      mixture::Neal3 sampler(kernel, mixing, Confidential<double>{values}, {}, {}, rng_);
      follow(sampler, NormalKernel(kernel.prior()), of_data);
    }
  }

  void deconvolve(const std::vector<double>& z, const mixture::AdditiveNoise& noise) {
    const mixture::Deconvolution estimate(z, noise, data_.domain);
    outcome_.mean =
        mixture::positive_density(grids_.grid, estimate.density(estimate.bootstrap_bandwidth(), grids_.grid));
    describe();
    (void)go_on_();
  }

  /// Runs the chain; `of_data` turns its atoms into those of `shown`, the kernel of the data.
  template <class Sampler, class Shown, class OfData>
  void follow(Sampler& sampler, const Shown& shown, const OfData& of_data) {
    const auto published = static_cast<std::size_t>(std::round(kPublishedSweeps * experiment_.share));
    const std::size_t half = std::max<std::size_t>(10, published / 2);
    const std::size_t kept = std::min<std::size_t>(1000, half);
    const std::size_t stride = half / kept;
    const double begun = seconds_used();
    sampler.state().adapt(true);
    for (std::size_t sweep = 0; sweep < half; ++sweep) {
      (void)sampler.sweep(rng_);
      if (!go_on_()) return void(ended_ = true);
    }
    sampler.state().adapt(false);
    mixture::SweepInfo proposals;
    Matrix clusters(static_cast<Eigen::Index>(half), 1);
    Matrix densities(static_cast<Eigen::Index>(half / stride), grids_.grid.size());
    Eigen::Index draws = 0;
    std::vector<Allocation> partitions;
    mixture::MixingMeasure<typename Sampler::State::Parameter> measure;
    mixture::MixingMeasure<typename Shown::Parameter> of_y;
    for (std::size_t sweep = 0; sweep < half; ++sweep) {
      proposals += sampler.sweep(rng_);
      if (!go_on_()) return void(ended_ = true);
      const auto& state = sampler.state();
      const auto draw = state.draw();
      clusters(static_cast<Eigen::Index>(sweep), 0) = static_cast<double>(draw.clusters());
      if (outcome_.cluster_count.size() <= draw.clusters())
        outcome_.cluster_count.resize(draw.clusters() + 1);
      outcome_.cluster_count[draw.clusters()] += 1 / static_cast<double>(half);
      if (sweep % stride != 0 || draws == densities.rows()) continue;
      if (shows_densities()) {
        mixture::draw_measure(draw, state.kernel, state.mixing, rng_, measure);
        of_y.weights = measure.weights;
        of_y.atoms.clear();
        for (const auto& theta : measure.atoms) of_y.atoms.push_back(of_data(theta));
        Position density(grids_.grid.size());
        mixture::density_on_grid(shown, of_y, grids_.grid, density);
        densities.row(draws) = density;
      }
      if (wants("ari") && draws % 5 == 0)
        partitions.emplace_back(draw.allocation.begin(), draw.allocation.end());
      ++draws;
    }
    outcome_.seconds = seconds_used() - begun;
    outcome_.sweeps = 2 * half;
    if (proposals.proposed > 0) {
      measured("acceptance",
               static_cast<double>(proposals.accepted) / static_cast<double>(proposals.proposed));
      measured("smallest_ratio", std::exp(proposals.worst_log_ratio));
    }
    const double ess = plain_ess(clusters);
    const double mean = clusters.mean();
    measured("clusters", mean);
    measured("ess", ess);
    measured("clusters_error", std::sqrt((clusters.array() - mean).square().mean() / ess));
    if (wants("ari")) {
      const auto point = mixture::minimise_expected_loss(
          partitions, mixture::PartitionLoss::variation_of_information, rng_, {.starts = 2});
      measured("ari", mixture::adjusted_rand_index(point.allocation, data_.groups));
    }
    if (!shows_densities()) return;
    const mixture::DensityBands bands = mixture::density_bands(densities, 0.95);
    outcome_.mean = bands.mean;
    outcome_.lower = bands.lower;
    outcome_.upper = bands.upper;
    measured("width", mixture::relative_width(bands.lower, bands.upper, grids_.grid, false));
    measured("covered", mass_within(bands));
    // The prior of the data: atoms of the chain's own kernel.
    outcome_.prior = Position::Zero(grids_.grid.size());
    Position one(grids_.grid.size());
    constexpr int kPriorDraws = 2000;
    for (int draw = 0; draw < kPriorDraws; ++draw) {
      mixture::density_on_grid(shown, {{1.0}, {of_data(sampler.state().kernel.draw_prior(rng_))}},
                               grids_.grid, one);
      outcome_.prior += one / kPriorDraws;
    }
    measured("from_prior", mixture::hellinger_distance(grids_.grid, outcome_.mean, outcome_.prior));
    describe();
  }

  [[nodiscard]] bool shows_densities() const { return figure_.drawing == MixtureDrawing::densities; }

  [[nodiscard]] double mass_within(const mixture::DensityBands& bands) const {
    if (grids_.truth.size() == 0) return NAN;
    const auto inside =
        (bands.lower.array() <= grids_.truth.array() && grids_.truth.array() <= bands.upper.array());
    return mixture::integral(grids_.grid, grids_.truth.array() * inside.cast<double>());
  }

  /// What is said of any density estimate.
  void describe() {
    const Position& x = grids_.grid;
    const Position& f = outcome_.mean;
    if (grids_.truth.size() > 0) measured("from_truth", mixture::hellinger_distance(x, f, grids_.truth));
    const double total = mixture::integral(x, f);
    const double mean = mixture::integral(x, x.cwiseProduct(f)) / total;
    measured("mean", mean);
    measured("sd", std::sqrt(mixture::integral(x, (x.array() - mean).square() * f.array()) / total));
    const Eigen::Index end = x.size() / 40 + 1;
    measured("at_ends",
             mixture::integral(x.head(end), f.head(end)) + mixture::integral(x.tail(end), f.tail(end)));
  }

  const MixtureExperiment& experiment_;
  const MixtureFigure& figure_;
  const MixturePanel& panel_;
  const MixtureGrids& grids_;
  const SweepTick& go_on_;
  StudyData data_;
  ChainRng noise_;        // of the mechanism where it is continuous
  StudyEntropy entropy_;  // and where it is not
  ChainRng rng_;          // of the chain
  MixtureOutcome outcome_;
  bool ended_ = false;
};

}  // namespace

std::optional<MixtureOutcome> run_mixture(const MixtureExperiment& experiment, const MixtureGrids& grids,
                                          const MixtureJob& job, const SweepTick& go_on) {
  return MixtureRun(experiment, grids, job.panel, job.repeat, go_on)(job.algorithm);
}

}  // namespace sotto
