// One call leaves all that a fit owes its readers, for a model of one's own too.
#include "sotto_io/fit_directory.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../../examples/student_t.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/run/own_model.hpp"
#include "sotto_io/atomic_file.hpp"
#include "support/own_folder.hpp"
#include "support/tables_of_one_sum.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

/// The same at every call, where a statement is to say what that of the system's noise does.
class RepeatedNoise final : public EntropySource {
 public:
  std::uint64_t bits() override { return same_.bits(); }
  [[nodiscard]] std::string name() const override { return same_.name(); }
  [[nodiscard]] bool is_private() const override { return true; }

 private:
  TestEntropy same_{7};
};

class FitDirectory : public testing::Test {
 protected:
  FitConfig config_;
  SystemEntropy entropy_;
  void SetUp() override {
    fs::remove_all(own_path());
    config_.epsilon = 2;
    config_.delta = 1e-6;
    config_.threads = 1;
    config_.out = own_path().string();
    config_.method.chains = 2;
    config_.method.warmup = config_.method.draws = 10;
  }
  void TearDown() override { fs::remove_all(own_path()); }

  [[nodiscard]] Problem problem() const {
    return own_problem(config_, {.title = "own regression",
                                 .model = PerRow(example::StudentTByHand{}),
                                 .rows =
                                     [] {
                                       Rows rows(64, 3);
                                       for (std::size_t i = 0; i < 64; ++i) {
                                         rows.at(i, 0) = rows.at(i, 2) = rows.weight(i) = 1;
                                       }
                                       return rows;
                                     },
                                 .parameters = {"intercept", "slope"},
                                 .priors = {{}, {}}});
  }
  /// By release-once, into its directory; the table's schema.
  [[nodiscard]] Schema fit_a_table() {
    Schema schema{{{"y", ColumnKind::binary}, {"x", ColumnKind::real, {-1, 1}}}};
    config_ =
        parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"y ~ x\"", "privacy.epsilon=2",
                              "privacy.delta=1e-6", "method.draws=10", "method.chains=1", "threads=1"});
    config_.out = own_path().string();
    config_.force = true;
    RepeatedNoise noise;
    Table table(schema);
    for (int i = 0; i < 300; ++i)
      table.append({{i % 3 == 0 ? "1" : "0", i % 2 == 0 ? "0.5" : "-0.25"}}, std::to_string(i));
    static_cast<void>(fit_to_directory(config_, make_problem(config_, table), noise));
    return schema;
  }
  /// What the run ends with.
  [[nodiscard]] Error error_of(const FitProgress& progress) {
    try {
      static_cast<void>(fit_to_directory(config_, problem(), entropy_, progress));
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "the run did not fail";
    return {ErrorCode::internal, ""};
  }
  [[nodiscard]] std::string content(const char* name) const { return read_whole_file(own_path() / name); }
  [[nodiscard]] nlohmann::json last_charge() const {
    std::istringstream text(content("charges.jsonl"));
    std::string last;
    for (std::string line; std::getline(text, line);) last = line;
    return nlohmann::json::parse(last);
  }
};

TEST_F(FitDirectory, holds_draws_statement_page_and_charges) {
  const FitOutcome outcome = fit_to_directory(config_, problem(), entropy_);
  EXPECT_EQ(outcome.draws, 20u);
  EXPECT_EQ(outcome.ending, StopReason::finished);
  EXPECT_NE(outcome.spent.find("of 2 is spent"), std::string::npos);
  for (const char* name : {"chain_1.csv", "chain_2.csv", "summary.csv", "summary.json", "privacy.json",
                           "manifest.json", "report.html", "charges.jsonl"}) {
    EXPECT_TRUE(fs::exists(own_path() / name)) << name;
  }
  const auto privacy = nlohmann::json::parse(content("privacy.json"));
  EXPECT_EQ(privacy.at("epsilon"), 2);
  EXPECT_EQ(last_charge().at("closed").at("ending"), "finished");
  EXPECT_EQ(last_charge().at("closed").at("rho"), privacy.at("rho"));
  EXPECT_NE(content("report.html").find("own regression"), std::string::npos);
}

