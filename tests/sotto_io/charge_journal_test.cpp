#include "sotto_io/charge_journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <optional>
#include <sstream>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/run/fit.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/on_flush.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class Journal : public testing::Test {
 protected:
  fs::path folder_ = own_path();
  fs::path file_ = folder_ / "new" / "charges.jsonl";
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::istringstream text(read_whole_file(file_));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

// After every booking the disk holds at least what was spent; few lines even for many releases.
TEST_F(Journal, the_disk_is_never_behind) {
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  EXPECT_FALSE(fs::exists(file_));  // what costs nothing leaves nothing
  double rho = 0;
  for (int i = 1; i <= 3000; ++i) {
    const Charge charge{"gradient", "discrete Gaussian", Rho(1e-5 * (1 + i % 3)), 1e-12};
    rho += charge.rho.value();
    journal.book({charge});
    if (i < 40 || i % 500 == 0) {
      const auto last = lines().back().at("booked");
      EXPECT_GE(last.at("count").get<int>(), i);
      EXPECT_GE(last.at("rho").get<double>(), rho);
      EXPECT_GE(last.at("slack").get<double>(), i * 1e-12);
      if (i <= 16) {
        EXPECT_EQ(last.at("count").get<int>(), i);
      }
    }
  }
  EXPECT_EQ(lines().front().at("opened").at("epsilon"), 1.0);
  EXPECT_LT(lines().size(), 40u);
}

// The file itself is locked: whatever lies beside it may be cleaned away while a run is at work.
TEST_F(Journal, is_one_processes_at_a_time) {
  const Charge charge{"gradient", "discrete Gaussian", Rho(1e-5), 0};
  const auto is_refused = [&](const auto& open) {
    try {
      open();
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cannot_create);
      EXPECT_THAT(error.what(), testing::HasSubstr("wait for its end; nothing was released"));
      return true;
    }
  };
  std::optional<ChargeJournal> late;
  late.emplace(file_, nlohmann::ordered_json{{"epsilon", 1.0}});
  {
    ChargeJournal first(file_, {{"epsilon", 2.0}});
    first.book({charge});
    EXPECT_TRUE(is_refused([&] { ChargeJournal(file_, {{"epsilon", 3.0}}); }));
    EXPECT_TRUE(is_refused([&] { late->book({charge}); }));
  }
  EXPECT_TRUE(is_refused([&] { late->book({charge}); })) << "nobody has read what stands there now";
  late.reset();
  ChargeJournal next(file_, {{"epsilon", 4.0}});
  next.book({charge});
  ASSERT_EQ(lines().size(), 4u);
  EXPECT_EQ(lines()[0].at("opened").at("epsilon"), 2.0);
  EXPECT_EQ(lines()[2].at("opened").at("epsilon"), 4.0);
}

TEST_F(Journal, only_promises_to_the_same_unit_add_up) {
  fs::create_directories(file_.parent_path());
  const nlohmann::ordered_json promise{{"adjacency", "substitute"}, {"privacy_unit", "one row"}};
  const std::string mine =
      R"({"opened":{"epsilon":1.5,"delta":1e-7,"adjacency":"substitute","privacy_unit":"one row"}})"
      "\n";
  write_whole_file(file_, mine + mine + R"({"booked":{}})" + "\n{\"op");
  const EarlierRuns two = read_earlier_runs(file_, promise);
  EXPECT_EQ(two.count, 2u);
  EXPECT_NEAR(two.epsilon, 3, 1e-9);
  EXPECT_GE(two.epsilon, 3);
  EXPECT_NEAR(two.delta, 2e-7, 1e-16);
  for (const char* other :
       {R"({"opened":{"epsilon":1,"delta":1e-7,"adjacency":"add-remove","privacy_unit":"one row"}})",
        R"({"opened":{"epsilon":1,"delta":1e-7,"adjacency":"substitute","privacy_unit":"one person"}})",
        R"({"opened":{"epsilon":"1","delta":1e-7,"adjacency":"substitute","privacy_unit":"one row"}})",
        R"({"opened":{"epsilon":-1,"delta":1e-7,"adjacency":"substitute","privacy_unit":"one row"}})",
        R"({"opened":{"epsilon":1,"adjacency":"substitute","privacy_unit":"one row"}})",
        R"({"opened":{"epsilon":1,"delta":1e-7}})", R"({"opened":7})"}) {
    write_whole_file(file_, mine + other + "\n");
    const EarlierRuns runs = read_earlier_runs(file_, promise);
    EXPECT_EQ(runs.count, 2u) << other;
    EXPECT_TRUE(std::isinf(runs.epsilon) && std::isinf(runs.delta)) << other;
  }
}

