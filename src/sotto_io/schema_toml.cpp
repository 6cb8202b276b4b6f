#include "sotto_io/schema_toml.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/base/text_fault.hpp"

namespace sotto {

namespace {

/// Reads values out of one file; every refusal names the file and the line.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void refuse(const toml::node& node, const std::string& message) const {
    throw Error(ErrorCode::configuration, fmt::format("{}:{}: {}", file_, node.source().begin.line, message));
  }

  void allow(const toml::table& table, std::string_view where,
             std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : table) {
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        refuse(value, fmt::format("unknown key {} in {}{}; allowed are {}", key.str(), where,
                                  suggestion(key.str(), std::vector<std::string>(keys.begin(), keys.end())),
                                  fmt::join(keys, ", ")));
      }
    }
  }

  [[nodiscard]] std::optional<std::string> text(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (auto value = node->value_exact<std::string>()) return value;
    refuse(*node, fmt::format("{} must be text in quotes", key));
  }

  [[nodiscard]] std::optional<double> number(const toml::table& table, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto* integer = node->as_integer()) return static_cast<double>(integer->get());
    if (const auto* real = node->as_floating_point()) return real->get();
    refuse(*node, fmt::format("{} must be a number", key));
  }

  /// One of the given words as the value beside it.
  template <class T>
  [[nodiscard]] T choice(const toml::table& table, std::string_view key, T otherwise,
                         std::initializer_list<std::pair<std::string_view, T>> words) const {
    const std::optional<std::string> value = text(table, key);
    if (!value) return otherwise;
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words) {
      if (word == *value) return meaning;
      known.emplace_back(word);
    }
    refuse(*table.get(key), fmt::format("{} = \"{}\" is not known{}; use one of \"{}\"", key, *value,
                                        suggestion(*value, known), fmt::join(known, "\", \"")));
  }

 private:
  std::string file_;
};

std::vector<std::string> read_levels(const Reader& reader, const toml::table& table,
                                     const std::string& name) {
  std::vector<std::string> levels;
  const toml::node* node = table.get("levels");
  if (node == nullptr) return levels;
  if (!node->is_array()) reader.refuse(*node, fmt::format("column {}: levels must be a list", name));
  for (const toml::node& level : *node->as_array()) {
    if (const auto word = level.value_exact<std::string>()) {
      levels.push_back(*word);
    } else if (const auto* whole = level.as_integer()) {
      levels.push_back(std::to_string(whole->get()));
    } else {
      reader.refuse(level, fmt::format("column {}: a level must be text or a whole number", name));
    }
  }
  return levels;
}

void read_bounds(const Reader& reader, const toml::table& table, SchemaColumn& column) {
  const bool bounded = column.kind == ColumnKind::real || column.kind == ColumnKind::count;
  for (const char* key : {"lower", "upper"}) {
    const std::optional<double> bound = reader.number(table, key);
    if (bounded && !bound) {
      reader.refuse(
          table,
          fmt::format("column {}: add {} = NUMBER, from what the column can mean and not from the data",
                      column.name, key));
    }
    if (!bounded && bound) {
      reader.refuse(
          *table.get(key),
          fmt::format("column {}: {} is for real and count columns only; remove it", column.name, key));
    }
    if (bound) (key[0] == 'l' ? column.bounds.lower : column.bounds.upper) = *bound;
  }
}

void read_imputed(const Reader& reader, const toml::table& table, SchemaColumn& column) {
  const toml::node* node = table.get("imputed");
  if ((column.missing == MissingPolicy::impute) != (node != nullptr)) {
    reader.refuse(
        node != nullptr ? *node : static_cast<const toml::node&>(table),
        fmt::format("column {}: missing = \"impute\" and imputed = VALUE go together", column.name));
  }
  if (node == nullptr) return;
  if (column.kind != ColumnKind::category) {
    column.imputed = *reader.number(table, "imputed");
    return;
  }
  const std::string level =
      node->is_integer() ? std::to_string(node->as_integer()->get()) : *reader.text(table, "imputed");
  const auto found = std::find(column.levels.begin(), column.levels.end(), level);
  if (found == column.levels.end()) {
    reader.refuse(*node, fmt::format("column {}: imputed must be one of the levels", column.name));
  }
  column.imputed = static_cast<double>(found - column.levels.begin());
}

