// The books of a served table, from one process to the next.
#include "sotto_io/owner_books.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/ledger/budget.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

class OwnerBooksTest : public testing::Test {
 protected:
  std::filesystem::path folder_ = own_path();
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Those that are there, else new ones.
  [[nodiscard]] std::optional<OwnerBooks> books(double epsilon = 1) {
    using enum OwnerBooks::Begin;
    return std::optional<OwnerBooks>(std::in_place, folder_, std::filesystem::exists(file_) ? again : anew,
                                     Epsilon(epsilon), Delta(1e-6), promise_);
  }
  std::filesystem::path file_ = folder_ / "charges.jsonl";
  nlohmann::ordered_json promise_{{"adjacency", "substitute"}, {"privacy_unit", "one row"}};
};

Charge charge_of(double rho) {
  return {.query = "gradient", .mechanism = "discrete Gaussian", .rho = Rho(rho), .slack = 0, .event = {}};
}

TEST_F(OwnerBooksTest, outlive_the_process) {
  const double all = books()->left().value();
  {
    auto first = books();
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(first->spend(charge_of(all / 100)));
    first->close();
  }
  auto second = books();
  EXPECT_NEAR(second->left().value(), all * 0.6, all * 1e-9);
  EXPECT_LE(second->left().value(), all * 0.6);
  EXPECT_FALSE(second->spend(charge_of(all * 0.61)));
  EXPECT_TRUE(second->spend(charge_of(all * 0.5)));
  second->close();
  second.reset();
  EXPECT_NEAR(books()->left().value(), all * 0.1, all * 1e-9);
}

// Two who kept them would spend the same budget, and close each other's lines.
TEST_F(OwnerBooksTest, are_one_processes_though_the_file_of_its_lock_is_gone) {
  (void)books();
  const auto first = books();
  std::filesystem::remove(folder_ / "run.lock");
  try {
    (void)books();
    ADD_FAILURE() << "a second process keeps the same books";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cannot_create);
  }
}

// Without a last line: up to a sixteenth more than it spent, never less.
TEST_F(OwnerBooksTest, of_a_killed_process_cover_what_it_spent) {
  const double all = books()->left().value();
  for (const int count : {3, 100}) {
    std::filesystem::remove_all(folder_);
    {
      auto killed = books();
      for (int i = 0; i < count; ++i) EXPECT_TRUE(killed->spend(charge_of(all / 200)));
    }
    const double taken = all - books()->left().value();
    EXPECT_GE(taken, all / 200 * count * (1 - 1e-12));
    EXPECT_LE(taken, all / 200 * count * (1 + 1.0 / 16 + 1e-9));
    if (count == 3) {
      EXPECT_NEAR(taken, all / 200 * count, 1e-9 * all);
    }
  }
}

// A line of each kind says what all of that kind cost.
TEST_F(OwnerBooksTest, of_a_killed_process_cover_releases_of_every_kind) {
  const double all = books()->left().value();
  {
    auto killed = books();
    Charge other = charge_of(all / 4);
    other.query = "log-likelihood ratio";
    EXPECT_TRUE(killed->spend(charge_of(all / 2)));
    EXPECT_TRUE(killed->spend(other));
  }
  EXPECT_NEAR(books()->left().value(), all / 4, 1e-9 * all);
  EXPECT_LE(books()->left().value(), all / 4);
}

// Slack has a limit of its own, for all processes together, whether they ended by themselves or were killed.
TEST_F(OwnerBooksTest, count_the_slack_of_all_earlier_processes) {
  constexpr double limit = kSlackShare;  // of epsilon 1
  const auto with_slack = [](double slack) {
    Charge charge = charge_of(1e-6);
    charge.slack = slack;
    return charge;
  };
  for (const bool ends : {true, false}) {
    std::filesystem::remove_all(folder_);
    for (const double share : {0.6, 0.1}) {
      auto process = books();
      EXPECT_TRUE(process->spend(with_slack(share * limit)));
      if (ends) process->close();
    }
    auto next = books();
    EXPECT_FALSE(next->spend(with_slack(0.31 * limit))) << (ends ? "ended" : "killed");
    EXPECT_TRUE(next->spend(with_slack(0.29 * limit))) << (ends ? "ended" : "killed");
  }
}

// The next process would not know of it. That there is room for lines again, or the file is back, changes nothing.
TEST_F(OwnerBooksTest, grant_nothing_after_a_line_that_was_not_written) {
  auto first = books();
  const Charge least = charge_of(1e-9);
  EXPECT_TRUE(first->spend(least));
  std::filesystem::rename(file_, folder_ / "elsewhere");
  EXPECT_THROW(static_cast<void>(first->spend(least)), Error);
  std::filesystem::rename(folder_ / "elsewhere", file_);
  EXPECT_FALSE(first->spend(least));
  EXPECT_EQ(first->grants({&least, 1}), std::vector<bool>{false});
}

