#include "sotto_io/channel_file.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <fstream>

#include "sotto_io/csv_cells.hpp"
#include "sotto_io/release_fingerprint.hpp"

namespace sotto {
namespace {

constexpr const char* kFormat = "sotto channel 1";

Error not_a_channel_file(const std::filesystem::path& path, const std::string& what) {
  return {ErrorCode::data, fmt::format("'{}' is not a usable channel description: {}", path.string(), what)};
}

// The spread of the noise, as stored for readers and as a check that the file and the program agree.
double noise_scale(const AnyChannel& channel) {
  return std::visit(
      [](const auto& c) {
        if constexpr (requires { c.scale(); }) {
          return c.scale();
        } else if constexpr (requires { c.mix(); }) {
          return c.mix();
        } else {
          return c.log_density(0, 0);  // randomised response: log odds of the truth
        }
      },
      channel);
}

toml::table to_table(const Column& column) {
  const ColumnSettings& s = column.settings;
  const Guarantee promised = guarantee(column.channel);
  toml::table table{{"name", s.name},
                    {"channel", s.channel},
                    {"rho", promised.rho.value()},
                    {"noise_scale", noise_scale(column.channel)}};
  if (std::isfinite(promised.epsilon.value())) {
    table.insert("epsilon", promised.epsilon.value());
    table.insert("delta", promised.delta.value());
  }
  if (s.channel == "randomized-response") {
    toml::array levels;
    for (const std::string& level : s.levels) levels.push_back(level);
    table.insert("levels", std::move(levels));
    return table;
  }
  table.insert("lower", s.lower);
  table.insert("upper", s.upper);
  table.insert("missing", s.missing);
  if (s.channel == "laplace" || s.channel == "gaussian") table.insert("steps", s.steps);
  if (s.channel == "wavelet") {
    table.insert("top_level", s.top_level);
    table.insert("printed_scale", s.printed_scale);
  }
  if (const auto* smoothed = std::get_if<SmoothedHistogramChannel>(&column.channel)) {
    table.insert("draws", static_cast<std::int64_t>(smoothed->draws()));
  }
  if (s.bins > 0) table.insert("bins", s.bins);
  return table;
}

toml::table parse(const std::filesystem::path& path) {
  if (!std::ifstream(path) || std::filesystem::is_directory(path)) {
    throw Error(ErrorCode::no_input, fmt::format("cannot open '{}' for reading", path.string()));
  }
  try {
    return toml::parse_file(path.string());
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::data, fmt::format("'{}' is not TOML: {} (line {})", path.string(),
                                             std::string(error.description()), error.source().begin.line));
  }
}

double number(const toml::table& table, const char* key, double otherwise) {
  const auto node = table[key];
  if (!node) return otherwise;
  const auto value = node.value<double>();
  if (!value) throw Error(ErrorCode::data, fmt::format("'{}' must be a number", key));
  return *value;
}

std::string text(const toml::table& table, const char* key, const std::string& otherwise) {
  const auto node = table[key];
  if (!node) return otherwise;
  if (const auto value = node.value<std::string>()) return *value;
  if (const auto value = node.value<double>()) return fmt::format("{}", *value);
  throw Error(ErrorCode::data, fmt::format("'{}' must be a text", key));
}

ColumnSettings settings_of(const toml::table& table) {
  static constexpr std::string_view known[] = {
      "name",        "channel", "lower",     "upper",         "weight",     "missing",
      "levels",      "steps",   "top_level", "printed_scale", "bins",       "draws",
      "noise_scale", "epsilon", "delta",     "rho",           "fingerprint"};
  for (const auto& [key, value] : table) {
    if (std::find(std::begin(known), std::end(known), key.str()) == std::end(known)) {
      throw Error(ErrorCode::data,
                  fmt::format("unknown key '{}' in a [[column]] table", std::string(key.str())));
    }
  }
  ColumnSettings s;
  s.name = text(table, "name", "");
  if (s.name.empty()) throw Error(ErrorCode::data, "every [[column]] needs a name");
  s.channel = text(table, "channel", s.channel);
  s.lower = number(table, "lower", 0);
  s.upper = number(table, "upper", 0);
  s.weight = number(table, "weight", 1);
  s.missing = text(table, "missing", s.missing);
  const auto whole = [&](const char* key, double otherwise) {
    const double value = number(table, key, otherwise);
    if (!(value >= 0 && value <= 0x1p31) || value != std::floor(value)) {
      throw Error(ErrorCode::data, fmt::format("'{}' must be a whole number", key));
    }
    return value;
  };
  s.steps = static_cast<long long>(whole("steps", static_cast<double>(s.steps)));
  s.top_level = static_cast<int>(std::min(whole("top_level", s.top_level), 1e6));
  s.bins = static_cast<int>(std::min(whole("bins", 0), 1e9));
  s.draws = static_cast<std::size_t>(whole("draws", 0));
  s.printed_scale = table["printed_scale"].value_or(false);
  if (const toml::array* levels = table["levels"].as_array()) {
    for (const auto& level : *levels) s.levels.push_back(level.value_or<std::string>(""));
  }
  return s;
}

const toml::array& column_tables(const toml::table& document) {
  const toml::array* tables = document["column"].as_array();
  if (tables == nullptr || tables->empty() || !tables->is_homogeneous(toml::node_type::table)) {
    throw Error(ErrorCode::data, "a [[column]] table is missing");
  }
  return *tables;
}

Column column_of(const toml::table& table, std::size_t rows) {
  PrivacyTarget target;
  const double epsilon = number(table, "epsilon", -1);
  if (epsilon >= 0) {
    target.epsilon = Epsilon(epsilon);
    target.delta = Delta(number(table, "delta", 0));
  } else {
    target.rho = Rho(number(table, "rho", -1));
  }
  Column column = make_column(settings_of(table), target, rows);
  const double stored = number(table, "noise_scale", -1);
  const double expected = noise_scale(column.channel);
  if (!(std::abs(stored - expected) <= 1e-6 * std::abs(expected))) {
    throw Error(ErrorCode::data, "its noise_scale does not belong to its guarantee");
  }
  return column;
}

std::ofstream create(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  if (!file) throw Error(ErrorCode::cannot_create, fmt::format("cannot create '{}'", path.string()));
  return file;
}

void finish(std::ofstream& file, const std::filesystem::path& path) {
  file.flush();
  if (!file) throw Error(ErrorCode::io, fmt::format("writing '{}' failed", path.string()));
}

// Beyond it a release has probability below e^-1000.
Interval reach(const Column& column, std::size_t rows) {
  const auto around = [](const Interval& domain, double margin) {
    return Interval{domain.lower - margin, domain.upper + margin};
  };
  if (const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel))
    return around(laplace->domain(), 1000 * laplace->scale());
  if (const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel))
    return around(gaussian->domain(), 45 * gaussian->scale());
  if (const auto* haar = std::get_if<HaarChannel>(&column.channel))
    return around({0, 0}, std::exp2(haar->top_level() / 2.0) + 1000 * haar->scale());
  if (const auto* perturbed = std::get_if<PerturbedHistogramChannel>(&column.channel))
    return around({0, static_cast<double>(rows)}, 1000 * perturbed->scale());
  return {-HUGE_VAL, HUGE_VAL};
}

