#include "sotto/release/questions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "sotto/base/error.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

using nlohmann::json;

/// Numbers whose bits are easily lost, or that JSON does not know, among usual ones.
double any_number(ChainRng& rng) {
  const double odd[] = {0.0,
                        -0.0,
                        0.1,
                        -1e300,
                        std::numeric_limits<double>::denorm_min(),
                        0x1.fffffffffffffp-41,
                        kInfinity,
                        -kInfinity,
                        std::numeric_limits<double>::quiet_NaN()};
  const auto pick = static_cast<std::size_t>(rng.uniform() * 16);
  return pick < std::size(odd) ? odd[pick] : std::ldexp(rng.normal(), static_cast<int>(pick) * 4 - 50);
}

std::size_t any_size(ChainRng& rng) { return static_cast<std::size_t>(rng.uniform() * 5); }

template <class T>
void fill(T& value, ChainRng& rng) {
  if constexpr (std::is_same_v<T, double>) {
    value = any_number(rng);
  } else if constexpr (std::is_same_v<T, Rho>) {
    value = Rho(std::abs(rng.normal()));
  } else if constexpr (std::is_same_v<T, HistogramOf>) {
    value = static_cast<HistogramOf>(any_size(rng));
  } else if constexpr (std::is_same_v<T, TotalOf>) {
    value = static_cast<TotalOf>(any_size(rng));
  } else if constexpr (std::is_same_v<T, CurveShape>) {
    value = static_cast<CurveShape>(any_size(rng) % 2);
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(any_size(rng));
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    value = rng.uniform() < 0.5 ? std::nullopt : std::optional(any_number(rng));
  } else if constexpr (std::is_same_v<T, Position>) {
    value.resize(static_cast<Eigen::Index>(any_size(rng)));
    for (double& x : value) x = any_number(rng);
  } else if constexpr (std::is_same_v<T, Matrix>) {
    value.resize(static_cast<Eigen::Index>(any_size(rng)), static_cast<Eigen::Index>(any_size(rng)));
    for (double& x : value.reshaped()) x = any_number(rng);
  } else if constexpr (requires { value.emplace_back(); }) {
    value.resize(any_size(rng));
    for (auto& one : value) fill(one, rng);
  } else {
    T::fields(value, [&](const char*, auto& part) { fill(part, rng); });
  }
}

/// One question of each kind, in the order of Query.
std::vector<Query> questions_of_each_kind(std::uint64_t seed) {
  ChainRng rng(seed, 0x9e5);
  std::vector<Query> all;
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const auto add = [&]<class Asked>(std::type_identity<Asked>) {
      Asked asked = Asked::blank();
      fill(asked, rng);
      all.push_back(std::move(asked));
    };
    (add(std::type_identity<std::variant_alternative_t<k, Query>>()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Query>>());
  return all;
}

std::vector<Query> there_and_back(const std::vector<Query>& questions) {
  return decode_questions(json::parse(encode_questions(questions).dump()));
}

RC_GTEST_PROP(Questions, of_every_kind_arrive, (std::uint64_t seed)) {
  const std::vector<Query> sent = questions_of_each_kind(seed);
  const std::vector<Query> arrived = there_and_back(sent);
  RC_ASSERT(arrived.size() == std::variant_size_v<Query>);
  for (std::size_t i = 0; i < sent.size(); ++i) RC_ASSERT(arrived[i].index() == sent[i].index());
  RC_ASSERT(encode_questions(arrived).dump() == encode_questions(sent).dump());
}

TEST(Questions, arrive_with_every_bit) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<Query> sent{
      RatioQuery{Position{{0.1, -0.0}}, Position{{kInfinity, std::nan("")}}, Rho(1.0 / 3), 0x1.8p-60},
      MomentsQuery{Matrix{{1, 2, 3}, {tiny, -5, 6}}, 7, Rho(kInfinity)},
      HistogramQuery{HistogramOf::absolute_residual, Position{}, Position{{-1, 1}}, Rho(0), -kInfinity}};
  const std::vector<Query> arrived = there_and_back(sent);
  ASSERT_EQ(arrived.size(), 3u);
  const auto& ratio = std::get<RatioQuery>(arrived[0]);
  EXPECT_EQ(ratio.from[0], 0.1);
  EXPECT_TRUE(std::signbit(ratio.from[1]));
  EXPECT_EQ(ratio.to[0], kInfinity);
  EXPECT_TRUE(std::isnan(ratio.to[1]));
  EXPECT_EQ(ratio.cost, Rho(1.0 / 3));
  EXPECT_EQ(ratio.noise_sd, 0x1.8p-60);
  const auto& moments = std::get<MomentsQuery>(arrived[1]);
  EXPECT_EQ(moments.frame, (Matrix{{1, 2, 3}, {tiny, -5, 6}}));
  EXPECT_EQ(moments.bound, 7);
  EXPECT_EQ(moments.cost, Rho(kInfinity));
  const auto& histogram = std::get<HistogramQuery>(arrived[2]);
  EXPECT_EQ(histogram.quantity, HistogramOf::absolute_residual);
  EXPECT_EQ(histogram.at.size(), 0);
  EXPECT_EQ(histogram.split, -kInfinity);
}

