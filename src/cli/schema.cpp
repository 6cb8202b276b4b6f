// sotto schema: a template of a schema, from the header of a file alone.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto::cli {

namespace {

struct SchemaOptions {
  std::string file;
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

}  // namespace

void add_schema(CLI::App& program, int& /*status*/) {
  auto options = std::make_shared<SchemaOptions>();
  CLI::App* verb =
      program.add_subcommand("schema", "Write a schema to fill in, from the header of a file alone");
  verb->add_option("FILE", options->file,
                   "CSV (.csv, .tsv) or Parquet (.parquet) file; only its header is read")
      ->required();
  verb->add_option("--out", options->out, "File to write; standard output if not given");
  verb->add_flag("--json", options->json, "Print one JSON object: columns, template");
  verb->footer("Example:\n  sotto schema patients.csv --out patients.schema.toml");
  verb->callback([options] { write_schema(*options); });
}

}  // namespace sotto::cli
