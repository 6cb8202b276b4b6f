#include "sotto_io/channel_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "entropy/seeded_entropy.hpp"
#include "sotto/privatise/privatise.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/privatised_file.hpp"
#include "sotto_io/release_fingerprint.hpp"
#include "sotto_io/table_records.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

class ChannelFiles : public testing::Test {
 protected:
  std::filesystem::path directory_ = own_path();
  void SetUp() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_ / name, std::ios::binary) << content;
    return directory_ / name;
  }
  [[nodiscard]] static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // Replaces the first occurrence.
  [[nodiscard]] std::filesystem::path altered(const std::filesystem::path& path, const std::string& from,
                                              const std::string& to) const {
    std::string content = read(path);
    const std::size_t at = content.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return write("altered.toml", content.replace(at, from.size(), to));
  }
};

ErrorCode code_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::internal;
}

ColumnSettings column(const std::string& channel) {
  ColumnSettings s;
  s.name = "y, \"it\"";
  s.channel = channel;
  s.lower = -1.25;
  s.upper = 3.25;
  s.levels = {"no", "yes, often"};
  return s;
}

ChannelFile file_of(const ColumnSettings& settings, const PrivacyTarget& target, std::size_t rows) {
  const ColumnPlan plan = plan_columns({settings}, target, rows);
  return {plan.columns, plan.total, rows, "test", false};
}

TEST_F(ChannelFiles, every_channel_survives_the_disk) {
  const std::vector<std::vector<std::string>> cells{{"0.5", "no", "yes, often", "2", "-9", ""}};
  for (const char* channel : {"laplace", "gaussian", "wavelet", "randomized-response", "perturbed-histogram",
                              "smoothed-histogram"}) {
    for (const bool by_rho : {false, true}) {
      PrivacyTarget target;
      if (by_rho) {
        target.rho = Rho(0.7);
      } else {
        target.epsilon = Epsilon(1.3);
        target.delta = Delta(1e-5);
      }
      const ChannelFile file = file_of(column(channel), target, 6);
      SeededEntropy entropy(91);
      Privatiser privatiser({file.columns, file.total}, entropy);
      const auto released = privatiser.release(cells);
      write_channel_file(directory_ / "z.toml", file);
      write_privatised(directory_ / "z.csv", file, released);
      write_privatised(directory_ / "z.parquet", file, released);

      const ChannelFile back = read_channel_file(directory_ / "z.toml");
      ASSERT_EQ(back.columns.size(), 1u);
      EXPECT_EQ(back.columns[0].channel.index(), file.columns[0].channel.index());
      EXPECT_EQ(back.rows, 6u);
      EXPECT_EQ(back.total.epsilon, file.total.epsilon);
      EXPECT_EQ(back.total.delta, file.total.delta);
      EXPECT_EQ(back.total.rho, file.total.rho);
      EXPECT_FALSE(back.is_private);
      for (const char* name : {"z.csv", "z.parquet"}) {
        const PrivatisedColumn values = read_privatised(directory_ / name, back, back.columns[0]);
        EXPECT_EQ(values.values, released.value()[0].values) << channel << ' ' << name;
        EXPECT_EQ(values.width, released.value()[0].width);
      }
    }
  }
}

TEST_F(ChannelFiles, of_several_releases_everything_adds_up) {
  ChannelFile file = file_of(column("gaussian"), {Epsilon(1), Delta(1e-6), std::nullopt}, 3);
  const Guarantee total = file.total;
  file.earlier = {total, total};
  const Guarantee all = with_earlier(file);
  EXPECT_GE(all.epsilon.value(), 3 * total.epsilon.value());
  EXPECT_NEAR(all.delta.value(), 3 * total.delta.value(), 1e-12);
  EXPECT_GE(all.delta.value(), 3 * total.delta.value() * (1 - 1e-15));
  EXPECT_NEAR(all.rho.value(), 3 * total.rho.value(), 1e-12);
}

// A hand that lowers what is promised, or takes a line away, is not believed.
TEST_F(ChannelFiles, columns_cost_no_more_than_all_of_them_together) {
  for (const auto& [channel, target] :
       {std::pair{"laplace", PrivacyTarget{Epsilon(20), std::nullopt, std::nullopt}},
        std::pair{"gaussian", PrivacyTarget{Epsilon(20), Delta(1e-6), std::nullopt}}}) {
    write_channel_file(directory_ / "z.toml", file_of(column(channel), target, 3));
    EXPECT_NO_THROW((void)read_channel_file(directory_ / "z.toml"));
    for (const auto& [from, to] :
         {std::pair{"epsilon = 20.0", "epsilon = 0.01"}, std::pair{"rho = ", "rho = 1e-9 # "}})
      EXPECT_EQ(code_of([&, from = from, to = to] {
                  (void)read_channel_file(altered(directory_ / "z.toml", from, to));
                }),
                ErrorCode::data)
          << channel << ' ' << to;
    EXPECT_EQ(code_of([&] { (void)read_channel_file(altered(directory_ / "z.toml", "rho = ", "# ")); }),
              ErrorCode::data);
  }
  EXPECT_EQ(
      code_of([&] { (void)read_channel_file(altered(directory_ / "z.toml", "delta = ", "delta = 0.0 # ")); }),
      ErrorCode::data);
  // Several Gaussian columns are composed by their rho, others by addition.
  ColumnSettings first = column("gaussian");
  ColumnSettings second = first;
  second.name = "other";
  for (const char* channel : {"gaussian", "laplace"}) {
    second.channel = channel;
    const ColumnPlan plan = plan_columns({first, second}, {Epsilon(2), Delta(1e-6), std::nullopt}, 3);
    write_channel_file(directory_ / "z.toml", ChannelFile{plan.columns, plan.total, 3, "test", false});
    EXPECT_NO_THROW((void)read_channel_file(directory_ / "z.toml")) << channel;
    EXPECT_EQ(code_of([&] {
                (void)read_channel_file(altered(directory_ / "z.toml", "\nepsilon = 2.0", "\nepsilon = 1.5"));
              }),
              ErrorCode::data)
        << channel;
  }
}