// A tenth is no double: added to the nearest, ten of them are less than one.
TEST_F(Journal, promises_do_not_add_up_to_less_than_they_are) {
  fs::create_directories(file_.parent_path());
  std::string lines;
  for (int run = 0; run < 10; ++run)
    lines += R"({"opened":{"epsilon":0.1,"delta":0.1,"adjacency":"substitute","privacy_unit":"one row"}})"
             "\n";
  write_whole_file(file_, lines);
  const EarlierRuns all = promised_together(read_charge_record(file_));
  EXPECT_EQ(all.count, 10u);
  EXPECT_GE(all.epsilon, 1);
  EXPECT_GE(all.delta, 1);
  EXPECT_LT(all.epsilon, 1 + 1e-9);
}

// A patient of several hospitals changes rows of several of the units that a record by hospital protects.
TEST_F(Journal, persons_told_apart_by_another_column_are_another_unit) {
  const auto opened = [](const std::string& unit, const std::string& more) {
    return R"({"opened":{"epsilon":1,"delta":1e-7,"adjacency":"substitute","privacy_unit":")" + unit + "\"" +
           more + "}}\n";
  };
  const std::string unit = "one person (at most 3 rows)";
  const std::string patients = opened(unit, R"(,"person":"id","maximum_rows":3)");
  const std::string hospitals = opened(unit, R"(,"person":"hosp","maximum_rows":3)");
  const std::string more_rows = opened("one person (at most 4 rows)", R"(,"person":"id","maximum_rows":4)");
  const std::string of_owner = opened(unit + " of one owner's table", R"(,"person":"id","maximum_rows":3)");
  const std::string unnamed = opened(unit, "");
  const std::string rows = opened("one row", "");
  fs::create_directories(file_.parent_path());
  const auto together = [&](const std::string& lines) {
    write_whole_file(file_, lines);
    return promised_together(read_charge_record(file_)).epsilon;
  };
  for (const std::string& same : {patients, hospitals, rows}) {
    EXPECT_NEAR(together(same + same), 2, 1e-9) << same;
    EXPECT_EQ(promised_together(read_charge_record(file_)).count, 2u);
  }
  EXPECT_NEAR(together(patients + more_rows), 2, 1e-9)
      << "a person's rows beyond those used are protected too";
  for (const std::string& others :
       {patients + hospitals, hospitals + patients, patients + of_owner, rows + patients, patients + unnamed,
        unnamed + patients, unnamed + unnamed})
    EXPECT_TRUE(std::isinf(together(others))) << others;
  EXPECT_NEAR(together(unnamed), 1, 1e-9) << "alone a run promises what it says";
  EXPECT_EQ(promised_together({}).epsilon, 0);
}