double released_number(const std::string& cell) {
  const double value = decode_number(cell, std::nan(""));
  if (!std::isfinite(value))
    throw Error(ErrorCode::data, "a released column holds a cell that is not a finite number");
  return value;
}

}  // namespace

std::vector<std::string> stored_names(const Column& column) {
  const std::string& name = column.settings.name;
  if (std::holds_alternative<PerturbedHistogramChannel>(column.channel))
    return {"bin_lower", "bin_upper", "count"};
  const auto* haar = std::get_if<HaarChannel>(&column.channel);
  if (haar == nullptr) return {name};
  std::vector<std::string> names;
  for (int j = 0; j <= haar->top_level(); ++j) {
    for (int k = 0; k < 1 << j; ++k) names.push_back(fmt::format("{}.{}.{}", name, j, k));
  }
  return names;
}

void write_channel_file(const std::filesystem::path& path, const ChannelFile& file) {
  toml::table document{{"format", kFormat},
                       {"rows", static_cast<std::int64_t>(file.rows)},
                       {"private", file.is_private},
                       {"noise_source", file.noise_source},
                       {"adjacency", "substitute"},
                       {"privacy_unit", "one row"},
                       {"rho", file.total.rho.value()}};
  if (std::isfinite(file.total.epsilon.value())) {
    document.insert("epsilon", file.total.epsilon.value());
    document.insert("delta", file.total.delta.value());
  }
  toml::array columns;
  for (const Column& column : file.columns) {
    toml::table table = to_table(column);
    const auto found = file.fingerprints.find(column.settings.name);
    if (found != file.fingerprints.end()) table.insert("fingerprint", found->second);
    columns.push_back(std::move(table));
  }
  document.insert("column", std::move(columns));
  std::ofstream out = create(path);
  out << "# How the columns beside this file were privatised. Public: nothing here comes from a row's "
         "values.\n"
      << document << '\n';
  finish(out, path);
}

