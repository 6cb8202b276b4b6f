// The table of kernels that a column can be estimated with.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "sotto/mixture/fit/density.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/categorical_kernel.hpp"
#include "sotto/mixture/kernel/rounded_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/mixture/kernel/truncated_poisson_kernel.hpp"

namespace sotto {

/// Every kernel there is: a new one is a file in mixture/kernel that satisfies `ColumnKernel`, and its line here.
using Kernels =
    std::tuple<mixture::TruncatedNormalKernel, mixture::BetaKernel, mixture::TruncatedPoissonKernel,
               mixture::CategoricalKernel, mixture::RoundedNormalKernel>;

struct KernelRow {
  std::string_view name;
  bool counts;  ///< of whole numbers, each with a probability
  DensityResult (*estimate)(const Column&, const PrivatisedColumn&, std::size_t rows, const DensitySettings&,
                            const SweepProgress&);
  DensityResult (*estimate_confidential)(const ColumnSettings&, std::vector<double> data,
                                         const DensitySettings&, const SweepProgress&);
};

/// The rows of the kernels whose place in the list leaves this remainder: compiled in files of their own, side by side.
inline constexpr std::size_t kKernelShares = 4;
template <std::size_t Share>
struct KernelShare {
  static void add(std::vector<KernelRow>& table);
};

/// Errors: configuration for an unknown name.
[[nodiscard]] const KernelRow& kernel_row(std::string_view name);

/// Two to four columns as rows of one mixture of products of truncated normals.
[[nodiscard]] DensityResult estimate_rows(std::span<const Column> columns,
                                          std::span<const PrivatisedColumn> released, std::size_t rows,
                                          const DensitySettings& settings, const SweepProgress& progress);

}  // namespace sotto
