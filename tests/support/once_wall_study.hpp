// A release-once study through the real wall: an owner with a budget, integers and discrete noise.
#pragma once

#include "sotto/ledger/budget.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/once_study.hpp"

namespace sotto {

[[nodiscard]] inline Glm glm_of(const SimulatedRegression& data) {
  std::vector<DomainComponent> components;
  for (Eigen::Index j = 0; j < data.x.cols(); ++j) {
    const Interval range = data.column_range[static_cast<std::size_t>(j)];
    components.push_back(
        {{j}, range.width() > 0 ? Matrix{{range.lower}, {range.upper}} : Matrix::Ones(1, 1)});
  }
  GlmFamily family = family::Bernoulli();
  if (data.link == Link::log) family = family::Poisson();
  if (data.link == Link::identity) family = family::Normal();
  return Glm(family, Domain(std::move(components)), data.response);
}

[[nodiscard]] inline Rows rows_of(const SimulatedRegression& data) {
  const auto dim = static_cast<std::size_t>(data.x.cols());
  Rows rows(static_cast<std::size_t>(data.x.rows()), dim + 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < dim; ++j)
      rows.at(i, j) = data.x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    rows.at(i, dim) = data.y[static_cast<Eigen::Index>(i)];
    rows.weight(i) = 1;
  }
  return rows;
}

struct StudyBudget {
  double epsilon = 1;
  double delta = 1e-6;
  Adjacency adjacency = Adjacency::substitute;
};

[[nodiscard]] inline OnceOutcome study_through_the_wall(const SimulatedRegression& data,
                                                        const StudyBudget& privacy,
                                                        const NormalFit& reference, EntropySource& entropy,
                                                        std::size_t draws, std::uint64_t seed) {
  Budget budget(Epsilon(privacy.epsilon), Delta(privacy.delta));
  OnceSettings settings;
  settings.facts = facts_of(data, privacy.adjacency);
  settings.cost = Rho(budget.left().value() * (1 - 1e-6));
  settings.priors = settings_of(data, kRho).priors;
  DataOwner owner(rows_of(data), glm_of(data), {privacy.adjacency, 1}, {}, budget, entropy);
  OnceOutcome outcome = study(data, reference, settings, owner, draws, seed);
  outcome.rho = settings.cost.value();
  return outcome;
}

}  // namespace sotto
