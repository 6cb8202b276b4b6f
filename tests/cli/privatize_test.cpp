#include <sysexits.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sotto_io/channel_file.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/privatised_file.hpp"
#include "sotto_io/run_lock.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {
namespace {

class Privatize : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    std::string rows = "id,bmi,smoker\n";
    for (int i = 0; i < 40; ++i)
      rows += "person" + std::to_string(i) + "," + std::to_string(18 + i % 20) + ",yes\n";
    write("s.csv", rows + "odd,NaN,unknown\nshort\n");
  }
};

TEST_F(Privatize, writes_values_and_description) {
  const Outcome run =
      sotto("privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out z.csv --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report["rows"], 42);
  EXPECT_EQ(report["epsilon"], 2.0);
  EXPECT_EQ(report["private"], true);
  const ChannelFile file = read_channel_file(folder_ / "z.csv.channel.toml");
  EXPECT_TRUE(file.is_private);
  EXPECT_EQ(read_privatised(folder_ / "z.csv", file, file.columns.at(0)).values.size(), 42u);
  // Nothing but the declared column leaves, and that is said.
  EXPECT_EQ(file_content(folder_ / "z.csv").find("person"), std::string::npos);
  const Outcome said = sotto("privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out z2.csv");
  EXPECT_NE(said.out.find("which holds bmi and no other column"), std::string::npos) << said.out;
}

TEST_F(Privatize, a_parquet_file_holds_what_a_csv_file_would) {
  write("columns.toml",
        "[[column]]\nname = 'bmi'\nlower = 10\nupper = 60\n"
        "[[column]]\nname = 'smoker'\nchannel = 'randomized-response'\nlevels = ['no', 'yes']\n");
  const Outcome run = sotto("privatize s.csv --columns columns.toml --epsilon 2 --out z.parquet");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_column_names(folder_ / "z.parquet"), (std::vector<std::string>{"bmi", "smoker"}));
  const ChannelFile file = read_channel_file(folder_ / "z.parquet.channel.toml");
  const auto columns = read_privatised(records_of(folder_ / "z.parquet"), file, file.columns);
  EXPECT_EQ(columns.at(0).values.size(), 42u);
  EXPECT_EQ(columns.at(1).values.size(), 42u);
  EXPECT_EQ(file_content(folder_ / "z.parquet").find("person"), std::string::npos);
  const Outcome density =
      sotto("density z.parquet --column smoker --warmup 50 --draws 50 --thin 1 --out estimate");
  EXPECT_EQ(density.status, 0) << density.err;
  // It is a release like any other.
  EXPECT_EQ(sotto("privatize s.csv --columns columns.toml --epsilon 2 --out z.parquet").status, EX_CANTCREAT);
}

TEST_F(Privatize, rows_are_shuffled_unless_asked_not_to) {
  std::string sorted = "y\n";
  for (int i = 0; i < 60; ++i) sorted += std::to_string(i) + "\n";
  write("sorted.csv", sorted);
  const std::string call = "privatize sorted.csv --column y --lower 0 --upper 60 --epsilon 1e5 --out z.csv";
  const auto values = [&] {
    const ChannelFile file = read_channel_file(folder_ / "z.csv.channel.toml");
    return read_privatised(folder_ / "z.csv", file, file.columns.at(0)).values;
  };
  ASSERT_EQ(sotto(call).status, 0);
  const std::vector<double> shuffled = values();
  EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  const Outcome kept = sotto(call + " --keep-order --overwrite");
  ASSERT_EQ(kept.status, 0) << kept.err;
  EXPECT_NE(kept.err.find("keep their order"), std::string::npos);
  const std::vector<double> in_order = values();
  EXPECT_TRUE(std::is_sorted(in_order.begin(), in_order.end()));
}

TEST_F(Privatize, two_runs_at_a_time_make_one_release) {
  const std::string call = "privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out z.csv";
  {
    const RunLock other = RunLock::beside(folder_ / "z.csv");
    const Outcome run = sotto(call);
    EXPECT_EQ(run.status, EX_CANTCREAT);
    EXPECT_NE(run.err.find("z.csv is being written by another run"), std::string::npos) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "z.csv.channel.toml"));
  }
  EXPECT_EQ(sotto(call).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "z.csv.lock"));
}

