#include "sotto_io/cmdstan_csv.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <ostream>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

// Readers take "name.1.2" for an element of an array and would stumble over any other dot, and over commas
// and quotes.
std::string column_name(const std::string& parameter) {
  std::string name = parameter.empty() ? "_" : parameter;
  for (char& c : name) {
    if (c == ',' || c == '"' || c == '\'' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  if (name.front() == '#') name.front() = '_';
  if (name.size() > 1 && name.ends_with("__")) name += "p";
  const auto first = name.find('.');
  if (first == std::string::npos) return name;
  bool indices = first > 0;
  for (std::size_t i = first; i < name.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    const bool dot = name[i] == '.' && i + 1 < name.size() && name[i + 1] != '.';
    indices = indices && (digit || dot);
  }
  if (!indices) std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

// One column name per parameter, no two alike.
std::vector<std::string> column_names(const std::vector<std::string>& parameters) {
  std::vector<std::string> names;
  for (const auto& parameter : parameters) {
    const std::string name = column_name(parameter);
    std::string unique = name;
    for (int k = 2; std::find(names.begin(), names.end(), unique) != names.end(); ++k) {
      unique = fmt::format("{}_{}", name, k);
    }
    names.push_back(unique);
  }
  return names;
}

// A header value on one line, without the sign that readers split at.
std::string header_value(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
    if (c == '=') c = ':';
  }
  return text;
}

void write_header(std::ostream& out, const CsvHeader& header, const Chain& chain, std::size_t chain_id) {
  out << "# stan_version_major = 2\n# stan_version_minor = 36\n# stan_version_patch = 0\n"
      << "# model = " << header_value(header.model) << "\n# start_datetime = " << header_value(header.started)
      << "\n"
      << "# method = sample (Default)\n#   sample\n"
      << "#     num_samples = " << chain.draws.rows() << "\n#     num_warmup = "
      << std::max<std::size_t>(chain.warmup,
                               1)  // CmdStanPy takes 0 for a contradiction; dp_warmup has the number
      << "\n#     save_warmup = 0\n#     thin = 1\n"
      << "#     algorithm = fixed_param\n#     metric = unit_e\n#     num_chains = 1 (Default)\n"
      << "# id = " << chain_id << "\n# random\n#   seed = " << chain.seed << "\n"
      << "# dp_warmup = " << chain.warmup << "\n"
      << "# dp_lp = "
      << (chain.steps.contains("log_prior") ? "log prior (the density of the data is not released)"
                                            : "0 (the log density of the data is not released)")
      << "\n";
  for (const auto& [key, value] : header.about) out << "# dp_" << key << " = " << header_value(value) << "\n";
}

void write_value(fmt::memory_buffer& row, double value) {
  if (std::isnan(value)) {
    row.append(std::string_view("nan"));
  } else if (std::isinf(value)) {
    row.append(std::string_view(value > 0 ? "inf" : "-inf"));
  } else {
    fmt::format_to(std::back_inserter(row), "{:.17g}", value);
  }
}

// The parts of a line between commas; leading and trailing blanks and quotes do not count.
std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view part = line.substr(0, comma);
    while (!part.empty() && (part.front() == ' ' || part.front() == '"')) part.remove_prefix(1);
    while (!part.empty() && (part.back() == ' ' || part.back() == '"')) part.remove_suffix(1);
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> parse(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  if (text == "NA" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// "key = value (Default)" of a comment line.
std::pair<std::string, std::string> setting(std::string_view line) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return {};
  const auto trim = [](std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '#')) text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
  };
  std::string_view value = line.substr(sign + 1);
  if (const auto mark = value.find(" (Default)"); mark != std::string_view::npos)
    value = value.substr(0, mark);
  return {std::string(trim(line.substr(0, sign))), std::string(trim(value))};
}

// What a chain file's comments say about its rows.
struct Layout {
  std::size_t num_warmup = 0;
  bool save_warmup = false;
  std::size_t thin = 1;
  std::uint64_t seed = 0;
  std::optional<std::size_t> dp_warmup;

  void read(std::string_view comment) {
    const auto [key, value] = setting(comment);
    const auto number = [&value = value](auto& target) {
      std::from_chars(value.data(), value.data() + value.size(), target);
    };
    if (key == "num_warmup") number(num_warmup);
    if (key == "save_warmup") save_warmup = value == "1" || value == "true";
    if (key == "thin") number(thin);
    if (key == "seed") number(seed);
    if (key == "dp_warmup") number(dp_warmup.emplace(0));
  }
  [[nodiscard]] std::size_t saved_warmup() const {
    const std::size_t step = std::max<std::size_t>(thin, 1);
    return save_warmup ? (num_warmup + step - 1) / step : 0;
  }
};

// The rows of a file as numbers, under the names in `header`.
struct DrawRows {
  std::vector<std::string> header;
  std::vector<std::vector<double>> values;
  Layout layout;
};

DrawRows read_rows(const std::filesystem::path& file) {
  const std::string content = read_whole_file(file);
  DrawRows rows;
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < content.size();) {
    const std::size_t end = std::min(content.find('\n', start), content.size());
    std::string_view line(content.data() + start, end - start);
    start = end + 1;
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      rows.layout.read(line);
      continue;
    }
    const auto parts = cells(line);
    if (rows.header.empty()) {
      rows.header.assign(parts.begin(), parts.end());
      continue;
    }
    const auto complain = [&](const char* what) {
      throw Error(ErrorCode::data, fmt::format("{}: line {} {}", file.string(), line_number, what));
    };
    if (parts.size() != rows.header.size())
      complain("does not have one value per column; the file may be cut off");
    rows.values.emplace_back();
    for (const auto part : parts) {
      const auto value = parse(part);
      if (!value) complain("has a cell that is not a number");
      rows.values.back().push_back(*value);
    }
  }
  if (rows.header.empty()) throw Error(ErrorCode::data, file.string() + " has no line of column names");
  return rows;
}

}  // namespace