TEST_F(OwnerBooksTest, of_a_lowered_cap_grant_nothing) {
  {
    auto first = books(1);
    EXPECT_TRUE(first->spend(charge_of(first->left().value() / 2)));
    first->close();
  }
  auto second = books(0.1);
  EXPECT_EQ(second->left(), Rho(0));
  EXPECT_FALSE(second->spend(charge_of(1e-9)));
  const Charge least = charge_of(1e-9);
  EXPECT_EQ(second->grants({&least, 1}), std::vector<bool>{false});
  second.reset();
  EXPECT_GT(books(1)->left().value(), 0);
}

TEST_F(OwnerBooksTest, of_another_unit_are_refused) {
  {
    auto first = books();
    EXPECT_TRUE(first->spend(charge_of(1e-4)));
  }
  const auto refused = [&] {
    try {
      static_cast<void>(books());
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(refused(), ErrorCode::internal);  // none
  promise_["adjacency"] = "add-remove";
  EXPECT_EQ(refused(), ErrorCode::configuration);
  promise_["adjacency"] = "substitute";
  promise_["person"] = "who";
  EXPECT_EQ(refused(), ErrorCode::configuration);
}

TEST_F(OwnerBooksTest, are_one_processs_at_a_time) {
  const auto first = books();
  try {
    static_cast<void>(books());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::cannot_create);
    EXPECT_EQ(std::string(error.what()).find("--out"), std::string::npos);
  }
}

TEST_F(OwnerBooksTest, that_are_damaged_answer_nothing) {
  std::filesystem::create_directories(folder_);
  for (const std::string line : {R"({"booked": {"query": "q", "mechanism": "m", "rho": "x", "slack": 0}})",
                                 R"({"booked": {"query": "q", "mechanism": "m", "slack": 0}})",
                                 R"({"booked": {"query": "q", "mechanism": "m", "rho": -1, "slack": 0}})",
                                 R"({"closed": {"rho": null, "slack": 0}})"}) {
    std::ofstream(file_) << nlohmann::json({{"opened", promise_}}).dump() << "\n" << line << "\n";
    EXPECT_THROW(static_cast<void>(books()), Error) << line;
  }
}

// A line that a killed process left half is the last one, without its end, or stands before the first of the next process. Any other that cannot be
// read was a charge.
TEST_F(OwnerBooksTest, whose_lines_cannot_be_read_answer_nothing) {
  const std::string opened = nlohmann::json({{"opened", promise_}}).dump();
  const std::string booked =
      R"({"booked": {"query": "q", "mechanism": "m", "count": 1, "rho": 1e-3, "slack": 0}})";
  const std::string torn = R"({"booked": {"que)";
  const double all = books()->left().value();
  using Lines = std::vector<std::string>;
  const auto left = [&](const Lines& lines, bool ended = true) {
    std::ofstream file(file_);
    for (std::size_t i = 0; i < lines.size(); ++i)
      file << lines[i] << (ended || i + 1 < lines.size() ? "\n" : "");
    file.close();
    return books()->left().value();
  };
  EXPECT_NEAR(left({opened, booked, torn}, false), all - 1e-3, 1e-9);
  EXPECT_NEAR(left({opened, booked, "{"}, false), all - 1e-3, 1e-9);
  std::string flipped = booked;
  flipped[6] = 'c';  // "bookec"
  for (const bool ended : {true, false})
    EXPECT_THROW(static_cast<void>(left({opened, booked, flipped}, ended)), Error) << ended;
  EXPECT_THROW(static_cast<void>(left({opened, booked, "garbage"}, false)), Error);
  EXPECT_NEAR(left({opened, booked, torn, opened, booked}), all - 2e-3, 1e-9);
  EXPECT_NEAR(left({torn, opened, booked}), all - 1e-3, 1e-9);
  for (const Lines& damaged :
       {Lines{opened, torn, booked}, Lines{opened, booked, torn}, Lines{opened, booked, "garbage"},
        Lines{opened, booked, "garbage", opened}, Lines{booked}, Lines{torn, booked}, Lines{}, Lines{torn},
        Lines{std::string(40, '\0')}, Lines{"{}", booked}, Lines{opened, R"({"spent": {}})", booked},
        Lines{opened, booked, "", booked}}) {
    EXPECT_THROW(static_cast<void>(left(damaged)), Error) << (damaged.empty() ? "" : damaged[0]);
  }
}

TEST_F(OwnerBooksTest, are_begun_once_and_on_request_alone) {
  std::string words;
  const auto code = [&](OwnerBooks::Begin begin) {
    try {
      static_cast<void>(OwnerBooks(folder_, begin, Epsilon(1), Delta(1e-6), promise_));
    } catch (const Error& error) {
      words = error.what();
      return error.code();
    }
    return ErrorCode::internal;  // none
  };
  EXPECT_EQ(code(OwnerBooks::Begin::again), ErrorCode::no_input);
  EXPECT_THAT(words, testing::HasSubstr("begin them with --new-books"));
  EXPECT_EQ(code(OwnerBooks::Begin::anew), ErrorCode::internal);
  EXPECT_EQ(code(OwnerBooks::Begin::anew), ErrorCode::cannot_create);
  EXPECT_EQ(code(OwnerBooks::Begin::again), ErrorCode::internal);
}

}  // namespace
}  // namespace sotto