TEST_F(Privatize, noise_differs_from_run_to_run) {
  ASSERT_EQ(sotto("privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out a.csv").status, 0);
  ASSERT_EQ(sotto("privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out b.csv").status, 0);
  EXPECT_NE(file_content(folder_ / "a.csv"), file_content(folder_ / "b.csv"));
  const auto without_fingerprint = [&](const char* name) {
    const std::string text = file_content(folder_ / name);
    const std::size_t at = text.find("fingerprint");
    EXPECT_NE(at, std::string::npos);
    return text.substr(0, at) + text.substr(text.find('\n', at));
  };
  EXPECT_EQ(without_fingerprint("a.csv.channel.toml"), without_fingerprint("b.csv.channel.toml"));
}

TEST_F(Privatize, a_promise_that_protects_little_is_told) {
  const std::string call = "privatize s.csv --column bmi --lower 10 --upper 60 --out z.csv --overwrite ";
  EXPECT_NE(sotto(call + "--epsilon 30").err.find("Epsilon 30 promises next to nothing"), std::string::npos);
  EXPECT_EQ(sotto(call + "--epsilon 2").err.find("promises"), std::string::npos);
  EXPECT_EQ(sotto(call + "--channel gaussian --rho 0.1").err.find("promises"), std::string::npos);
  EXPECT_NE(sotto(call + "--channel gaussian --rho 1e9").err.find("promises next to nothing"),
            std::string::npos);
}

// A histogram has no rows that could stand in another order.
TEST_F(Privatize, that_rows_were_shuffled_is_told_where_there_are_rows) {
  const std::string call =
      "privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out z.csv --overwrite ";
  EXPECT_NE(sotto(call).out.find("rows were shuffled"), std::string::npos);
  EXPECT_NE(content("z.csv.channel.toml").find("row_order = 'shuffled'"), std::string::npos);
  for (const char* other : {"--keep-order", "--channel perturbed-histogram"}) {
    EXPECT_EQ(sotto(call + other).out.find("rows were shuffled"), std::string::npos) << other;
    EXPECT_EQ(content("z.csv.channel.toml").find("row_order"), std::string::npos) << other;
  }
}

TEST_F(Privatize, how_much_noise_is_told) {
  const auto told = [&](const std::string& options) {
    return sotto("privatize s.csv --out z.csv --overwrite " + options).out;
  };
  const std::string bmi = "--column bmi --lower 10 --upper 60 --channel ";
  EXPECT_NE(told(bmi + "laplace --epsilon 2").find("standard deviation 35.4, 0.71 times the width"),
            std::string::npos);
  EXPECT_NE(told(bmi + "gaussian --rho 0.5").find("standard deviation 50, 1 times the width"),
            std::string::npos);
  EXPECT_NE(told(bmi + "perturbed-histogram --bins 5 --epsilon 2")
                .find("5 bins of width 10, each with Laplace noise of standard deviation 1.41"),
            std::string::npos);
  EXPECT_NE(told(bmi + "smoothed-histogram --bins 5 --draws 8 --epsilon 2")
                .find("8 draws from a histogram of 5 bins of width 10"),
            std::string::npos);
  EXPECT_NE(told(bmi + "wavelet --top-level 0 --epsilon 2").find("standard deviation 1.41 on each"),
            std::string::npos);
  EXPECT_NE(told("--column smoker --channel randomized-response --levels no,yes --epsilon 1.0986123")
                .find("told with probability 0.75, any other with 0.25"),
            std::string::npos);
}

