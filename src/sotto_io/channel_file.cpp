#include "sotto_io/channel_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <variant>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/base/text_fault.hpp"
#include "sotto/math/round_up.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

constexpr std::string_view kDescription = ".channel.toml";

constexpr const char* kFormat = "sotto channel 1";
constexpr const char* kShuffled = "shuffled";

// The members of ColumnSettings under their names in files.
using Member = std::variant<double ColumnSettings::*, std::string ColumnSettings::*,
                            long long ColumnSettings::*, int ColumnSettings::*, std::size_t ColumnSettings::*,
                            bool ColumnSettings::*, std::vector<std::string> ColumnSettings::*>;
const std::pair<std::string_view, Member> kMembers[] = {
    {"name", &ColumnSettings::name},           {"channel", &ColumnSettings::channel},
    {"weight", &ColumnSettings::weight},       {"lower", &ColumnSettings::lower},
    {"upper", &ColumnSettings::upper},         {"missing", &ColumnSettings::missing},
    {"levels", &ColumnSettings::levels},       {"steps", &ColumnSettings::steps},
    {"top_level", &ColumnSettings::top_level}, {"printed_scale", &ColumnSettings::printed_scale},
    {"bins", &ColumnSettings::bins},           {"draws", &ColumnSettings::draws}};
constexpr std::string_view kEveryColumn[] = {"name", "channel", "weight"};
constexpr std::string_view kOfRelease[] = {"noise_scale", "epsilon", "delta", "rho", "fingerprint"};

bool contains(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

toml::table parse(const std::filesystem::path& path) {
  if (!std::ifstream(path) || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::no_input, fmt::format("cannot open '{}' for reading", path.string()));
  }
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string text = content.str();
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::data,
                fmt::format("'{}' {}", path.string(), toml_fault(text, error.source().begin.line)));
  }
}

Error wrong(std::string_view key, const char* what) {
  return {ErrorCode::data, fmt::format("'{}' must be {}", key, what)};
}

void read(double& member, std::string_view key, const toml::node& node) {
  const auto value = node.value<double>();
  if (!value) throw wrong(key, "a number");
  member = *value;
}
void read(std::string& member, std::string_view key, const toml::node& node) {
  if (const auto value = node.value<std::string>()) {
    member = *value;
  } else if (const auto number = node.value<double>()) {
    member = fmt::format("{}", *number);
  } else {
    throw wrong(key, "a text");
  }
}
void read(bool& member, std::string_view key, const toml::node& node) {
  if (!node.is_boolean()) throw wrong(key, "true or false");
  member = node.value_or(false);
}
void read(std::vector<std::string>& member, std::string_view key, const toml::node& node) {
  if (!node.is_array()) throw wrong(key, "a list of texts");
  for (const toml::node& level : *node.as_array()) read(member.emplace_back(), key, level);
}
void read(std::integral auto& member, std::string_view key, const toml::node& node) {
  double value = 0;
  read(value, key, node);
  if (!(value >= 0 && value < 0x1p31) || value != std::floor(value)) throw wrong(key, "a whole number");
  member = static_cast<std::decay_t<decltype(member)>>(value);
}
template <class T>
T value_of(const toml::table& table, std::string_view key, T otherwise) {
  if (const toml::node* node = table.get(key)) read(otherwise, key, *node);
  return otherwise;
}

void write(toml::table& table, std::string_view key, const auto& member) {
  using T = std::decay_t<decltype(member)>;
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    table.insert(key, static_cast<std::int64_t>(member));
  } else if constexpr (std::same_as<T, std::vector<std::string>>) {
    toml::array levels;
    for (const std::string& level : member) levels.push_back(level);
    table.insert(key, std::move(levels));
  } else {
    table.insert(key, member);
  }
}

void write(toml::table& table, const Guarantee& promised) {
  table.insert("rho", promised.rho.value());
  if (!std::isfinite(promised.epsilon.value())) return;
  table.insert("epsilon", promised.epsilon.value());
  table.insert("delta", promised.delta.value());
}

Guarantee read_guarantee(const toml::table& table) {
  Guarantee promised;
  if (!table.contains("rho")) throw Error(ErrorCode::data, "'rho' is missing beside a guarantee");
  promised.rho = Rho(value_of(table, "rho", 0.0));
  promised.epsilon = Epsilon(value_of(table, "epsilon", promised.epsilon.value()));
  promised.delta = Delta(value_of(table, "delta", 0.0));
  return promised;
}

toml::table to_table(const Column& column) {
  const ColumnSettings& s = column.settings;
  toml::table table{
      {"name", s.name},
      {"channel", s.channel},
      {"noise_scale", std::visit([](const auto& c) { return c.noise_scale(); }, column.channel)}};
  write(table, guarantee(column.channel));
  for (const auto& [key, member] : kMembers)
    if (contains(channel_row(s.channel).keys, key))
      std::visit([&, name = key](auto of) { write(table, name, s.*of); }, member);
  return table;
}

