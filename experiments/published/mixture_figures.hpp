// What each figure and table of the paper on mixtures of privatised data shows: data, mechanisms, algorithms, measures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sotto {

/// One release of one data set, and the algorithms that are given it.
struct MixturePanel {
  std::string mechanism;  ///< none, laplace, gaussian, wavelet, histogram; "-printed": calibrated as in print
  int level = 0;          ///< wavelet: top level J; histogram: bins are L floor(n^(1/5) + 1)
  std::size_t rows = 0;
  double epsilon = 0;  ///< that was asked for
  double delta = 0;
  std::vector<std::string> algorithms;
};

/// What a page draws of a figure.
enum class MixtureDrawing {
  densities,  ///< one plot a panel: densities with bands
  rates,      ///< one plot a measure and mechanism, over epsilon
  clusters,   ///< one plot a panel: probabilities of the number of clusters
  releases,   ///< one plot a panel: histogram of what was released
  none,       ///< the table alone
};

struct MixtureFigure {
  std::string name;  ///< "figure 1", ..., "table 1"
  std::string title;
  std::string data;  ///< normals, betas, waiting-times
  MixtureDrawing drawing = MixtureDrawing::densities;
  std::vector<std::string> measures;  ///< columns of the table beside what names a run
  std::vector<MixturePanel> panels;
  std::size_t repeats = 1;  ///< as published
  double base_shape = 2;    ///< betas: G0 is Gamma(base_shape, 2) for either parameter
};

/// Figures 1 to 14. Errors: usage for other numbers.
/// Source     [BFR24, sections 4 and 6, appendices C and D]
[[nodiscard]] MixtureFigure mixture_figure(int number);

/// Table 1: the algorithms that are possible on the data themselves and on their release. Errors: usage for other numbers.
[[nodiscard]] MixtureFigure mixture_table(int number);

}  // namespace sotto
