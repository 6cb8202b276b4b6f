#include "experiments/published/mixture_figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Names = std::vector<std::string>;

const std::vector<double> kNormalEpsilons = {1, 2, 5, 10, 50};
const std::vector<double> kBetaEpsilons = {2, 10, 50, 100, 250};
const std::vector<double> kGaussianEpsilons = {5, 10, 25, 50};
const std::vector<std::size_t> kNormalRows = {50, 200, 500, 1000};
constexpr std::size_t kBetaRows = 250;

/// One panel a size and epsilon, Laplace noise.
std::vector<MixturePanel> laplace_panels(const std::vector<std::size_t>& rows, const Names& algorithms) {
  std::vector<MixturePanel> panels;
  for (const std::size_t n : rows)
    for (const double epsilon : kNormalEpsilons)
      panels.push_back({.mechanism = "laplace", .rows = n, .epsilon = epsilon, .algorithms = algorithms});
  return panels;
}

/// The published noise and the least noise that keeps the same promise.
std::vector<MixturePanel> level_panels(const Names& mechanisms, const Names& algorithms) {
  std::vector<MixturePanel> panels;
  for (const std::string& mechanism : mechanisms)
    for (const int level : mechanism == "laplace" ? std::vector<int>{0} : std::vector<int>{2, 4, 6})
      for (const double epsilon : kBetaEpsilons)
        panels.push_back({.mechanism = mechanism,
                          .level = level,
                          .rows = kBetaRows,
                          .epsilon = epsilon,
                          .algorithms = algorithms});
  return panels;
}

std::vector<MixturePanel> gaussian_panels(const Names& mechanisms, const std::vector<double>& deltas) {
  std::vector<MixturePanel> panels;
  for (const std::string& mechanism : mechanisms)
    for (const double delta : deltas)
      for (const double epsilon : kGaussianEpsilons)
        panels.push_back({.mechanism = mechanism,
                          .rows = 250,
                          .epsilon = epsilon,
                          .delta = delta,
                          .algorithms = {"neal2", "neal3", "neal5", "neal5-same-prior"}});
  return panels;
}

/// Both noises at rho = 17.8, which is Laplace noise of epsilon 5.97, and at the epsilon of the published program.
std::vector<MixturePanel> waiting_panels(const Names& laplace, const Names& gaussian) {
  std::vector<MixturePanel> panels;
  for (const double epsilon : {std::sqrt(2 * 17.8), 104.0}) {
    panels.push_back({.mechanism = "laplace", .rows = 100, .epsilon = epsilon, .algorithms = laplace});
    panels.push_back({.mechanism = "gaussian", .rows = 100, .epsilon = epsilon, .algorithms = gaussian});
  }
  return panels;
}

MixtureFigure global_figure(int number, double base_shape, const Names& algorithms) {
  return {.name = fmt::format("figure {}", number),
          .title = fmt::format("Samples from smoothed histograms, base measure Gamma({}, 2)", base_shape),
          .data = "betas",
          .measures = {"from_truth", "at_ends", "acceptance", "smallest_ratio", "true_epsilon", "ess"},
          .panels = level_panels({"histogram-printed", "histogram"}, algorithms),
          .base_shape = base_shape};
}

}  // namespace