ColumnSettings settings_of(const toml::table& table) {
  ColumnSettings s;
  s.channel = value_of(table, "channel", s.channel);
  const ChannelRow& row = channel_row(s.channel);
  for (const auto& [key, node] : table) {
    const std::string_view name = key.str();
    if (contains(kOfRelease, name)) continue;
    const auto known = std::find_if(std::begin(kMembers), std::end(kMembers),
                                    [&](const auto& m) { return m.first == name; });
    if (known == std::end(kMembers)) {
      std::vector<std::string> keys;
      for (const auto& member : kMembers) keys.emplace_back(member.first);
      throw Error(ErrorCode::data, fmt::format("unknown key '{}' in a [[column]] table{}; known are {}", name,
                                               suggestion(name, keys), fmt::join(keys, ", ")));
    }
    if (!contains(kEveryColumn, name) && !contains(row.keys, name))
      throw Error(ErrorCode::data, fmt::format("the channel {} has no '{}': leave it out", s.channel, name));
    std::visit([&, &node = node](auto member) { read(s.*member, name, node); }, known->second);
  }
  if (s.name.empty()) throw Error(ErrorCode::data, "every [[column]] needs a name");
  for (const char* needed : {"lower", "upper", "levels"})
    if (contains(row.keys, needed) && !table.contains(needed))
      throw Error(ErrorCode::data, fmt::format("the column '{}' needs '{}'", s.name, needed));
  return s;
}

const toml::array& tables_of(const toml::table& document, std::string_view name) {
  const toml::array* tables = document[name].as_array();
  if (tables == nullptr || tables->empty() || !tables->is_homogeneous(toml::node_type::table)) {
    throw Error(ErrorCode::data, fmt::format("a [[{}]] table is missing", name));
  }
  return *tables;
}

Column column_of(const toml::table& table, std::size_t rows) {
  PrivacyTarget target;
  if (table.contains("epsilon")) {
    target.epsilon = Epsilon(value_of(table, "epsilon", 0.0));
    target.delta = Delta(value_of(table, "delta", 0.0));
  } else {
    target.rho = Rho(value_of(table, "rho", -1.0));
  }
  Column column = make_column(settings_of(table), target, rows);
  const double expected = std::visit([](const auto& c) { return c.noise_scale(); }, column.channel);
  if (!(std::abs(value_of(table, "noise_scale", -1.0) - expected) <= 1e-6 * std::abs(expected))) {
    throw Error(ErrorCode::data, "its noise_scale does not belong to its guarantee");
  }
  return column;
}

/// What is promised of all columns together is not less than what they cost by themselves: their epsilons and deltas add up, and where a
/// column has a rho alone, so do all of these.
void check_total(const ChannelFile& file) {
  constexpr double kRounding = 1 + 1e-9;
  double rho = 0;
  double epsilon = 0;
  double delta = 0;
  for (const Column& column : file.columns) {
    const Guarantee own = guarantee(column.channel);
    rho += own.rho.value();
    epsilon += own.epsilon.value();
    delta += own.delta.value();
  }
  const Guarantee& total = file.total;
  const bool adds_up = std::isfinite(epsilon);
  const bool has_epsilon = std::isfinite(total.epsilon.value());
  bool enough = rho <= total.rho.value() * kRounding;
  if (has_epsilon && adds_up)
    enough =
        enough && epsilon <= total.epsilon.value() * kRounding && delta <= total.delta.value() * kRounding;
  if (has_epsilon && !adds_up)
    enough = enough && total.delta.value() > 0 &&
             rho <= gaussian_rho(total.epsilon, total.delta).value() * kRounding;
  if (!enough) throw Error(ErrorCode::data, "its columns cost more than it promises of all of them together");
}

std::vector<ColumnSettings> settings_in(const toml::table& document) {
  std::vector<ColumnSettings> settings;
  for (const toml::node& node : tables_of(document, "column")) {
    for (const std::string_view reserved : kOfRelease)
      if (node.as_table()->contains(reserved))
        throw Error(ErrorCode::data,
                    fmt::format("'{}' is not a column's own: the budget is split by weight", reserved));
    settings.push_back(settings_of(*node.as_table()));
  }
  return settings;
}

}  // namespace

std::filesystem::path channel_file_beside(std::filesystem::path released) { return released += kDescription; }

bool is_of_release(const std::filesystem::path& file) {
  return std::filesystem::exists(channel_file_beside(file)) ||
         (file.filename().string().ends_with(kDescription) && std::filesystem::exists(file));
}