void read_expected(const Reader& reader, const toml::table& table, SchemaColumn& column) {
  const auto only_for = [&](std::string_view key, bool of_kind, const char* kinds) {
    const toml::node* node = table.get(key);
    if (node != nullptr && !of_kind)
      reader.refuse(*node,
                    fmt::format("column {}: {} is for {} columns only; remove it", column.name, key, kinds));
    return node;
  };
  const bool category = column.kind == ColumnKind::category;
  const bool binary = column.kind == ColumnKind::binary;
  only_for("expected_mean", !category, "real, count and binary");
  only_for("expected_sd", !category && !binary, "real and count");
  column.expected.mean = reader.number(table, "expected_mean");
  column.expected.sd = reader.number(table, "expected_sd");
  const toml::node* shares = only_for("expected_shares", category, "category");
  if (shares == nullptr) return;
  if (!shares->is_array() || shares->as_array()->empty())
    reader.refuse(*shares, fmt::format("column {}: expected_shares must be a list of numbers", column.name));
  for (const toml::node& share : *shares->as_array()) {
    const auto number = share.value<double>();
    if (!number) reader.refuse(share, fmt::format("column {}: a share must be a number", column.name));
    column.expected.shares.push_back(*number);
  }
}

SchemaColumn read_column(const Reader& reader, const toml::table& table) {
  reader.allow(table, "[[column]]",
               {"name", "kind", "lower", "upper", "levels", "missing", "imputed", "out_of_range",
                "expected_mean", "expected_sd", "expected_shares"});
  SchemaColumn column;
  const std::optional<std::string> name = reader.text(table, "name");
  if (!name) reader.refuse(table, "a [[column]] needs name = \"...\"");
  column.name = *name;
  if (!table.contains("kind")) {
    reader.refuse(table, fmt::format("column {}: add kind = \"real\", \"count\", \"binary\" or \"category\"",
                                     column.name));
  }
  for (const char* word : {"date", "datetime", "time", "timestamp"}) {
    if (reader.text(table, "kind") != word) continue;
    reader.refuse(
        *table.get("kind"),
        fmt::format("column {}: there is no kind \"{}\": replace dates by the days since one chosen "
                    "beforehand (2020-03-01 is 60 since 2020-01-01), kind = \"real\"",
                    column.name, word));
  }
  column.kind = reader.choice(table, "kind", ColumnKind::real,
                              {{"real", ColumnKind::real},
                               {"count", ColumnKind::count},
                               {"binary", ColumnKind::binary},
                               {"category", ColumnKind::category}});
  column.missing = reader.choice(table, "missing", MissingPolicy::drop,
                                 {{"drop", MissingPolicy::drop}, {"impute", MissingPolicy::impute}});
  column.out_of_range =
      reader.choice(table, "out_of_range", OutOfRangePolicy::clamp,
                    {{"clamp", OutOfRangePolicy::clamp}, {"missing", OutOfRangePolicy::missing}});
  column.levels = read_levels(reader, table, column.name);
  if (column.kind != ColumnKind::category && table.contains("levels")) {
    reader.refuse(*table.get("levels"),
                  fmt::format("column {}: levels are for categories only; remove them", column.name));
  }
  const bool bounded = column.kind == ColumnKind::real || column.kind == ColumnKind::count;
  if (!bounded && column.out_of_range == OutOfRangePolicy::missing) {
    reader.refuse(
        *table.get("out_of_range"),
        fmt::format("column {}: out_of_range is for real and count columns only, and what is no value of "
                    "this one counts as missing anyway; remove it",
                    column.name));
  }
  read_bounds(reader, table, column);
  read_imputed(reader, table, column);
  read_expected(reader, table, column);
  return column;
}