template <class T>
void expect_every_field(T value) {
  std::size_t bytes = 0;
  T::fields(value, [&](const char*, const auto& part) { bytes += (sizeof(part) + 7) / 8 * 8; });
  EXPECT_EQ(bytes, sizeof(T)) << typeid(T).name();
}

// Fields stand on whole words. One that were forgotten would arrive as it stands in a blank question, and nothing above would see it.
TEST(Questions, travel_with_every_field) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (expect_every_field(std::variant_alternative_t<k, Query>::blank()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Query>>());
  expect_every_field(BoundedWeighting::blank());
  expect_every_field(Grouping{});
  expect_every_field(ColumnCurve{});
  expect_every_field(Interval{});
}

std::string why_no_question(const json& j) {
  try {
    static_cast<void>(decode_questions(j));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "none";
}

TEST(Questions, that_are_none_are_refused) {
  const json ratio = {"ratio", {{"from", {1.0}}, {"to", {2.0}}, {"cost", 0.1}, {"noise_sd", 0.0}}};
  const json moments = {"moments", {{"frame", {2, 1, {1.0, 2.0}}}, {"bound", 1.0}, {"cost", 0.1}}};
  const json total = {"total", {{"quantity", 5}, {"cost", 0.1}}};
  const json columns = {
      "column histograms",
      {{"columns", {0}}, {"windows", {{{"lower", 0.0}, {"upper", 1.0}}}}, {"bins", 2}, {"cost", 0.1}}};
  for (const json& fine : {ratio, moments, total, columns})
    ASSERT_EQ(why_no_question(json::array({fine})), "none");

  std::vector<json> hostile = {7,
                               "ratio",
                               json::object(),
                               {{"rato", ratio[1]}},
                               {{7, ratio[1]}},
                               {{"ratio"}},
                               {{"ratio", ratio[1], 1}}};
  const auto with = [&](const json& one, const char* field, const json& value) {
    json changed = one;
    changed[1][field] = value;
    hostile.push_back(json::array({changed}));
  };
  with(ratio, "more", 1);
  with(ratio, "cost", -0.1);
  with(ratio, "cost", "nan");
  with(ratio, "cost", "0.1");
  with(ratio, "cost", nullptr);
  with(ratio, "from", 1.0);
  with(ratio, "from", {true});
  with(ratio, "from", {"1"});
  with(ratio, "from", {{1.0}});
  with(moments, "frame", {2, 2, {1.0, 2.0}});
  with(moments, "frame", {-1, -2, {1.0, 2.0}});
  with(moments, "frame", {2.0, 1, {1.0, 2.0}});
  with(moments, "frame", {std::int64_t{1} << 62, 4, json::array()});
  with(moments, "frame", {std::uint64_t{1} << 63, 2, json::array()});
  with(moments, "frame", {2, 1, {1.0, 2.0}, 1});
  with(total, "quantity", 6);
  with(total, "quantity", -1);
  with(total, "quantity", 1.5);
  with(columns, "columns", {-1});
  with(columns, "columns", {0.5});
  with(columns, "columns", {std::numeric_limits<std::uint64_t>::max()});
  with(columns, "windows", {{{"lower", 0.0}}});
  with(columns, "bins", std::uint64_t{1} << 40);
  json missing = ratio;
  missing[1].erase("cost");
  hostile.push_back(json::array({missing}));
  // One sentence, whatever was wrong.
  const std::string sentence = why_no_question(7);
  for (const json& one : hostile) EXPECT_EQ(why_no_question(one), sentence) << one;
}

// Any change of one value of a legal message is a question or is none: nothing else happens.
RC_GTEST_PROP(Questions, that_were_changed_on_the_way_are_questions_or_none, (std::uint64_t seed)) {
  ChainRng rng(seed, 0x9e6);
  json message = encode_questions(questions_of_each_kind(seed));
  json* place = &message;
  while (place->is_structured() && !place->empty() && rng.uniform() < 0.9) {
    auto at = place->begin();
    std::advance(at, static_cast<std::ptrdiff_t>(rng.uniform() * static_cast<double>(place->size())));
    place = &*at;
  }
  const std::vector<json> others = {nullptr,       true,           -1,         1e300, "inf",
                                    json::array(), json::object(), {1, 2, {3}}};
  *place = others[static_cast<std::size_t>(rng.uniform() * static_cast<double>(others.size()))];
  try {
    RC_ASSERT((encode_questions(decode_questions(message)) == message));
  } catch (const Error& error) {
    RC_ASSERT(error.code() == ErrorCode::data);
  }
}

}  // namespace
}  // namespace sotto