TEST_F(Privatize, splits_a_budget_over_columns) {
  write("columns.toml",
        "[[column]]\nname = 'bmi'\nchannel = 'gaussian'\nlower = 10\nupper = 60\nweight = 3\n"
        "[[column]]\nname = 'smoker'\nchannel = 'randomized-response'\nlevels = ['no', 'yes']\n");
  const Outcome run =
      sotto("privatize s.csv --columns columns.toml --epsilon 4 --delta 1e-6 --out z.csv --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto columns = nlohmann::json::parse(run.out)["columns"];
  EXPECT_NEAR(columns[0]["epsilon"], 3, 1e-9);
  EXPECT_NEAR(columns[1]["epsilon"], 1, 1e-9);
  EXPECT_EQ(read_column_names(folder_ / "z.csv"), (std::vector<std::string>{"bmi", "smoker"}));
  write("columns.toml", "[[column]]\nname = 'bmi'\nlower = 10\nupper = 60\n");
  const Outcome no_delta =
      sotto("privatize s.csv --columns columns.toml --epsilon 4 --delta 1e-6 --out y.csv");
  EXPECT_EQ(no_delta.status, EX_USAGE);
  EXPECT_NE(no_delta.err.find("needs no delta"), std::string::npos);
}

TEST_F(Privatize, errors_say_what_to_change_and_nothing_of_rows) {
  write("empty.csv", "");
  write("no_rows.csv", "bmi\n");
  write("unused.toml", "[[column]]\nname = 'bmi'\nlower = 0\nupper = 60\nbins = 7\n");
  const std::pair<const char*, int> calls[] = {
      {"s.csv --column height --lower 0 --upper 1 --epsilon 1", EX_DATAERR},
      {"empty.csv --column bmi --lower 0 --upper 1 --epsilon 1", EX_DATAERR},
      {"no_rows.csv --column bmi --lower 0 --upper 1 --epsilon 1", EX_DATAERR},
      {"absent.csv --column bmi --lower 0 --upper 1 --epsilon 1", EX_NOINPUT},
      {"s.csv --column bmi --lower 1 --upper 1 --epsilon 1", EX_CONFIG},
      {"s.csv --column bmi --epsilon 1", EX_CONFIG},
      {"s.csv --column bmi --lower 0 --upper 1", EX_CONFIG},
      {"s.csv --column bmi --lower 0 --upper 1 --epsilon 0", EX_CONFIG},
      {"s.csv --column bmi --lower 0 --upper 1 --epsilon nan", EX_CONFIG},
      {"s.csv --column bmi --channel gaussian --lower 0 --upper 1 --epsilon 1", EX_CONFIG},
      {"s.csv --column bmi --channel gaussian --lower 0 --upper 1 --epsilon 1 --delta 0.1", EX_CONFIG},
      {"s.csv --column bmi --channel other --lower 0 --upper 1 --epsilon 1", EX_USAGE},
      {"s.csv --column bmi --lower 0 --upper 1 --epsilon 1 --rho 1", EX_USAGE},
      {"s.csv --lower 0 --upper 1 --epsilon 1", EX_USAGE},
      {"s.csv --column bmi --upper 60 --epsilon 1", EX_CONFIG},
      {"s.csv --column bmi --lower 0 --upper 60 --epsilon 1 --bins 7", EX_USAGE},
      {"s.csv --column bmi --lower 0 --upper 60 --epsilon 1 --levels a,b", EX_USAGE},
      {"s.csv --column bmi --lower 0 --upper 60 --epsilon 1 --delta 1e-6", EX_USAGE},
      {"s.csv --column bmi --channel wavelet --lower 0 --upper 60 --epsilon 1 --draws 7", EX_USAGE},
      {"s.csv --column smoker --channel randomized-response --epsilon 1", EX_CONFIG},
      {"s.csv --column smoker --channel randomized-response --levels no,yes --lower 0 --epsilon 1", EX_USAGE},
      {"s.csv --columns unused.toml --epsilon 1", EX_CONFIG},
      {"s.csv --columns unused.toml --lower 0 --epsilon 1", EX_USAGE},
  };
  for (const auto& [arguments, status] : calls) {
    const Outcome run = sotto(std::string("privatize ") + arguments + " --out z.csv");
    EXPECT_EQ(run.status, status) << arguments << "\n" << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(run.out.empty());
    EXPECT_FALSE(std::filesystem::exists(folder_ / "z.csv")) << arguments;
  }
  const Outcome nowhere =
      sotto("privatize s.csv --column bmi --lower 0 --upper 1 --epsilon 1 --out missing/z.csv");
  EXPECT_EQ(nowhere.status, EX_CANTCREAT);
}

// Whatever cells hold, the same is said: neither an error nor a count tells of rows.
TEST_F(Privatize, nothing_that_is_said_depends_on_cells) {
  write("numbers.csv", "y\n1\n2\n3\n");
  write("texts.csv", "y\nmany\n\nNaN\n");
  const std::string numbers = " --column y --lower 0 --upper 60 --epsilon 1 --out z.csv";
  const std::string categories =
      " --column y --channel randomized-response --levels 1,2 --epsilon 1 --out z.csv";
  for (const std::string& options : {numbers, categories}) {
    std::filesystem::remove(folder_ / "z.csv");
    std::filesystem::remove(folder_ / "z.csv.channel.toml");
    const Outcome of_numbers = sotto("privatize numbers.csv" + options);
    std::filesystem::remove(folder_ / "z.csv");
    std::filesystem::remove(folder_ / "z.csv.channel.toml");
    const Outcome of_texts = sotto("privatize texts.csv" + options);
    ASSERT_EQ(of_numbers.status, 0) << of_numbers.err;
    EXPECT_EQ(of_texts.status, 0) << of_texts.err;
    EXPECT_EQ(of_texts.out, of_numbers.out);
    EXPECT_EQ(of_texts.err, of_numbers.err);
    EXPECT_NE(of_texts.out.find("schema --check"), std::string::npos) << of_texts.out;
  }
}

// Nobody knows the law of noise on noise.
TEST_F(Privatize, what_was_released_is_no_confidential_table) {
  ASSERT_EQ(sotto("privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out z.csv").status, 0);
  const Outcome run = sotto("privatize z.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out zz.csv");
  EXPECT_EQ(run.status, EX_USAGE);
  EXPECT_NE(run.err.find("z.csv is a release already"), std::string::npos) << run.err;
}

TEST_F(Privatize, an_order_that_is_kept_is_a_condition_of_the_promise) {
  const std::string call = "privatize s.csv --column bmi --lower 10 --upper 60 --epsilon 2 --out ";
  EXPECT_EQ(sotto(call + "a.csv").out.find("if the order of the rows"), std::string::npos);
  EXPECT_NE(
      sotto(call + "b.csv --keep-order").out.find("delta 0, if the order of the rows tells nothing of them"),
      std::string::npos);
  for (const bool kept : {false, true}) {
    ASSERT_EQ(
        sotto(std::string("density ") + (kept ? "b" : "a") + ".csv --chains 1 --warmup 10 --draws 10 --out d")
            .status,
        0);
    EXPECT_EQ(content("d/report.html").find("Rows stand in the order of the table") != std::string::npos,
              kept);
  }
}

// Each would be paid for and could not be read.
TEST_F(Privatize, releases_that_nobody_could_read_are_refused_before_they_are_paid_for) {
  const Outcome wide =
      sotto("privatize s.csv --column bmi --lower -8e307 --upper 8e307 --epsilon 1 --out z.csv");
  EXPECT_EQ(wide.status, EX_CONFIG) << wide.err;
  write("t.csv", "a,a.0.0\n1,2\n3,4\n");
  write("columns.toml",
        "[[column]]\nname = 'a'\nchannel = 'wavelet'\nlower = 0\nupper = 10\n"
        "[[column]]\nname = 'a.0.0'\nlower = 0\nupper = 10\n");
  const Outcome twice = sotto("privatize t.csv --columns columns.toml --epsilon 1 --out z.csv");
  EXPECT_EQ(twice.status, EX_CONFIG);
  EXPECT_NE(twice.err.find("would have the name 'a.0.0'"), std::string::npos) << twice.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "z.csv.channel.toml"));
}

TEST_F(Privatize, one_row_is_enough) {
  write("one.csv", "y\n0.5\n");
  EXPECT_EQ(sotto("privatize one.csv --column y --lower 0 --upper 1 --rho 0.1 --channel gaussian --out z.csv")
                .status,
            0);
}

}  // namespace
}  // namespace sotto