// One run that ended, one that was killed, and one whose end stands beside another's.
TEST_F(Journal, is_read_back_run_by_run) {
  EXPECT_TRUE(read_charge_record(file_).empty());
  const Charge dear{"gradient", "discrete Gaussian", Rho(1e-3), 1e-12};
  const Charge cheap{"number of rows", "discrete Gaussian", Rho(1e-5), 1e-13};
  const auto run = [&](double epsilon, bool ends) {
    ChargeJournal journal(file_, {{"epsilon", epsilon}});
    journal.book({dear});
    journal.book({cheap});
    journal.book({dear});
    PrivacyStatement statement;
    statement.is_private = true;
    statement.spent_epsilon = epsilon / 2;
    if (ends) journal.close(statement, "finished");
  };
  run(1, true);
  run(2, false);
  run(3, true);
  std::vector<RecordedRun> runs = read_charge_record(file_);
  ASSERT_EQ(runs.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(runs[i].opened.at("epsilon"), i + 1.0);
    ASSERT_EQ(runs[i].booked.size(), 2u);
    EXPECT_EQ(runs[i].booked[0].at("query"), "gradient");
    EXPECT_EQ(runs[i].booked[0].at("count"), 2);
    EXPECT_EQ(runs[i].booked[1].at("count"), 1);
  }
  EXPECT_EQ(runs[0].closed.at("spent_epsilon"), 0.5);
  EXPECT_TRUE(runs[1].closed.is_null());
  EXPECT_EQ(runs[2].closed.at("ending"), "finished");
  write_whole_file(file_, read_whole_file(file_) + R"({"closed":{"spent_epsilon":9}})" + "\n" +
                              R"({"booked":7})" + "\n" + R"({"closed":{"spent_)");
  runs = read_charge_record(file_);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_TRUE(runs[2].closed.is_null()) << "whose end it is cannot be told";
  EXPECT_EQ(runs[2].booked.size(), 2u);
}

// As of a killed run nothing else stands there: a line replaces one of its own kind alone.
TEST_F(Journal, one_query_by_two_mechanisms_is_two_kinds_of_releases) {
  {
    ChargeJournal killed(file_, {{"epsilon", 1.0}});
    killed.book({Charge{"gradient", "discrete Gaussian", Rho(1e-3), 1e-12}});
    killed.book({Charge{"gradient", "subsampled", Rho(1e-4), 1e-12}});
    killed.book({Charge{"gradient", "subsampled", Rho(1e-4), 1e-12}});
  }
  const std::vector<RecordedRun> runs = read_charge_record(file_);
  ASSERT_EQ(runs.size(), 1u);
  ASSERT_EQ(runs[0].booked.size(), 2u);
  EXPECT_EQ(runs[0].booked[0].at("mechanism"), "discrete Gaussian");
  EXPECT_EQ(runs[0].booked[0].at("count"), 1);
  EXPECT_EQ(runs[0].booked[1].at("mechanism"), "subsampled");
  EXPECT_EQ(runs[0].booked[1].at("count"), 2);
}

TEST_F(Journal, a_damaged_line_leaves_no_figure) {
  const nlohmann::ordered_json promise{{"epsilon", 1.0},
                                       {"delta", 1e-6},
                                       {"adjacency", "substitute"},
                                       {"privacy_unit", "one row of the table"}};
  for (int run = 0; run < 3; ++run) {
    ChargeJournal journal(file_, promise);
    journal.book({Charge{"gradient", "discrete Gaussian", Rho(1e-3), 1e-12}});
    journal.close({}, "finished");
  }
  const std::string whole = read_whole_file(file_);
  EXPECT_NEAR(read_earlier_runs(file_, promise).epsilon, 3, 1e-9);
  std::vector<std::string> lines;
  std::istringstream text(whole);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 9u);
  const auto epsilon_without_end_of = [&](std::size_t damaged) {
    std::string written;
    for (std::size_t i = 0; i < lines.size(); ++i)
      written += (i == damaged ? lines[i].substr(0, lines[i].size() - 1) : lines[i]) + "\n";
    write_whole_file(file_, written);
    return read_earlier_runs(file_, promise).epsilon;
  };
  for (const std::size_t promised : {0U, 3U, 6U})
    EXPECT_TRUE(std::isinf(epsilon_without_end_of(promised))) << promised;
  for (const std::size_t booked : {1U, 4U, 7U})
    EXPECT_TRUE(std::isinf(epsilon_without_end_of(booked))) << booked;
  std::string block = lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n";
  for (const std::size_t lost : {3U, 4U, 5U}) block += lines[lost].substr(1) + "\n";
  write_whole_file(file_, block + lines[6] + "\n");
  EXPECT_TRUE(std::isinf(read_earlier_runs(file_, promise).epsilon)) << "all lines of a run";
  // As a run leaves it that was killed while it wrote, whose promise stands before.
  for (const std::size_t last : {2U, 5U, 8U}) EXPECT_NEAR(epsilon_without_end_of(last), 3, 1e-9) << last;
}