// What is written before the comparison begins tells of its times for good.
TEST_F(FitDirectory, times_leave_the_comparison_out) {
  config_ =
      parse_fit_config("", {"data.file=x", "data.schema=x", "model.formula=\"y ~ x\"", "privacy.epsilon=2",
                            "privacy.delta=1e-6", "privacy.compare_not_private=true", "output.timing=true",
                            "method.draws=100", "method.chains=1", "threads=1", "privacy.force=true"});
  config_.out = own_path().string();
  Table table(Schema{{{"y", ColumnKind::binary}, {"x", ColumnKind::real, {-1, 1}}}});
  for (int i = 0; i < 300; ++i)
    table.append({{i % 3 == 0 ? "1" : "0", i % 2 == 0 ? "0.5" : "-0.25"}}, std::to_string(i));
  std::map<std::string, std::string> before;
  const auto slow = [&](std::size_t, std::size_t, double) {
    if (before.empty() && fs::exists(own_path() / "manifest.json")) {
      for (const char* name : {"manifest.json", "chain_1.csv"}) before[name] = content(name);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return true;
  };
  static_cast<void>(fit_to_directory(config_, make_problem(config_, table), entropy_, slow));
  ASSERT_FALSE(before.empty()) << "the comparison came before what was paid for";
  EXPECT_EQ(content("chain_1.csv"), before["chain_1.csv"]);
  const auto first = nlohmann::json::parse(before["manifest.json"]);
  const auto last = nlohmann::json::parse(content("manifest.json"));
  EXPECT_TRUE(first.at("sampling_seconds").is_number());
  for (const char* seconds : {"wall_seconds", "warmup_seconds", "sampling_seconds"}) {
    EXPECT_EQ(first.at(seconds), last.at(seconds)) << seconds;
  }
}

/// Of every file in the directory, by its name.
std::map<std::string, std::uintmax_t> sizes_of_files(const fs::path& directory) {
  std::map<std::string, std::uintmax_t> sizes;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    sizes[entry.path().lexically_relative(directory)] = entry.is_regular_file() ? entry.file_size() : 0;
  return sizes;
}

// Tables of the same sums have the same releases under the same noise, however many rows they have and whatever those hold.
TEST_F(FitDirectory, has_files_whose_names_number_and_sizes_follow_from_settings_and_releases) {
  const std::vector<Table> tables = tables_of_one_sum();
  const std::string binary = "model.formula=\"y ~ x\"";
  for (const auto& [method, model] : {std::pair{"release-once", binary},
                                      {"release-once", "model.formula=\"y ~ x + z\""},
                                      {"hmc", binary}}) {
    config_ = parse_fit_config(
        "", {"data.file=x", "data.schema=x", model, "privacy.epsilon=20", "privacy.delta=1e-6", "threads=1",
             "method.draws=5", "method.warmup=5", "method.thin=1", "method.chains=2",
             std::string("method.name=\"") + method + "\""});
    config_.out = own_path().string();
    config_.force = true;
    std::vector<std::map<std::string, std::uintmax_t>> sizes;
    for (const Table& table : tables) {
      fs::remove_all(own_path());
      RepeatedNoise noise;
      static_cast<void>(fit_to_directory(config_, make_problem(config_, table), noise));
      sizes.push_back(sizes_of_files(own_path()));
    }
    EXPECT_GT(sizes[0].size(), 5u);
    EXPECT_EQ(sizes[0], sizes[1]) << model << ' ' << method;
  }
}

TEST_F(FitDirectory, is_not_written_over_unless_asked) {
  static_cast<void>(fit_to_directory(config_, problem(), entropy_));
  const std::string charges = content("charges.jsonl");
  EXPECT_THROW(static_cast<void>(fit_to_directory(config_, problem(), entropy_)), Error);
  EXPECT_EQ(content("charges.jsonl"), charges) << "nothing was spent";
  static_cast<void>(fit_to_directory(config_, problem(), entropy_, {}, true));
  EXPECT_TRUE(content("charges.jsonl").starts_with(charges));
}

// Somebody took the record of charges away: what the results cost that stand there is not known, but not nothing.
TEST_F(FitDirectory, a_statement_without_its_record_of_charges_counts_as_a_run_of_unknown_cost) {
  RepeatedNoise noise;
  EXPECT_EQ(fit_to_directory(config_, problem(), noise).record.privacy.earlier.count, 0u);
  fs::remove(own_path() / "charges.jsonl");
  const EarlierRuns earlier = fit_to_directory(config_, problem(), noise, {}, true).record.privacy.earlier;
  ASSERT_EQ(earlier.count, 1u);
  EXPECT_TRUE(std::isinf(earlier.epsilon) && std::isinf(earlier.delta));
  const auto privacy = nlohmann::json::parse(content("privacy.json"));
  EXPECT_EQ(privacy.at("earlier").at("runs"), 1);
  EXPECT_TRUE(privacy.at("with_earlier").at("epsilon").is_null());
}

// Each figure of the promise stands in the statement, with the releases and in the record of charges: a record that promises
// another one is that of other releases.
TEST_F(FitDirectory, draws_go_on_only_where_the_record_of_charges_promises_what_the_statement_does) {
  const Schema schema = fit_a_table();
  const std::string charges = content("charges.jsonl");
  const std::string draws = content("chain_1.csv");
  const std::size_t first = charges.find('\n');
  const auto promise = nlohmann::ordered_json::parse(charges.substr(0, first));
  for (const auto& [key, other] : {std::pair<const char*, nlohmann::ordered_json>{"epsilon", 3.0},
                                   {"delta", 1e-7},
                                   {"adjacency", "add-remove"},
                                   {"privacy_unit", "one person"}}) {
    auto changed = promise;
    ASSERT_NE(changed.at("opened").at(key), other);
    changed["opened"][key] = other;
    write_whole_file(own_path() / "charges.jsonl", changed.dump() + charges.substr(first));
    try {
      static_cast<void>(resume_directory(config_, schema, {}));
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration) << key;
      EXPECT_NE(std::string(error.what()).find("is no record of the releases"), std::string::npos) << key;
    }
    EXPECT_EQ(content("chain_1.csv"), draws) << key;
  }
  write_whole_file(own_path() / "charges.jsonl", charges);
  EXPECT_EQ(resume_directory(config_, schema, {}).draws, 10u);
}