TEST_F(ChannelFiles, that_do_not_say_private_are_not) {
  ChannelFile file = file_of(column("laplace"), {Epsilon(1), std::nullopt, std::nullopt}, 3);
  file.is_private = true;
  write_channel_file(directory_ / "z.toml", file);
  EXPECT_TRUE(read_channel_file(directory_ / "z.toml").is_private);
  EXPECT_FALSE(
      read_channel_file(altered(directory_ / "z.toml", "private = true", "other = true")).is_private);
  EXPECT_FALSE(
      read_channel_file(altered(directory_ / "z.toml", "private = true", "private = 'yes'")).is_private);
}

TEST_F(ChannelFiles, bad_descriptions_are_refused) {
  const ChannelFile file = file_of(column("laplace"), {Epsilon(1), std::nullopt, std::nullopt}, 3);
  write_channel_file(directory_ / "z.toml", file);
  EXPECT_NO_THROW((void)read_channel_file(altered(directory_ / "z.toml", "rows = 3", "rows = 4")));
  const std::pair<const char*, const char*> alterations[] = {
      {"rows = 3", "rows = 0"},           {"rows = 3", "rows = 'many'"}, {"upper = 3.25", "upper = 33.0"},
      {"lower = -1.25", "lower = nan"},   {"'laplace'", "'gaussian'"},   {"'laplace'", "'unknown'"},
      {"sotto channel 1", "other"},       {"[[column]]", "[[columns]]"}, {"steps = 1048576", "steps = 1.5"},
      {"missing = 'middle'", "spare = 1"}};
  for (const auto& [from, to] : alterations) {
    const std::filesystem::path path = altered(directory_ / "z.toml", from, to);
    EXPECT_EQ(code_of([&] { (void)read_channel_file(path); }), ErrorCode::data) << from << " -> " << to;
  }
  EXPECT_EQ(code_of([&] { (void)read_channel_file(directory_ / "absent.toml"); }), ErrorCode::no_input);
  EXPECT_EQ(code_of([&] { (void)read_channel_file(write("n.toml", "not toml [")); }), ErrorCode::data);
  EXPECT_EQ(code_of([&] { (void)read_channel_file(write("e.toml", "")); }), ErrorCode::data);
}

// Whoever takes the noise off does so by the file's own word: noise of another size than the guarantee's is no release of it.
TEST_F(ChannelFiles, noise_of_another_size_is_refused) {
  for (const char* channel : {"laplace", "gaussian", "wavelet", "randomized-response", "perturbed-histogram",
                              "smoothed-histogram"}) {
    PrivacyTarget target{Epsilon(1.3), Delta(1e-5), std::nullopt};
    const ChannelFile file = file_of(column(channel), target, 6);
    write_channel_file(directory_ / "z.toml", file);
    const std::string content = read(directory_ / "z.toml");
    const std::string key = "noise_scale = ";
    const std::size_t at = content.find(key) + key.size();
    const std::string scale = content.substr(at, content.find('\n', at) - at);
    for (const double factor : {0.0, 0.9, 0.999, 1.001, 1.1, -1.0}) {
      const std::string other = std::to_string(std::stod(scale) * factor);
      const std::filesystem::path path = altered(directory_ / "z.toml", key + scale, key + other);
      EXPECT_EQ(code_of([&] { (void)read_channel_file(path); }), ErrorCode::data) << channel << " " << factor;
    }
    EXPECT_NO_THROW((void)read_channel_file(directory_ / "z.toml"));
  }
}