TEST_F(Journal, a_torn_line_stays_a_line_of_its_own) {
  fs::create_directories(file_.parent_path());
  write_whole_file(file_, "{\"opened\":{}}\n{\"booked\":{\"que");
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  journal.book({Charge{"gradient", "discrete Gaussian", Rho(1e-5), 1e-12}});
  std::istringstream text(read_whole_file(file_));
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(nlohmann::json::parse(all[2]).at("opened").at("epsilon"), 1.0);
}

// A line that covers more releases than were made covers their cost too, however dear the later ones are.
TEST_F(Journal, the_disk_is_not_behind_when_releases_get_dearer) {
  for (const bool slack : {false, true}) {
    fs::remove_all(folder_);
    ChargeJournal journal(file_, {{"epsilon", 1.0}});
    double spent = 0;
    for (int i = 1; i <= 60; ++i) {
      const double cost = i < 18 ? 1e-6 : 1e-4;
      spent += cost;
      journal.book({slack ? Charge{"gradient", "discrete Gaussian", Rho(1e-9), cost}
                          : Charge{"gradient", "discrete Gaussian", Rho(cost), 1e-12}});
      EXPECT_GE(lines().back().at("booked").at(slack ? "slack" : "rho").get<double>(), spent) << i;
    }
  }
}

TEST_F(Journal, a_composition_is_booked_as_one) {
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  Budget budget(Epsilon(1), Delta(1e-6), [&](const Booking& booking) { journal.book(booking); });
  ASSERT_TRUE(budget.precompose({"batch gradient", "subsampled", Rho(2), 1e-12}, 5000, Epsilon(0.7)));
  const auto booked = lines().back().at("booked");
  EXPECT_EQ(booked.at("count"), 5000);
  EXPECT_GE(booked.at("composed_epsilon").get<double>(), 0.7);
  EXPECT_LE(booked.at("composed_epsilon").get<double>(), 1);
  EXPECT_GE(booked.at("slack").get<double>(), 5000 * 1e-12);
  EXPECT_LE(booked.at("slack").get<double>(), 5001 * 1e-12);
}

// A device keeps nothing, and a link may lead to one.
TEST_F(Journal, is_a_file_and_no_link) {
  const Charge charge{"gradient", "discrete Gaussian", Rho(1e-5), 1e-12};
  fs::create_directories(file_.parent_path());
  write_whole_file(folder_ / "elsewhere", "");
  for (const fs::path& target : {fs::path("/dev/null"), folder_ / "elsewhere"}) {
    fs::create_symlink(target, file_);
    ChargeJournal journal(file_, {{"epsilon", 1.0}});
    EXPECT_THROW(journal.book({charge}), Error) << target;
    fs::remove(file_);
  }
  EXPECT_EQ(read_whole_file(folder_ / "elsewhere"), "");
  ChargeJournal nowhere("/dev/null", {{"epsilon", 1.0}});
  EXPECT_THROW(nowhere.book({charge}), Error);
}