void write_cmdstan_csv(std::ostream& out, const CsvHeader& header, const std::vector<std::string>& parameters,
                       const Chain& chain, std::size_t chain_id) {
  const auto draws = static_cast<std::size_t>(chain.draws.rows());
  if (static_cast<std::size_t>(chain.draws.cols()) != parameters.size()) {
    throw Error(ErrorCode::internal, "a chain needs one column per parameter");
  }
  for (const auto& [name, values] : chain.steps) {
    if (name == "lp" || values.size() != draws) {
      throw Error(ErrorCode::internal,
                  "step value '" + name + "' is not allowed or not of the chain's length");
    }
  }
  write_header(out, header, chain, chain_id);
  out << "lp__";
  for (const auto& [name, values] : chain.steps) {
    if (name != "log_prior") out << ',' << column_name(name) << "__";
  }
  for (const auto& name : column_names(parameters)) out << ',' << name;
  out << '\n';
  const auto log_prior = chain.steps.find("log_prior");
  fmt::memory_buffer row;
  for (std::size_t i = 0; i < draws; ++i) {
    row.clear();
    write_value(row, log_prior == chain.steps.end() ? 0 : log_prior->second[i]);
    for (const auto& [name, values] : chain.steps) {
      if (name == "log_prior") continue;
      row.push_back(',');
      write_value(row, values[i]);
    }
    for (Eigen::Index j = 0; j < chain.draws.cols(); ++j) {
      row.push_back(',');
      write_value(row, chain.draws(static_cast<Eigen::Index>(i), j));
    }
    row.push_back('\n');
    out.write(row.data(), static_cast<std::streamsize>(row.size()));
  }
  out << fmt::format(
      "# \n#  Elapsed Time: {:.3g} seconds (Warm-up)\n#                {:.3g} seconds (Sampling)\n"
      "#                {:.3g} seconds (Total)\n# \n",
      header.warmup_seconds, header.sampling_seconds, header.warmup_seconds + header.sampling_seconds);
}

std::pair<std::vector<std::string>, Chain> read_cmdstan_csv(const std::filesystem::path& file) {
  const DrawRows rows = read_rows(file);
  const std::size_t skipped = std::min(rows.layout.saved_warmup(), rows.values.size());
  const std::size_t draws = rows.values.size() - skipped;
  std::vector<std::string> parameters;
  Chain chain;
  chain.seed = rows.layout.seed;
  chain.warmup = rows.layout.dp_warmup.value_or(rows.layout.num_warmup);
  const auto count = std::count_if(rows.header.begin(), rows.header.end(),
                                   [](const std::string& name) { return !name.ends_with("__"); });
  chain.draws.resize(static_cast<Eigen::Index>(draws), count);
  for (std::size_t j = 0; j < rows.header.size(); ++j) {
    const std::string& name = rows.header[j];
    if (name.ends_with("__")) {
      auto& values = chain.steps[name.substr(0, name.size() - 2)];
      for (std::size_t i = 0; i < draws; ++i) values.push_back(rows.values[i + skipped][j]);
      continue;
    }
    for (std::size_t i = 0; i < draws; ++i) {
      chain.draws(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(parameters.size())) =
          rows.values[i + skipped][j];
    }
    parameters.push_back(name);
  }
  return {parameters, std::move(chain)};
}

Draws read_cmdstan_csv(const std::vector<std::filesystem::path>& files) {
  Draws draws;
  for (const auto& file : files) {
    auto [parameters, chain] = read_cmdstan_csv(file);
    if (!draws.chains.empty() && parameters != draws.parameters) {
      throw Error(ErrorCode::data, file.string() + " has other columns than " + files.front().string());
    }
    draws.parameters = std::move(parameters);
    draws.chains.push_back(std::move(chain));
  }
  return draws;
}

}  // namespace sotto