ChannelFile read_channel_file(const std::filesystem::path& path) {
  const toml::table document = parse(path);
  if (document["format"].value_or<std::string>("") != kFormat) {
    throw not_a_channel_file(path, fmt::format("the line format = \"{}\" is missing", kFormat));
  }
  try {
    ChannelFile file;
    const double rows = number(document, "rows", 0);
    if (!(rows >= 1 && rows <= 0x1p40)) throw Error(ErrorCode::data, "'rows' must be a number >= 1");
    file.rows = static_cast<std::size_t>(rows);
    file.is_private = document["private"].value_or(false);
    file.noise_source = text(document, "noise_source", "");
    file.total.rho = Rho(number(document, "rho", 0));
    file.total.epsilon = Epsilon(number(document, "epsilon", file.total.epsilon.value()));
    file.total.delta = Delta(number(document, "delta", 0));
    for (const auto& table : column_tables(document)) {
      file.columns.push_back(column_of(*table.as_table(), file.rows));
      const std::string fingerprint = text(*table.as_table(), "fingerprint", "");
      if (!fingerprint.empty()) file.fingerprints[file.columns.back().settings.name] = fingerprint;
    }
    return file;
  } catch (const Error& error) {
    throw not_a_channel_file(path, error.what());
  }
}

std::vector<ColumnSettings> read_column_settings(const std::filesystem::path& path) {
  const toml::table document = parse(path);
  std::vector<ColumnSettings> settings;
  try {
    for (const auto& table : column_tables(document)) {
      for (const char* reserved : {"epsilon", "delta", "rho", "noise_scale", "fingerprint"}) {
        if (table.as_table()->contains(reserved)) {
          throw Error(ErrorCode::data,
                      fmt::format("'{}' is not a column's own: the budget is split by weight", reserved));
        }
      }
      settings.push_back(settings_of(*table.as_table()));
    }
  } catch (const Error& error) {
    throw Error(ErrorCode::configuration, fmt::format("'{}': {}", path.string(), error.what()));
  }
  return settings;
}

