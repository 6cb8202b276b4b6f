#include "sotto/release/questions.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using nlohmann::json;

[[noreturn]] void no_question() {
  throw Error(ErrorCode::data, "this is no question: ask with the same version of the program");
}

/// More than any question's vectors and matrices have; fewer than would fill a memory.
constexpr std::size_t kMostNumbers = std::size_t{1} << 20;
constexpr std::size_t kMostQuestions = std::size_t{1} << 12;

template <class T>
inline constexpr bool is_field_list = false;
template <class T>
inline constexpr bool is_field_list<std::vector<T>> = true;

json number_to(double x) {
  if (std::isfinite(x)) return x;
  if (std::isnan(x)) return "nan";
  return x > 0 ? "inf" : "-inf";
}

double number_from(const json& j) {
  if (j.is_number()) return j.get<double>();
  if (j == "inf") return kInfinity;
  if (j == "-inf") return -kInfinity;
  if (j == "nan") return std::numeric_limits<double>::quiet_NaN();
  no_question();
}

template <class T>
json field_to(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return number_to(value);
  } else if constexpr (std::is_same_v<T, Rho>) {
    return number_to(value.value());
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value ? number_to(*value) : json(nullptr);
  } else if constexpr (std::is_same_v<T, Position>) {
    json all = json::array();
    for (const double x : value) all.push_back(number_to(x));
    return all;
  } else if constexpr (std::is_same_v<T, Matrix>) {
    json all = json::array();
    for (const double x : value.reshaped()) all.push_back(number_to(x));
    return {value.rows(), value.cols(), std::move(all)};
  } else if constexpr (is_field_list<T>) {
    json all = json::array();
    for (const auto& one : value) all.push_back(field_to(one));
    return all;
  } else {
    json all = json::object();
    T::fields(value, [&](const char* field, const auto& part) { all[field] = field_to(part); });
    return all;
  }
}

std::int64_t whole_from(const json& j, std::int64_t most) {
  if (!j.is_number_integer()) no_question();
  if (j.is_number_unsigned() && j.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) no_question();
  const auto whole = j.get<std::int64_t>();
  if (whole < 0 || whole > most) no_question();
  return whole;
}

/// The last of each list of choices.
template <class Choice>
constexpr Choice kLastChoice = Choice{};
template <>
constexpr HistogramOf kLastChoice<HistogramOf> = HistogramOf::unit_rows;
template <>
constexpr CurveShape kLastChoice<CurveShape> = CurveShape::levelling;
template <>
constexpr TotalOf kLastChoice<TotalOf> = TotalOf::last_piece;

Position numbers_from(const json& j) {
  if (!j.is_array() || j.size() > kMostNumbers) no_question();
  Position numbers(static_cast<Eigen::Index>(j.size()));
  for (std::size_t i = 0; i < j.size(); ++i) numbers[static_cast<Eigen::Index>(i)] = number_from(j[i]);
  return numbers;
}

template <class T>
void fields_from(const json& j, T& value);

template <class T>
void field_from(const json& j, T& value) {
  if constexpr (std::is_same_v<T, double>) {
    value = number_from(j);
  } else if constexpr (std::is_same_v<T, Rho>) {
    const double cost = number_from(j);
    if (!(cost >= 0)) no_question();
    value = Rho(cost);
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(whole_from(j, static_cast<int>(kLastChoice<T>)));
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(whole_from(j, static_cast<std::int64_t>(kMostNumbers)));
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    value.reset();
    if (!j.is_null()) value = number_from(j);
  } else if constexpr (std::is_same_v<T, Position>) {
    value = numbers_from(j);
  } else if constexpr (std::is_same_v<T, Matrix>) {
    if (!j.is_array() || j.size() != 3) no_question();
    const std::int64_t rows = whole_from(j[0], static_cast<std::int64_t>(kMostNumbers));
    const std::int64_t columns = whole_from(j[1], static_cast<std::int64_t>(kMostNumbers));
    const Position entries = numbers_from(j[2]);
    if (rows * columns != entries.size()) no_question();
    value = Eigen::Map<const Matrix>(entries.data(), rows, columns);
  } else if constexpr (is_field_list<T>) {
    if (!j.is_array() || j.size() > kMostNumbers) no_question();
    value.clear();
    for (const json& one : j) field_from(one, value.emplace_back());
  } else {
    fields_from(j, value);
  }
}

template <class T>
void fields_from(const json& j, T& value) {
  if (!j.is_object()) no_question();
  std::size_t fields = 0;
  T::fields(value, [&](const char* field, auto& part) {
    const auto found = j.find(field);
    if (found == j.end()) no_question();
    field_from(*found, part);
    ++fields;
  });
  if (fields != j.size()) no_question();
}

Query question_from(const json& j) {
  if (!j.is_array() || j.size() != 2 || !j[0].is_string()) no_question();
  const auto name = j[0].get<std::string>();
  std::optional<Query> read;
  const auto read_as = [&]<class Asked>(std::type_identity<Asked>) {
    if (read || name != Asked::name) return;
    Asked asked = Asked::blank();
    fields_from(j[1], asked);
    read = std::move(asked);
  };
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (read_as(std::type_identity<std::variant_alternative_t<k, Query>>()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Query>>());
  if (!read) no_question();
  return *std::move(read);
}

}  // namespace

json encode_questions(std::span<const Query> questions) {
  json all = json::array();
  for (const Query& question : questions) {
    all.push_back(std::visit(
        []<class Asked>(const Asked& asked) {
          return json::array({std::string(Asked::name), field_to(asked)});
        },
        question));
  }
  return all;
}

std::vector<Query> decode_questions(const json& j) {
  if (!j.is_array() || j.size() > kMostQuestions) no_question();
  std::vector<Query> questions;
  for (const json& one : j) questions.push_back(question_from(one));
  return questions;
}

}  // namespace sotto