TEST_F(ChannelFiles, values_of_another_channel_are_refused) {
  const ChannelFile file = file_of(column("laplace"), {Epsilon(1), std::nullopt, std::nullopt}, 2);
  const Column& laplace = file.columns[0];
  const auto refusal = [&](const std::string& content) {
    const std::filesystem::path path = write("z.csv", content);
    return code_of([&] { (void)read_privatised(path, file, laplace); });
  };
  EXPECT_EQ(refusal("\"y, \"\"it\"\"\"\n-1.25\nnan\n"), ErrorCode::data);
  EXPECT_EQ(refusal("\"y, \"\"it\"\"\"\n-1.25\ninf\n"), ErrorCode::data);
  EXPECT_EQ(refusal("\"y, \"\"it\"\"\"\n-1.25\n\n"), ErrorCode::data);
  EXPECT_EQ(refusal("\"y, \"\"it\"\"\"\n-1.25\n"), ErrorCode::data);            // a row is missing
  EXPECT_EQ(refusal("\"y, \"\"it\"\"\"\n-1.25\n0.123456\n"), ErrorCode::data);  // off the grid
  EXPECT_EQ(refusal("x\n-1.25\n3.25\n"), ErrorCode::data);
  EXPECT_EQ(refusal(""), ErrorCode::data);
  const std::filesystem::path good = write("z.csv", "\"y, \"\"it\"\"\"\n-1.25\n3.25\n");
  EXPECT_NO_THROW((void)read_privatised(good, file, laplace));
  const ChannelFile categories =
      file_of(column("randomized-response"), {Epsilon(1), std::nullopt, std::nullopt}, 1);
  const std::filesystem::path unknown = write("c.csv", "\"y, \"\"it\"\"\"\nmaybe\n");
  EXPECT_EQ(code_of([&] { (void)read_privatised(unknown, categories, categories.columns[0]); }),
            ErrorCode::data);
}

// Same bounds and grid, other noise or other rows: only the fingerprint can tell.
TEST_F(ChannelFiles, another_release_of_the_same_column_is_refused) {
  const std::vector<std::vector<std::string>> cells{{"0.5", "no", "yes, often", "2", "-9", ""}};
  for (const char* channel : {"laplace", "gaussian", "wavelet", "randomized-response", "perturbed-histogram",
                              "smoothed-histogram"}) {
    ChannelFile file = file_of(column(channel), {std::nullopt, std::nullopt, Rho(0.7)}, 6);
    SeededEntropy entropy(92);
    const auto release = [&] {
      Privatiser privatiser({file.columns, file.total}, entropy);
      return privatiser.release(cells);
    };
    const auto mine = release();
    const auto other = release();
    file.fingerprints[file.columns[0].settings.name] = release_fingerprint(file.columns[0], mine.value()[0]);
    write_channel_file(directory_ / "z.toml", file);
    const ChannelFile back = read_channel_file(directory_ / "z.toml");
    write_privatised(directory_ / "mine.csv", file, mine);
    write_privatised(directory_ / "other.csv", file, other);
    EXPECT_NO_THROW((void)read_privatised(directory_ / "mine.csv", back, back.columns[0])) << channel;
    EXPECT_EQ(code_of([&] { (void)read_privatised(directory_ / "other.csv", back, back.columns[0]); }),
              ErrorCode::data)
        << channel;
  }
}

TEST_F(ChannelFiles, settings_for_many_columns) {
  const auto path = write("columns.toml",
                          "[[column]]\nname = 'a'\nlower = 0\nupper = 5\nweight = 2\nmissing = 1.5\n"
                          "[[column]]\nname = 'c'\nchannel = 'randomized-response'\nlevels = ['x', 'y']\n");
  const std::vector<ColumnSettings> settings = read_column_settings(path);
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[0].upper, 5);
  EXPECT_EQ(settings[0].weight, 2);
  EXPECT_EQ(missing_value(settings[0]), 1.5);
  EXPECT_EQ(settings[1].levels, (std::vector<std::string>{"x", "y"}));
  for (const char* bad : {"[[column]]\nname = 'a'\nepsilon = 1\n", "[[column]]\nlower = 0\n",
                          "[[column]]\nname = 'a'\nuper = 0\n", "x = 1\n"}) {
    EXPECT_EQ(code_of([&] { (void)read_column_settings(write("bad.toml", bad)); }), ErrorCode::configuration)
        << bad;
  }
}

// A blank line is a record of one empty cell; one with too few or too many cells has none.
TEST_F(ChannelFiles, csv_is_read_as_written) {
  const auto path =
      write("a.csv",
            "\xef\xbb\xbf"
            "a,\"b,\"\"c\",d\r\n1,\"two \"\"words\"\"\",3\r\n\r\n4\n\"5,5\",,6\n7,\"1\n2\",8\n");
  const auto cells = read_csv_cells(path, {"d", "a", "b,\"c"});
  EXPECT_EQ(cells[0], (std::vector<std::string>{"3", "", "", "6", "8"}));
  EXPECT_EQ(cells[1], (std::vector<std::string>{"1", "", "", "5,5", "7"}));
  EXPECT_EQ(cells[2], (std::vector<std::string>{"two \"words\"", "", "", "", "1\n2"}));
  EXPECT_EQ(read_column_names(path)[1], "b,\"c");
  EXPECT_EQ(code_of([&] { (void)read_csv_cells(path, {"zz"}); }), ErrorCode::data);
  EXPECT_EQ(code_of([&] { (void)read_csv_cells(directory_, {"zz"}); }), ErrorCode::no_input);
}

}  // namespace
}  // namespace sotto
