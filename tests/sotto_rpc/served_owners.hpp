// Three small tables, served, and fits that ask them.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/ledger/budget.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "sotto/release/remote_owner.hpp"
#include "sotto/run/declaration.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/served_table.hpp"
#include "support/test_entropy.hpp"

namespace sotto {

inline Schema served_schema(Adjacency adjacency = Adjacency::substitute) {
  Schema schema;
  schema.adjacency = adjacency;
  schema.columns = {{.name = "y", .kind = ColumnKind::binary}, {.name = "x", .bounds = {-1, 1}}};
  return schema;
}

/// Owner `o` of three has 60, 120 or 180 rows.
inline Table served_rows(std::size_t o, const Schema& columns) {
  Table table(columns);
  for (std::size_t i = 0; i < 60 * (o + 1); ++i) {
    ChainRng rng(72 + o, i);
    const double x = 2 * rng.uniform() - 1;
    const std::string cells[] = {rng.uniform() < 1 / (1 + std::exp(-0.5 - x)) ? "1" : "0",
                                 fmt::format("{}", x)};
    std::vector<std::optional<std::string_view>> row;
    for (const SchemaColumn& column : columns.columns) row.emplace_back(cells[column.name == "y" ? 0 : 1]);
    table.append(row, std::to_string(i));
  }
  return table;
}

/// A served table with books of its own in memory.
struct ServedOwner {
  ServedOwner(std::size_t o, EntropySource& entropy, double epsilon = 1, BookingWriter writer = {},
              Schema schema = served_schema())
      : books(Epsilon(epsilon), Delta(1e-6), std::move(writer)),
        table(
            {.name = fmt::format("owner-{}", o), .schema = std::move(schema)},
            [this, o](const Schema& columns) {
              ++reads;
              return served_rows(o, columns);
            },
            signer, books, entropy, [this](const std::string& line) { log.push_back(line); }) {}

  /// Straight to the table, as `analyst`.
  [[nodiscard]] OwnerCarrier carrier(std::string analyst = "ada") {
    return [this, analyst = std::move(analyst)](OwnerCall call, const Bytes& question) {
      return table.reply(call, question, analyst);
    };
  }

  int reads = 0;
  std::vector<std::string> log;
  AnswerSigner signer;
  Budget books;
  ServedTable table;
};

inline FitConfig served_config(std::vector<std::string> more, std::size_t local = 0) {
  std::string owners;
  for (std::size_t o = 0; o < local; ++o) owners += fmt::format("[[owner]]\nfile = \"table-{}\"\n", o);
  more.insert(more.begin(), {"data.schema=x", "privacy.epsilon=1", "privacy.delta=1e-6", "threads=1",
                             "model.formula=\"y ~ x\""});
  return parse_fit_config(owners, more);
}

inline nlohmann::json served_declaration(const FitConfig& config, const Schema& schema = served_schema()) {
  const Problem problem = make_problem_without_rows(config, schema, std::nullopt);
  return to_json(Declaration{config.model, problem.public_info.declaration});
}

/// A session with an owner, by whatever carries it there.
inline OwnerElsewhere session_with(const OwnerCarrier& carrier, const OwnerKey& key, const FitConfig& config,
                                   const std::string& address = "here:1") {
  auto session = std::make_shared<RemoteOwner>(carrier, key, served_declaration(config));
  const OwnerTerms& terms = session->terms();
  return {.name = terms.name,
          .address = address,
          .interface = session,
          .epsilon = terms.epsilon,
          .delta = terms.delta,
          .rows = terms.rows,
          .noise_source = terms.noise_source,
          .noise_is_private = terms.noise_is_private};
}

/// All three tables in one process.
inline RunRecord fit_in_one_process(const std::vector<std::string>& settings, std::size_t owners = 3) {
  const FitConfig config = served_config(settings, owners);
  std::vector<Table> tables;
  for (std::size_t o = 0; o < owners; ++o) tables.push_back(served_rows(o, served_schema()));
  TestEntropy entropy(3);
  return fit(config, make_problem(config, tables), entropy);
}

/// Every draw of every chain, bit by bit.
inline bool same_draws(const Draws& a, const Draws& b) {
  if (a.chains.size() != b.chains.size()) return false;
  for (std::size_t c = 0; c < a.chains.size(); ++c) {
    if (a.chains[c].draws.rows() == 0 || a.chains[c].draws.size() != b.chains[c].draws.size()) return false;
    if (!(a.chains[c].draws.array() == b.chains[c].draws.array()).all()) return false;
  }
  return true;
}

}  // namespace sotto