MixtureFigure mixture_figure(int number) {
  switch (number) {
    case 1:
      return {.name = "figure 1",
              .title = "Densities under Laplace noise, 200 rows",
              .data = "normals",
              .measures = {"from_truth", "from_prior", "width", "clusters", "acceptance"},
              .panels = laplace_panels({200}, {"neal5", "neal5-m5", "slice", "deconvolution"})};
    case 2:
      return {.name = "figure 2",
              .title = "Acceptance rates and effective draws of the number of clusters",
              .data = "normals",
              .drawing = MixtureDrawing::rates,
              .measures = {"acceptance", "ess", "clusters", "smallest_ratio", "true_epsilon"},
              .panels = laplace_panels(kNormalRows, {"neal5", "neal5-m5", "slice"}),
              .repeats = 50};
    case 3: {
      MixtureFigure figure{
          .name = "figure 3",
          .title = "Densities under wavelet and Laplace noise, 250 rows",
          .data = "betas",
          .measures = {"from_truth", "from_prior", "at_ends", "acceptance", "true_epsilon"},
          .panels = level_panels({"wavelet-printed", "wavelet", "laplace"}, {"neal5", "neal5-wide-prior"})};
      figure.panels.push_back(
          {.mechanism = "none", .rows = kBetaRows, .algorithms = {"neal5", "neal5-wide-prior"}});
      return figure;
    }
    case 4:
      return {.name = "figure 4",
              .title = "Densities under Gaussian noise, delta 0.1, 250 rows",
              .data = "normals",
              .measures = {"from_truth", "from_prior", "clusters", "ess", "true_delta"},
              .panels = gaussian_panels({"gaussian-printed", "gaussian"}, {0.1})};
    case 5:
      return {.name = "figure 5",
              .title = "Effective draws of the number of clusters under Gaussian noise, 250 rows",
              .data = "normals",
              .drawing = MixtureDrawing::rates,
              .measures = {"ess", "clusters", "true_delta"},
              .panels = gaussian_panels({"gaussian-printed"}, {0.01, 0.1, 0.25}),
              .repeats = 50};
    case 6: {
      MixtureFigure figure{.name = "figure 6",
                           .title = "Densities of 100 log waiting times",
                           .data = "waiting-times",
                           .measures = {"from_truth", "width", "mean", "sd", "clusters"},
                           .panels = waiting_panels({"neal5", "slice", "deconvolution"},
                                                    {"neal2", "neal3", "neal5", "slice", "deconvolution"})};
      figure.panels.insert(figure.panels.begin(),
                           {.mechanism = "none", .rows = 100, .algorithms = {"slice"}});
      return figure;
    }
    case 7:
      return global_figure(7, 2, {"neal5", "slice", "neal5-wide-prior"});
    case 8:
      return global_figure(8, 90, {"neal5", "slice"});
    case 9:
      return {.name = "figure 9",
              .title = "Densities with 95 % bands under Laplace noise",
              .data = "normals",
              .measures = {"from_truth", "width", "covered"},
              .panels = laplace_panels(kNormalRows, {"slice"})};
    case 10:
      return {.name = "figure 10",
              .title = "Agreement of estimated and true clusters",
              .data = "normals",
              .drawing = MixtureDrawing::rates,
              .measures = {"ari", "clusters"},
              .panels = laplace_panels(kNormalRows, {"slice"}),
              .repeats = 50};
    case 11:
      return {.name = "figure 11",
              .title = "Posterior number of clusters",
              .data = "normals",
              .drawing = MixtureDrawing::clusters,
              .measures = {"clusters", "ess"},
              .panels = laplace_panels(kNormalRows, {"neal5", "slice"})};
    case 12:
      return {.name = "figure 12",
              .title = "Acceptance rates under wavelet and Laplace noise",
              .data = "betas",
              .drawing = MixtureDrawing::rates,
              .measures = {"acceptance", "smallest_ratio", "true_epsilon"},
              .panels = level_panels({"wavelet-printed", "wavelet", "laplace"}, {"neal5"}),
              .repeats = 50};
    case 13: {
      MixtureFigure figure = mixture_figure(4);
      figure.name = "figure 13";
      figure.title = "Densities under Gaussian noise, other deltas, 250 rows";
      figure.panels = gaussian_panels({"gaussian-printed", "gaussian"}, {0.01, 0.25});
      return figure;
    }
    case 14:
      return {.name = "figure 14",
              .title = "100 log waiting times after Laplace and Gaussian noise",
              .data = "waiting-times",
              .drawing = MixtureDrawing::releases,
              .measures = {"mean", "sd", "noise_sd"},
              .panels = waiting_panels({"release"}, {"release"})};
    default:
      throw Error(ErrorCode::usage, fmt::format("there is no figure {}: --figure takes 1 to 14", number));
  }
}

MixtureFigure mixture_table(int number) {
  if (number != 1)
    throw Error(ErrorCode::usage, fmt::format("there is no table {}: --table takes 1", number));
  return {.name = "table 1",
          .title = "Algorithms on the data themselves and on their release",
          .data = "normals",
          .drawing = MixtureDrawing::none,
          .measures = {"clusters", "clusters_error", "ess"},
          .panels = {
              {.mechanism = "none", .rows = 50, .algorithms = {"neal2", "neal3", "neal5", "slice"}},
              {.mechanism = "gaussian",
               .rows = 50,
               .epsilon = 10,
               .delta = 0.1,
               .algorithms = {"neal2", "neal3", "neal5-same-prior", "slice-same-prior"}},
          }};
}

}  // namespace sotto
