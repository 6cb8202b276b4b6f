// sotto schema: a template of a schema, from the header of a file alone; --check counts what a schema cannot read.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/confidential.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/model/formula.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_check.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto::cli {

namespace {

struct SchemaOptions {
  std::string file;
  std::string schema;
  bool check = false;
  std::string formula;
  std::string out;
  bool json = false;
};

void write_schema(const SchemaOptions& options) {
  const std::vector<std::string> names = read_column_names(options.file);
  const std::string text = schema_template(names);
  if (!options.out.empty()) {
    if (std::filesystem::exists(options.out)) {
      throw Error(ErrorCode::cannot_create,
                  fmt::format("{} exists; remove it or choose another --out", options.out));
    }
    std::ofstream file(options.out);
    file << text;
    if (!file.flush())
      throw Error(ErrorCode::cannot_create, fmt::format("{} cannot be written", options.out));
  }
  if (options.json) {
    fmt::print("{}\n", nlohmann::json({{"columns", names}, {"template", text}})
                           .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (options.out.empty()) {
    fmt::print("{}", text);
  }
}

/// `maximum_rows`: of a person; 0 where the unit is a row.
void print_check(const TableCheck& check, std::size_t maximum_rows, const SchemaOptions& options) {
  if (options.json) {
    fmt::print("{}\n", to_json(check).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{}\n{} records, {} not of the header's form, {} rows used ({})\n", kCheckIsNotPrivate,
             check.records, check.not_whole, check.used,
             options.formula.empty() ? "in every declared column; --formula counts by those that a fit uses"
                                     : "in the formula's columns");
  if (check.not_whole > 0)
    fmt::print(
        "{} records have more or fewer cells than the header has names (a separator that ends each line, "
        "or one within a cell without quotes?), or are too long: they are in no fit\n",
        check.not_whole);
  if (maximum_rows > 0)
    fmt::print("{} rows more are left out because their person has maximum_rows = {} others\n", check.cut,
               maximum_rows);
  if (check.nobodys > 0)
    fmt::print("{} rows are left out because their person's cell is empty\n", check.nobodys);
  fmt::print("\n");
  std::size_t width = 6;
  for (const ColumnCheck& column : check.columns) width = std::max(width, column.name.size());
  fmt::print("{:<{}}  {:>9}  {:>9}  {:>9}  {:>12}  {:>11}\n", "column", width, "values", "clamped", "missing",
             "out of range", "undecodable");
  for (const ColumnCheck& column : check.columns) {
    fmt::print("{:<{}}  {:>9}  {:>9}  {:>9}  {:>12}  {:>11}\n", column.name, width,
               column.count(CellReading::value), column.count(CellReading::clamped),
               column.count(CellReading::missing), column.count(CellReading::out_of_range),
               column.count(CellReading::undecodable));
  }
  for (const ColumnCheck& column : check.columns) {
    if (column.not_utf8 > 0)
      fmt::print("\n{}: {} cells are not UTF-8 text: save the file as UTF-8\n", column.name, column.not_utf8);
    if (column.other_case > 0)
      fmt::print("\n{}: {} cells are a level but for capitals: spell levels as the table does\n", column.name,
                 column.other_case);
    if (column.commas > 0)
      fmt::print("\n{}: {} cells are numbers but for commas: write 3.5 and 1899.73, not 3,5 and 1,899.73\n",
                 column.name, column.commas);
    if (column.dates == 0) continue;
    fmt::print(
        "\n{}: {} cells look like dates, which are no numbers: replace them by the days since one chosen "
        "beforehand (2020-03-01 is 60 since 2020-01-01)\n",
        column.name, column.dates);
  }
}

void check_schema(const SchemaOptions& options) {
  if (options.schema.empty())
    throw Error(ErrorCode::usage, "--check needs a table and its schema: sotto schema --check FILE SCHEMA");
  Schema schema = read_schema(options.schema);
  if (!options.formula.empty()) schema = schema.select(parse_formula(options.formula).columns());
  hold_rows();
  const TableCheck check = check_table(records_of(options.file), schema);
  remark(stderr, "sotto: {}\n", kCheckIsNotPrivate);
  print_check(check, schema.unit.is_row() ? 0 : schema.unit.maximum_rows, options);
  if (check.used == 0)
    throw Error(ErrorCode::data,
                "no row of the table can be used under this schema: see the columns' counts");
}

void run_schema(const SchemaOptions& options) {
  if (options.check && !options.out.empty())
    throw Error(ErrorCode::usage, "--out is for a new schema: with --check counts go to standard output");
  if (options.check) return check_schema(options);
  if (!options.formula.empty()) throw Error(ErrorCode::usage, "--formula is for --check only");
  if (!options.schema.empty()) throw Error(ErrorCode::usage, "a second file is for --check only");
  write_schema(options);
}

}  // namespace

void add_schema(CLI::App& program, int& /*status*/) {
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* verb =
      program.add_subcommand("schema", "Write a schema to fill in, or check a table against one");
  verb->add_option("FILE", options->file,
                   "CSV (.csv, .tsv) or Parquet (.parquet) file; only its header is read, but with --check")
      ->required();
  verb->add_option("SCHEMA", options->schema, "with --check: the declaration of FILE");
  verb->add_flag("--check", options->check,
                 "count the cells of FILE that SCHEMA cannot read; NOT PRIVATE, for the curator's eyes");
  verb->add_option("--formula", options->formula,
                   "with --check: count rows by the columns of this formula alone");
  verb->add_option("--out", options->out, "File to write; standard output if not given");
  verb->add_flag("--json", options->json, "Print one JSON object: columns, template");
  verb->footer(
      "Example:\n  sotto schema patients.csv --out patients.schema.toml\n  sotto schema --check patients.csv "
      "patients.schema.toml");
  verb->callback([options] { run_schema(*options); });
}

}  // namespace sotto::cli
