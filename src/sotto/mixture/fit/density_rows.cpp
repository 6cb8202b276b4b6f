// Several columns as rows of one multivariate normal mixture.
#include "sotto/channel/product.hpp"
#include "sotto/mixture/fit/density_by_channel.hpp"

namespace sotto {
namespace {

// The same column on [0, 1]: same noise relative to the domain.
template <class Channel>
Channel on_unit_interval(const Channel& channel) {
  const Grid unit({0, 1}, channel.grid().steps());
  const Guarantee promised = channel.guarantee();
  if constexpr (std::same_as<Channel, DiscreteLaplaceChannel>) {
    return {unit, promised.epsilon};
  } else {
    if (std::isfinite(promised.epsilon.value())) return {unit, promised.epsilon, promised.delta};
    return {unit, promised.rho};
  }
}

template <int Dim>
DensityResult estimate_rows_of(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                               std::size_t rows, const DensitySettings& settings) {
  using Channel = ProductChannel<Dim>;
  using Vector = typename Channel::Vector;
  const auto part = [&](std::size_t d) -> typename Channel::Part {
    if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&columns[d].channel))
      return on_unit_interval(*laplace);
    if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&columns[d].channel))
      return on_unit_interval(*gaussian);
    throw Error(ErrorCode::configuration,
                "several columns together need Laplace or Gaussian noise on each; name one with --column");
  };
  const Channel channel([&]<std::size_t... d>(std::index_sequence<d...>) {
    return typename Channel::Parts{part(d)...};
  }(std::make_index_sequence<static_cast<std::size_t>(Dim)>()));
  std::vector<Vector> z(rows);
  for (std::size_t d = 0; d < columns.size(); ++d) {
    const ColumnSettings& s = columns[d].settings;
    for (std::size_t i = 0; i < rows; ++i)
      z[i][static_cast<Eigen::Index>(d)] = (released[d].values[i] - s.lower) / (s.upper - s.lower);
  }
  const auto kernel = rows_kernel<Dim>();
  const ShownRows<Dim> shown(kernel);
  const EvaluationGrid grids = shown_grids(
      shown, std::vector<Position>(columns.size(), mixture::even_grid({0, 1}, settings.grid_points)), false,
      settings);
  const mixture::LocalRelease<Channel, Vector> data{channel, z};
  const std::vector<DensityChain> chains = run_density_chains(settings, [&](ChainRng& rng) {
    std::vector<Vector> start;
    for (const Vector& row : z) start.push_back(channel.initial(row, rng));
    return run_one_chain(kernel, data, std::move(start), shown, grids.grids, settings, rng);
  });
  return summarise_density(chains, grids, settings, true);
}

}  // namespace

DensityResult estimate_rows(std::span<const Column> columns, std::span<const PrivatisedColumn> released,
                            std::size_t rows, const DensitySettings& settings) {
  switch (columns.size()) {
    case 2:
      return estimate_rows_of<2>(columns, released, rows, settings);
    case 3:
      return estimate_rows_of<3>(columns, released, rows, settings);
    case 4:
      return estimate_rows_of<4>(columns, released, rows, settings);
    default:
      throw Error(ErrorCode::configuration, "a joint estimate takes two to four columns");
  }
}

}  // namespace sotto