// Statement and record agree, and are those of other releases.
TEST_F(FitDirectory, draws_go_on_only_under_the_promise_of_their_own_releases) {
  const Schema schema = fit_a_table();
  const std::string charges = content("charges.jsonl");
  const std::string stated = content("privacy.json");
  const std::size_t first = charges.find('\n');
  for (const auto& [key, other] : {std::pair<const char*, nlohmann::ordered_json>{"epsilon", 1.5},
                                   {"delta", 1e-7},
                                   {"adjacency", "add-remove"}}) {
    auto promise = nlohmann::ordered_json::parse(charges.substr(0, first));
    auto statement = nlohmann::ordered_json::parse(stated);
    ASSERT_NE(statement.at(key), other);
    promise["opened"][key] = statement[key] = other;
    write_whole_file(own_path() / "charges.jsonl", promise.dump() + charges.substr(first));
    write_whole_file(own_path() / "privacy.json", statement.dump());
    try {
      static_cast<void>(resume_directory(config_, schema, {}));
      ADD_FAILURE() << key;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration) << key;
      EXPECT_NE(std::string(error.what()).find("is no statement of these releases"), std::string::npos)
          << key;
    }
  }
  write_whole_file(own_path() / "charges.jsonl", charges);
  write_whole_file(own_path() / "privacy.json", stated);
  EXPECT_EQ(resume_directory(config_, schema, {}).draws, 10u);
}