/// A full disk.
class NoFileGrows {
 public:
  NoFileGrows() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~NoFileGrows() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }
  NoFileGrows(const NoFileGrows&) = delete;
  NoFileGrows& operator=(const NoFileGrows&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST_F(Journal, a_line_that_cannot_be_written_keeps_the_receipt_back) {
  const NoFileGrows full;
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  Budget budget(Epsilon(1), Delta(1e-6), [&](const Booking& booking) { journal.book(booking); });
  EXPECT_THROW((void)budget.spend({"gradient", "discrete Gaussian", Rho(1e-5), 1e-12}), Error);
  EXPECT_EQ(budget.spent().value() > 0, true) << "charged and never refunded";
}

// What stands elsewhere is no record: the next receipt is kept back, also where its line is on the disk already.
TEST_F(Journal, a_record_that_was_taken_away_keeps_the_receipt_back) {
  for (const bool moved : {true, false}) {
    fs::remove_all(folder_);
    ChargeJournal journal(file_, {{"epsilon", 1.0}});
    const Booking booking{{"gradient", "discrete Gaussian", Rho(1e-5), 1e-12}};
    for (int i = 0; i < 20; ++i) journal.book(booking);  // some ahead
    if (moved) {
      fs::rename(file_.parent_path(), folder_ / "elsewhere");
    } else {
      fs::remove(file_);
    }
    EXPECT_THROW(journal.book(booking), Error);
    EXPECT_TRUE(journal.failed());
    EXPECT_THROW(journal.close({}, "finished"), Error);
    EXPECT_FALSE(fs::exists(file_));
  }
}

// The next run refuses a link, and where it leads tomorrow nobody knows.
TEST_F(Journal, a_link_to_the_record_in_its_place_keeps_the_receipt_back) {
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  const Booking booking{{"gradient", "discrete Gaussian", Rho(1e-5), 1e-12}};
  journal.book(booking);
  fs::rename(file_, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", file_);
  EXPECT_FALSE(journal.is_in_place());
  EXPECT_THROW(journal.book(booking), Error);
  EXPECT_TRUE(journal.failed());
}

/// Tells whether noise was asked for.
class WatchedEntropy final : public EntropySource {
 public:
  std::size_t drawn = 0;
  std::uint64_t bits() override {
    ++drawn;
    return 0x9e3779b97f4a7c15 * drawn;
  }
  [[nodiscard]] std::string name() const override { return "a counter"; }
  [[nodiscard]] bool is_private() const override { return false; }
};

// No method draws noise before the line of what it pays for is on the disk.
TEST_F(Journal, comes_before_the_noise) {
  for (const char* method :
       {"release-once", "penalty", "hmc", "barker", "sgld", "penalty-subsampled", "barker-subsampled"}) {
    const FitConfig config = parse_fit_config(
        "", {"data.file=x", "data.schema=x", "model.formula=\"mdvis > 0 ~ disea\"", "privacy.epsilon=3",
             "privacy.delta=1e-6", std::string("method.name=\"") + method + "\"", "method.draws=3",
             "method.warmup=3"});
    const Schema schema = read_schema(SOTTO_DATA "/randhie.schema.toml");
    const Table table = read_table(SOTTO_DATA "/randhie.csv", schema.select(columns_read(config.model)));
    WatchedEntropy entropy;
    const auto refuse = [&](const Booking&) {
      EXPECT_EQ(entropy.drawn, 0u) << method;
      throw Error(ErrorCode::io, "no disk");
    };
    EXPECT_THROW((void)fit(config, make_problem(config, table), entropy, {}, refuse), Error) << method;
    EXPECT_EQ(entropy.drawn, 0u) << method;
  }
}

// A new file is found again after a loss of power only when its folder has been flushed too, before the first line of a charge.
TEST_F(Journal, its_name_is_on_the_disk_before_the_first_charge) {
  bool named = false;
  std::size_t lines_when_named = 0;
  on_flush = [&](int file) {
    struct stat about {};
    ::fstat(file, &about);
    if (!S_ISDIR(about.st_mode) || !fs::exists(file_) || named) return;
    named = true;
    lines_when_named = lines().size();
  };
  ChargeJournal journal(file_, {{"epsilon", 1.0}});
  journal.book({Charge{"gradient", "discrete Gaussian", Rho(1e-5), 1e-12}});
  on_flush = nullptr;
  EXPECT_TRUE(named);
  EXPECT_EQ(lines_when_named, 1u);
}

}  // namespace
}  // namespace sotto