Guarantee with_earlier(const ChannelFile& file) {
  double epsilon = file.total.epsilon.value();
  double delta = file.total.delta.value();
  double rho = file.total.rho.value();
  for (const Guarantee& release : file.earlier) {
    epsilon = add_exactly_up(epsilon, release.epsilon.value());
    delta = add_exactly_up(delta, release.delta.value());
    rho = add_exactly_up(rho, release.rho.value());
  }
  return {Epsilon(epsilon), Delta(std::min(delta, 1.0)), Rho(rho)};
}

std::string illegal_cells(const Column& column) {
  const ColumnSettings& s = column.settings;
  if (channel_row(s.channel).categories)
    return fmt::format("{}: text that is none of the levels, if there was any, counts as {}.", s.name,
                       s.levels.front());
  return fmt::format(
      "{}: cells without a number, if there were any, count as {:g}, values beyond {:g} and {:g} as "
      "the bound.",
      s.name, missing_value(s), s.lower, s.upper);
}

std::string in_words(const Guarantee& promised) {
  if (!std::isfinite(promised.epsilon.value()))
    return fmt::format("rho {} (zero-concentrated)", format_upwards(promised.rho.value()));
  return fmt::format("epsilon {}, delta {}", format_upwards(promised.epsilon.value()),
                     format_upwards(promised.delta.value()));
}

std::string channel_file_text(const ChannelFile& file) {
  toml::table document{{"format", kFormat},          {"rows", static_cast<std::int64_t>(file.rows)},
                       {"private", file.is_private}, {"noise_source", file.noise_source},
                       {"adjacency", "substitute"},  {"privacy_unit", "one row"}};
  write(document, file.total);
  if (file.shuffled) document.insert("row_order", kShuffled);
  if (!file.earlier.empty()) {
    toml::array earlier;
    for (const Guarantee& release : file.earlier) write(earlier.emplace_back(toml::table{}), release);
    document.insert("earlier", std::move(earlier));
    toml::table sum;
    write(sum, with_earlier(file));
    document.insert("with_earlier", std::move(sum));
  }
  toml::array columns;
  for (const Column& column : file.columns) {
    toml::table table = to_table(column);
    const auto found = file.fingerprints.find(column.settings.name);
    if (found != file.fingerprints.end()) table.insert("fingerprint", found->second);
    columns.push_back(std::move(table));
  }
  document.insert("column", std::move(columns));
  std::ostringstream text;
  text << "# How the columns beside this file were privatised. Public: nothing here comes from a row's "
          "values.\n"
       << document << '\n';
  return text.str();
}

void write_channel_file(const std::filesystem::path& path, const ChannelFile& file) {
  write_whole_file(path, channel_file_text(file));
}

ChannelFile read_channel_file(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw Error(
        ErrorCode::no_input,
        fmt::format("there is no {}, the description of the noise: sotto privatize writes it beside the "
                    "values that it releases, as VALUES.channel.toml; if it lies elsewhere, name it by "
                    "--channel-file",
                    path.string()));
  }
  const toml::table document = parse(path);
  try {
    if (document["format"].value_or<std::string>("") != kFormat)
      throw Error(ErrorCode::data, fmt::format("the line format = \"{}\" is missing", kFormat));
    ChannelFile file;
    const double rows = value_of(document, "rows", 0.0);
    if (!(rows >= 1 && rows <= 0x1p40)) throw Error(ErrorCode::data, "'rows' must be a number >= 1");
    file.rows = static_cast<std::size_t>(rows);
    file.is_private = document["private"].value_or(false);
    file.noise_source = value_of(document, "noise_source", std::string());
    file.shuffled = document["row_order"].value_or<std::string>("") == kShuffled;
    file.total = read_guarantee(document);
    if (document.contains("earlier")) {
      for (const toml::node& node : tables_of(document, "earlier"))
        file.earlier.push_back(read_guarantee(*node.as_table()));
    }
    for (const toml::node& node : tables_of(document, "column")) {
      const toml::table& table = *node.as_table();
      file.columns.push_back(column_of(table, file.rows));
      const std::string fingerprint = value_of(table, "fingerprint", std::string());
      if (!fingerprint.empty()) file.fingerprints[file.columns.back().settings.name] = fingerprint;
    }
    check_total(file);
    return file;
  } catch (const Error& error) {
    throw Error(ErrorCode::data,
                fmt::format("'{}' is not a usable channel description: {}", path.string(), error.what()));
  }
}

std::vector<ColumnSettings> read_column_settings(const std::filesystem::path& path) {
  const toml::table document = parse(path);
  try {
    return settings_in(document);
  } catch (const Error& error) {
    throw Error(ErrorCode::configuration, fmt::format("'{}': {}", path.string(), error.what()));
  }
}

std::vector<ColumnSettings> parse_column_settings(const std::string& toml) {
  try {
    return settings_in(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::configuration, "the columns: " + toml_fault(toml, error.source().begin.line));
  } catch (const Error& error) {
    throw Error(ErrorCode::configuration, error.what());
  }
}

}  // namespace sotto