TEST_F(FitDirectory, a_run_stopped_before_its_first_draw_says_what_was_spent) {
  const FitProgress stop = [](std::size_t done, std::size_t, double) { return done < 10; };
  const Error error = error_of(stop);
  EXPECT_EQ(error.code(), ErrorCode::interrupted);
  EXPECT_NE(std::string(error.what()).find("is spent"), std::string::npos);
  EXPECT_EQ(last_charge().at("closed").at("ending"), "interrupted");
  EXPECT_FALSE(fs::exists(own_path() / "chain_1.csv"));
  EXPECT_EQ(nlohmann::json::parse(content("privacy.json")).at("rho"), last_charge().at("closed").at("rho"));
}

TEST_F(FitDirectory, an_error_after_the_first_release_leaves_the_statement) {
  const FitProgress fails = [](std::size_t done, std::size_t, double) -> bool {
    if (done >= 10) throw Error(ErrorCode::configuration, "no step fits");
    return true;
  };
  const Error error = error_of(fails);
  EXPECT_EQ(error.code(), ErrorCode::configuration);
  EXPECT_NE(std::string(error.what()).find("no step fits; epsilon"), std::string::npos) << error.what();
  EXPECT_EQ(last_charge().at("closed").at("ending"), "failed");
  const auto privacy = nlohmann::json::parse(content("privacy.json"));
  EXPECT_EQ(privacy.at("epsilon"), 2);
  EXPECT_GT(privacy.at("spent_epsilon"), 0);
  EXPECT_EQ(privacy.at("releases"), last_charge().at("closed").at("releases"));
}

TEST_F(FitDirectory, an_interrupt_after_the_first_release_is_recorded_as_one) {
  const Error error = error_of([](std::size_t done, std::size_t, double) -> bool {
    if (done >= 10) throw Error(ErrorCode::interrupted, "stopped");
    return true;
  });
  EXPECT_EQ(error.code(), ErrorCode::interrupted);
  EXPECT_EQ(last_charge().at("closed").at("ending"), "interrupted");
}

// What a library throws may quote a cell: nothing of it is passed on, but what was spent is told.
TEST_F(FitDirectory, any_exception_after_the_first_release_leaves_the_statement) {
  const FitProgress fails = [](std::size_t done, std::size_t, double) -> bool {
    if (done >= 10) throw std::runtime_error("cell 42");
    return true;
  };
  const Error error = error_of(fails);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("is spent"), std::string::npos) << error.what();
  EXPECT_EQ(std::string(error.what()).find("cell"), std::string::npos) << error.what();
  EXPECT_EQ(last_charge().at("closed").at("ending"), "failed");
  EXPECT_EQ(nlohmann::json::parse(content("privacy.json")).at("rho"), last_charge().at("closed").at("rho"));
}

TEST_F(FitDirectory, an_obstacle_that_appears_during_the_run_leaves_the_statement) {
  for (const char* obstacle : {"chain_1.csv/x", "not_private/report.html/x"}) {
    fs::remove_all(own_path());
    config_.compare_not_private = std::string(obstacle).starts_with("not_private");
    const FitProgress blocks = [&](std::size_t, std::size_t, double) {
      fs::create_directories(own_path() / obstacle);
      return true;
    };
    const Error error = error_of(blocks);
    EXPECT_EQ(error.code(), ErrorCode::io) << obstacle;
    EXPECT_NE(std::string(error.what()).find("is spent"), std::string::npos) << error.what();
    EXPECT_TRUE(last_charge().contains("closed")) << obstacle;
    EXPECT_GT(nlohmann::json::parse(content("privacy.json")).at("spent_epsilon"), 0) << obstacle;
  }
}

