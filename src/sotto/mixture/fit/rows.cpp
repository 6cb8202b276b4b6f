// Several columns as rows of one mixture.
#include <utility>

#include "sotto/channel/product.hpp"
#include "sotto/mixture/fit/column_fit.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"

namespace sotto {
namespace {

/// Why a column is not estimated together with others. Errors: configuration, always.
template <class Channel>
[[noreturn]] void refuse_beside_others(const std::string& name) {
  if constexpr (GlobalChannel<Channel, typename Channel::Datum>) {
    throw Error(
        ErrorCode::configuration,
        fmt::format("the histogram of '{0}' says nothing of which values belong to one person: name one "
                    "column (--column {0}), or privatise each row's columns by laplace, gaussian or "
                    "wavelet",
                    name));
  } else {
    throw Error(
        ErrorCode::configuration,
        fmt::format("'{0}' holds categories, and several columns together are modelled as numbers: name "
                    "it alone (--column {0})",
                    name));
  }
}

template <int Dim>
DensityResult estimate_rows_of(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                               std::size_t rows, const DensitySettings& settings,
                               const SweepProgress& progress) {
  using Channel = ProductChannel<Dim>;
  using Part = mixture::TruncatedNormalKernel;
  using Kernel = mixture::ProductKernel<Dim, Part>;
  using Vector = typename Kernel::Datum;
  const auto noise = [&](std::size_t d) {
    return std::visit(
        [&]<class One>(const One& one) -> typename Channel::Part {
          if constexpr (std::same_as<One, HaarChannel>)
            return HaarReleases(one, released[d].values);
          else if constexpr (std::is_constructible_v<typename Channel::Part, One>)
            return one;
          else
            refuse_beside_others<One>(columns[d].settings.name);
        },
        columns[d].channel);
  };
  const auto [channel, kernel] = [&]<std::size_t... d>(std::index_sequence<d...>) {
    Channel noises(
        typename Channel::Parts{noise(d)...});  // before bounds are read, which not all channels have
    return std::pair(std::move(noises), Kernel(typename Kernel::Parts{Part::make(columns[d].settings)...}));
  }
  (std::make_index_sequence<static_cast<std::size_t>(Dim)>());
  std::vector<Vector> z(rows);
  for (std::size_t d = 0; d < columns.size(); ++d) {
    const bool wavelet = std::holds_alternative<HaarReleases>(channel.part(static_cast<int>(d)));
    for (std::size_t i = 0; i < rows; ++i)
      z[i][static_cast<Eigen::Index>(d)] = wavelet ? static_cast<double>(i) : released[d].values[i];
  }
  const mixture::LocalRelease<Channel, Vector> data{channel, z};
  const Marginal<Kernel> shown(kernel);
  std::vector<Position> shown_at;
  for (std::size_t d = 0; d < columns.size(); ++d)
    shown_at.push_back(kernel.part(d).shown(settings.grid_points));
  check_algorithm<Kernel, mixture::LocalRelease<Channel, Vector>>(settings.algorithm);
  std::vector<ColumnSettings> declared;
  for (const Column& column : columns) declared.push_back(column.settings);
  const EvaluationGrid asked =
      shown_grids(shown, std::move(shown_at), parse_quantities(settings.quantities, declared, Scale::density),
                  false, settings);
  const DensityChains run =
      run_density_chains(settings, asked, progress, [&, &channel = channel, &kernel = kernel](ChainRng& rng) {
        std::vector<Vector> start;
        start.reserve(z.size());
        for (const Vector& row : z) start.push_back(channel.initial(row, rng));
        return begin_chain(kernel, data, std::move(start), shown, asked, settings, rng);
      });
  DensityResult result = summarise_density(run, asked, settings, true);
  for (std::size_t d = 0; d < columns.size(); ++d) result.columns[d].base = kernel.part(d).base();
  return result;
}

}  // namespace

DensityResult estimate_rows(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                            std::size_t rows, const DensitySettings& settings,
                            const SweepProgress& progress) {
  switch (columns.size()) {
    case 2:
      return estimate_rows_of<2>(columns, released, rows, settings, progress);
    case 3:
      return estimate_rows_of<3>(columns, released, rows, settings, progress);
    case 4:
      return estimate_rows_of<4>(columns, released, rows, settings, progress);
    default:
      throw Error(ErrorCode::configuration, "a joint estimate takes two to four columns");
  }
}

}  // namespace sotto