UnitDeclaration read_unit(const Reader& reader, const toml::table& root) {
  UnitDeclaration unit;
  const toml::node* node = root.get("unit");
  if (node == nullptr) return unit;
  if (!node->is_table()) reader.refuse(*node, "unit must be a table: [unit] with person and maximum_rows");
  const toml::table& table = *node->as_table();
  reader.allow(table, "[unit]", {"person", "maximum_rows"});
  const std::optional<std::string> person = reader.text(table, "person");
  if (!person || person->empty()) {
    reader.refuse(table,
                  "[unit] needs person = \"NAME OF THE COLUMN\"; remove [unit] if the unit is one row");
  }
  unit.person = *person;
  const std::optional<double> rows = reader.number(table, "maximum_rows");
  if (!rows)
    reader.refuse(table, "[unit] needs maximum_rows = NUMBER: how many rows of a person are used at most");
  if (!(*rows >= 1 && *rows <= static_cast<double>(UnitDeclaration::kMostRows)) ||
      *rows != static_cast<double>(static_cast<std::size_t>(*rows))) {
    reader.refuse(*table.get("maximum_rows"), "maximum_rows must be a whole number from 1 to 1000000");
  }
  unit.maximum_rows = static_cast<std::size_t>(*rows);
  return unit;
}

bool reads_as_number(std::string_view name) {
  double value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc() && end == name.data() + name.size();
}

}  // namespace

Schema parse_schema(std::string_view text, const std::string& name) {
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorCode::configuration,
                fmt::format("the schema {} {}", name, toml_fault(text, error.source().begin.line)));
  }
  const Reader reader(name);
  reader.allow(root, "a schema", {"adjacency", "unit", "column"});
  Schema schema;
  schema.adjacency = reader.choice(root, "adjacency", Adjacency::substitute,
                                   {{"substitute", Adjacency::substitute},
                                    {"add-remove", Adjacency::add_remove},
                                    {"add_remove", Adjacency::add_remove}});
  schema.unit = read_unit(reader, root);
  if (const toml::node* columns = root.get("column")) {
    if (!columns->is_array_of_tables()) reader.refuse(*columns, wants_double_brackets("column"));
    for (const toml::node& column : *columns->as_array())
      schema.columns.push_back(read_column(reader, *column.as_table()));
  }
  try {
    check(schema);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
  return schema;
}

Schema read_schema(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorCode::no_input, fmt::format("--schema: {} is a directory, not a file", path.string()));
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::no_input,
                fmt::format("there is no schema {}; sotto schema DATA writes a template", path.string()));
  }
  const std::string ending = path.extension().string();
  const bool table = ending == ".csv" || ending == ".tsv" || ending == ".parquet";
  try {
    return parse_schema(std::string(std::istreambuf_iterator<char>(file), {}), path.string());
  } catch (const Error&) {
    if (!table) throw;
    sotto::refuse(fmt::format(
        "{} is a table, and stands where its schema belongs: the table comes first, then its schema",
        path.string()));
  }
}

std::string schema_template(const std::vector<std::string>& names) {
  const std::set<std::string_view> distinct(names.begin(), names.end());
  if (distinct.size() != names.size() || std::any_of(names.begin(), names.end(), reads_as_number)) {
    throw Error(ErrorCode::data,
                "the first record must name the columns, and this one repeats a name or holds a number, as a "
                "row would: put the columns' names first");
  }
  std::string out =
      "# What is known of the table before anyone looks at its rows. Everything written here is public.\n"
      "# Fill in kinds and bounds from what the columns mean, not from the data: bounds taken from the rows "
      "leak them.\n"
      "# Remove the columns you do not use.\n"
      "# A date is no number: replace it by the days since one chosen beforehand (2020-03-01 is 60 since "
      "2020-01-01).\n"
      "\n"
      "adjacency = \"substitute\"  # neighbouring tables: one unit is exchanged; or \"add-remove\"\n"
      "\n"
      "# One row is the unit of privacy, unless rows belong to persons:\n"
      "# [unit]\n"
      "# person = \"NAME OF THE COLUMN\"\n"
      "# maximum_rows = 1\n";
  for (const std::string& name : names) {
    std::string quoted;
    for (const char c : name) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    out += fmt::format(
        "\n[[column]]\n"
        "name = \"{}\"\n"
        "kind = \"\"                # real, count, category, or binary: "
        "0, 1, true, false, t, f, yes, no, y, n\n"
        "# lower =                # real and count\n"
        "# upper =\n"
        "# levels = [\"\", \"\"]      # category; the first is the baseline\n"
        "missing = \"drop\"         # the row contributes nothing; or \"impute\" with imputed = VALUE\n"
        "out_of_range = \"clamp\"   # real and count: to the nearest bound; or \"missing\"\n",
        quoted);
  }
  return out;
}

}  // namespace sotto
