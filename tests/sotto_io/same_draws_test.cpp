// A table is one table to a private fit, wherever it comes from: with the same noise, which a test alone can have twice, the same draws to
// the last bit from CSV, from Parquet and from an Arrow stream, as Python hands one over (python/tests/test_records.py).
#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sotto/random/chain_rng.hpp"
#include "sotto/run/fit.hpp"
#include "sotto_io/arrow_stream.hpp"
#include "sotto_io/table_file.hpp"
#include "support/own_folder.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kRows = 2000;

/// What all forms hold: numbers beyond the bounds, levels that nobody declared, cells that are missing.
struct Person {
  std::optional<double> age;
  std::int64_t visits;
  bool smoker;
  std::optional<std::string> clinic;
};

std::vector<Person> persons() {
  ChainRng rng(8);
  std::vector<Person> all;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double age = 10 + 90 * rng.uniform();
    Person person{age, rng.uniform() < age / 120 ? 3 : 0, rng.uniform() < 0.3, std::nullopt};
    const double where = rng.uniform();
    if (where < 0.95) person.clinic = where < 0.5 ? "north" : where < 0.9 ? "south, \"old\"" : "unseen";
    if (rng.uniform() < 0.02) person.age = std::nullopt;
    all.push_back(person);
  }
  return all;
}

Schema schema_of_persons(Adjacency adjacency) {
  Schema schema{
      {{"visits", ColumnKind::count, {0, 9}},
       {"age", ColumnKind::real, {18, 90}},
       {"smoker", ColumnKind::binary, {0, 1}},
       {"clinic", ColumnKind::category, {}, {"north", "south, \"old\""}, MissingPolicy::impute, 1}}};
  schema.adjacency = adjacency;
  return schema;
}

std::string csv_of(const std::vector<Person>& all) {
  std::string path = own_folder() / "persons.csv";
  std::ofstream file(path);
  file << "clinic,age,smoker,visits\n";
  for (const Person& one : all) {
    const std::string clinic = !one.clinic               ? ""
                               : *one.clinic == "unseen" ? "unseen"
                               : *one.clinic == "north"  ? "north"
                                                         : "\"south, \"\"old\"\"\"";
    file << clinic << ',' << (one.age ? fmt::format("{}", *one.age) : "") << ','
         << (one.smoker ? "true" : "false") << ',' << one.visits << '\n';
  }
  return path;
}

std::shared_ptr<arrow::Table> arrow_of(const std::vector<Person>& all) {
  arrow::DoubleBuilder age;
  arrow::Int64Builder visits;
  arrow::BooleanBuilder smoker;
  arrow::StringDictionaryBuilder clinic;
  for (const Person& one : all) {
    EXPECT_TRUE((one.age ? age.Append(*one.age) : age.AppendNull()).ok());
    EXPECT_TRUE(visits.Append(one.visits).ok());
    EXPECT_TRUE(smoker.Append(one.smoker).ok());
    EXPECT_TRUE((one.clinic ? clinic.Append(*one.clinic) : clinic.AppendNull()).ok());
  }
  const std::vector<std::shared_ptr<arrow::Array>> columns = {*visits.Finish(), *smoker.Finish(),
                                                              *clinic.Finish(), *age.Finish()};
  return arrow::Table::Make(
      arrow::schema({arrow::field("visits", columns[0]->type()), arrow::field("smoker", columns[1]->type()),
                     arrow::field("clinic", columns[2]->type()), arrow::field("age", columns[3]->type())}),
      columns);
}

std::string parquet_of(const std::vector<Person>& all) {
  std::string path = own_folder() / "persons.parquet";
  const auto file = arrow::io::FileOutputStream::Open(path);
  EXPECT_TRUE(
      parquet::arrow::WriteTable(*arrow_of(all), arrow::default_memory_pool(), *file, /*chunk_size=*/300)
          .ok());
  EXPECT_TRUE((*file)->Close().ok());
  return path;
}

Table table_of_stream(const std::vector<Person>& all, const Schema& schema, std::int64_t batch) {
  const std::shared_ptr<arrow::Table> table = arrow_of(all);
  const auto batches = std::make_shared<arrow::TableBatchReader>(table);
  batches->set_chunksize(batch);
  ArrowArrayStream stream{};
  EXPECT_TRUE(arrow::ExportRecordBatchReader(batches, &stream).ok());
  return read_table(
      [&](const std::vector<std::string>& names, const std::function<void(const TableRecord&)>& visit) {
        read_stream_records(stream, names, visit);
      },
      schema);
}

/// Of all chains, by release-once.
Matrix private_draws(const Table& table, std::uint64_t noise) {
  const FitConfig config = parse_fit_config(
      "", {"data.file=x", "data.schema=x", "model.formula=\"visits > 0 ~ age * smoker + C(clinic)\"",
           "privacy.epsilon=1", "privacy.delta=1e-6", "method.name=release-once", "method.chains=2",
           "method.draws=50", "threads=1"});
  TestEntropy entropy(noise);
  const RunRecord run = fit(config, make_problem(config, table), entropy);
  EXPECT_GT(run.privacy.spent_epsilon, 0);
  EXPECT_FALSE(run.privacy.is_private) << "noise that can be had twice protects nobody";
  Matrix all(100, static_cast<Eigen::Index>(run.draws.parameters.size()));
  all << run.draws.chains.at(0).draws, run.draws.chains.at(1).draws;
  return all;
}

TEST(SameDraws, for_the_same_noise_wherever_a_table_comes_from) {
  std::vector<Person> all = persons();
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    const Schema schema = schema_of_persons(adjacency);
    const Matrix expected = private_draws(read_table(csv_of(all), schema), 5);
    ASSERT_TRUE(expected.allFinite());
    EXPECT_GT((expected.rowwise() - expected.row(0)).norm(), 0);
    EXPECT_EQ(private_draws(read_table(parquet_of(all), schema), 5), expected);
    for (const std::int64_t batch : {1, 333, 5000})
      EXPECT_EQ(private_draws(table_of_stream(all, schema, batch), 5), expected) << batch;
    // Noise is in it, and so are the rows.
    EXPECT_NE(private_draws(read_table(csv_of(all), schema), 6), expected);
    std::vector<Person> others = all;
    for (std::size_t i = 0; i < 100; ++i) others[i].visits = 9 - others[i].visits;
    EXPECT_NE(private_draws(table_of_stream(others, schema, 333), 5), expected);
  }
}

}  // namespace
}  // namespace sotto