void write_privatised(const std::filesystem::path& path, const ChannelFile& file,
                      const Released<std::vector<PrivatisedColumn>>& columns) {
  std::ofstream out = create(path);
  std::string line;
  for (const Column& column : file.columns) {
    for (const std::string& name : stored_names(column)) {
      if (!line.empty()) line += ',';
      line += csv_field(name);
    }
  }
  out << line << '\n';
  const std::vector<PrivatisedColumn>& values = columns.value();
  const std::size_t rows = values.at(0).values.size() / values[0].width;
  for (std::size_t row = 0; row < rows; ++row) {
    line.clear();
    for (std::size_t c = 0; c < values.size(); ++c) {
      const Column& column = file.columns[c];
      if (const auto* histogram = std::get_if<PerturbedHistogramChannel>(&column.channel)) {
        const Interval bounds = histogram->bins().bounds(static_cast<int>(row));
        line += fmt::format("{},{},", bounds.lower, bounds.upper);
      }
      for (std::size_t k = 0; k < values[c].width; ++k) {
        const double value = values[c].values[row * values[c].width + k];
        if (std::holds_alternative<RandomisedResponseChannel>(column.channel)) {
          line += csv_field(column.settings.levels[static_cast<std::size_t>(value)]) + ',';
        } else {
          line += fmt::format("{},", value);
        }
      }
    }
    line.back() = '\n';
    out << line;
  }
  finish(out, path);
}

PrivatisedColumn read_privatised(const std::filesystem::path& path, const ChannelFile& file,
                                 const Column& column) {
  std::vector<std::string> names = stored_names(column);
  const auto* histogram = std::get_if<PerturbedHistogramChannel>(&column.channel);
  if (histogram != nullptr) names = {"count"};
  const std::vector<std::vector<std::string>> cells = read_csv_cells(path, names);
  std::size_t rows = file.rows;
  if (histogram != nullptr) rows = histogram->bins().count();
  if (const auto* smoothed = std::get_if<SmoothedHistogramChannel>(&column.channel)) rows = smoothed->draws();
  if (cells[0].size() != rows) {
    throw Error(ErrorCode::data, fmt::format("'{}' has {} rows where its channel description says {}",
                                             path.string(), cells[0].size(), rows));
  }
  PrivatisedColumn result;
  result.width = names.size();
  const std::vector<std::string>& levels = column.settings.levels;
  const bool categories = std::holds_alternative<RandomisedResponseChannel>(column.channel);
  const auto* laplace = std::get_if<DiscreteLaplaceChannel>(&column.channel);
  const auto* gaussian = std::get_if<DiscreteGaussianChannel>(&column.channel);
  const Interval possible = reach(column, file.rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      const std::string& cell = cells[c][row];
      if (categories) {
        const auto found = std::find(levels.begin(), levels.end(), cell);
        if (found == levels.end())
          throw Error(ErrorCode::data, "a released category is not one of the channel's levels");
        result.values.push_back(static_cast<double>(found - levels.begin()));
        continue;
      }
      const double value = released_number(cell);
      if (!(value >= possible.lower && value <= possible.upper))
        throw Error(
            ErrorCode::data,
            "a released value is farther out than this channel's noise can reach: the file belongs to "
            "another channel");
      if (histogram != nullptr && value != std::nearbyint(value))
        throw Error(ErrorCode::data,
                    "a released count is not a whole number: the file belongs to another channel");
      const Grid* grid = laplace != nullptr    ? &laplace->grid()
                         : gaussian != nullptr ? &gaussian->grid()
                                               : nullptr;
      if (grid != nullptr) {
        // Positions are whole steps, up to the rounding of lower + k step.
        const double steps = grid->steps_to(value);
        const double tolerance =
            1e-3 + 1e-15 * std::max(std::abs(value), grid->domain().magnitude()) / grid->step();
        if (std::abs(steps - std::nearbyint(steps)) > tolerance) {
          throw Error(ErrorCode::data,
                      "a released value is not on the channel's grid: the file belongs to another channel");
        }
      }
      result.values.push_back(value);
    }
  }
  const auto fingerprint = file.fingerprints.find(column.settings.name);
  if (fingerprint != file.fingerprints.end() && fingerprint->second != release_fingerprint(column, result))
    throw Error(ErrorCode::data,
                fmt::format("the values in '{}' are not those that the channel description was written for",
                            path.string()));
  return result;
}

}  // namespace sotto