// Another run may stand there by then: its results and its statement stay.
TEST_F(FitDirectory, a_run_whose_directory_was_taken_away_places_nothing) {
  bool taken = false;
  const FitProgress takes_away = [&](std::size_t done, std::size_t, double) {
    if (done < 10 || std::exchange(taken, true)) return true;
    fs::remove_all(own_path());
    FitConfig other = config_;
    other.epsilon = 0.5;
    other.force = true;
    static_cast<void>(fit_to_directory(other, problem(), entropy_));
    return true;
  };
  const Error error = error_of(takes_away);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_NE(std::string(error.what()).find("taken away"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("is spent"), std::string::npos) << error.what();
  EXPECT_EQ(nlohmann::json::parse(content("privacy.json")).at("epsilon"), 0.5);
  EXPECT_EQ(last_charge().at("closed").at("ending"), "finished");
}

TEST_F(FitDirectory, a_run_whose_lock_was_taken_away_places_no_draws) {
  const FitProgress takes_away = [&](std::size_t, std::size_t, double) {
    fs::remove(own_path() / "run.lock");
    return true;
  };
  EXPECT_THROW(static_cast<void>(fit_to_directory(config_, problem(), entropy_, takes_away)), Error);
  EXPECT_FALSE(fs::exists(own_path() / "chain_1.csv"));
  EXPECT_EQ(last_charge().at("closed").at("ending"), "failed");
}

TEST_F(FitDirectory, a_run_without_draws_leaves_those_of_an_earlier_one_with_their_statement) {
  static_cast<void>(fit_to_directory(config_, problem(), entropy_));
  const auto all = [&] { return content("chain_1.csv") + content("chain_2.csv") + content("privacy.json"); };
  const std::string draws = all();
  const std::string charges = content("charges.jsonl");
  constexpr const char* kBoth = "Another run has already released into this directory";
  EXPECT_EQ(content("report.html").find(kBoth), std::string::npos);
  const FitProgress stop = [](std::size_t done, std::size_t, double) { return done < 10; };
  EXPECT_THROW(static_cast<void>(fit_to_directory(config_, problem(), entropy_, stop, true)), Error);
  EXPECT_EQ(all(), draws);
  EXPECT_NE(content("report.html").find(kBoth), std::string::npos) << "what both promised";
  EXPECT_TRUE(content("charges.jsonl").starts_with(charges));
  EXPECT_EQ(nlohmann::json::parse(content("failed_privacy.json")).at("rho"),
            last_charge().at("closed").at("rho"));
  static_cast<void>(fit_to_directory(config_, problem(), entropy_, {}, true));
  EXPECT_NE(all(), draws);
  EXPECT_FALSE(fs::exists(own_path() / "failed_privacy.json"));
}

// In the look that its chains begin with, and while they draw.
TEST_F(FitDirectory, a_comparison_can_be_stopped_and_is_left_out_then) {
  config_.compare_not_private = true;
  for (const std::size_t last : {0, 5}) {
    bool paid = false;
    const FitProgress stop_second = [&](std::size_t done, std::size_t total, double) {
      const bool goes_on = !paid || done < last;
      paid = paid || done == total;
      return goes_on;
    };
    const FitOutcome stopped = fit_to_directory(config_, problem(), entropy_, stop_second, true);
    EXPECT_EQ(stopped.ending, StopReason::interrupted);
    EXPECT_EQ(stopped.draws, 20u) << "what was paid for is whole";
    EXPECT_FALSE(stopped.record.comparison);
    EXPECT_FALSE(fs::exists(own_path() / "not_private"));
    EXPECT_EQ(last_charge().at("closed").at("ending"), "finished");
  }
  const FitOutcome compared = fit_to_directory(config_, problem(), entropy_, {}, true);
  EXPECT_TRUE(compared.record.comparison);
  EXPECT_TRUE(fs::exists(own_path() / "not_private" / "report.html"));
}

// The same of what ends the fit beside it, which is not private and holds the rows as they are.
TEST_F(FitDirectory, a_library_is_not_quoted_when_the_comparison_fails) {
  config_.compare_not_private = true;
  bool paid = false;
  const FitProgress fails = [&](std::size_t done, std::size_t total, double) -> bool {
    if (paid) throw std::runtime_error("cell 42");
    paid = done == total;
    return true;
  };
  const Error error = error_of(fails);
  EXPECT_EQ(std::string(error.what()).find("cell"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("is spent"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace sotto
