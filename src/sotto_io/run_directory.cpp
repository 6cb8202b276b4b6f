#include "sotto_io/run_directory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string_view>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/report/deployment_json.hpp"
#include "sotto/report/html_report.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/charge_journal.hpp"
#include "sotto_io/cmdstan_csv.hpp"
#include "sotto_io/output_guard.hpp"
#include "sotto_io/result_files.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotPrivate = "not_private";
constexpr const char* kPrivacy = "privacy.json";
constexpr const char* kManifest = "manifest.json";
constexpr const char* kCharges = "charges.jsonl";
constexpr const char* kReleases = "releases.json";
constexpr const char* kCertificate = "certificate.json";

/// A file under a name that is not here is never written, and none of these is written over but where sotto wrote it.
constexpr std::string_view kResultNames[] = {"summary.csv",         "summary.json", kPrivacy,
                                             "failed_privacy.json", "report.html",  "density.csv",
                                             "synthetic.csv",       kManifest,      "clusters.json",
                                             kCertificate,          kReleases,      "deployment.json"};

fs::path chain_file(const fs::path& directory, std::size_t chain) {
  return directory / fmt::format("chain_{}.csv", chain + 1);
}

std::vector<fs::path> chain_files(const fs::path& directory) {
  std::vector<fs::path> files;
  while (fs::exists(chain_file(directory, files.size())))
    files.push_back(chain_file(directory, files.size()));
  return files;
}

std::vector<std::string> not_private_files(const RunRecord& record) {
  std::vector<std::string> names;
  if (!record.comparison) return names;
  for (std::size_t c = 0; c < record.comparison->chains.size(); ++c)
    names.push_back(chain_file(kNotPrivate, c).generic_string());
  names.push_back(not_private_report("").generic_string());
  return names;
}

CsvHeader csv_header(const RunRecord& record, bool is_private) {
  CsvHeader header;
  header.model = "sotto_model";
  header.started = record.manifest.started;
  const auto told = [](double seconds) { return std::isfinite(seconds) ? seconds : 0; };
  header.warmup_seconds = told(record.manifest.warmup_seconds);
  header.sampling_seconds = told(record.manifest.sampling_seconds);
  header.about = {{"private", is_private ? "1" : "0"}, {"model", record.model}, {"method", record.method}};
  if (is_private) {
    header.about.emplace_back("epsilon", fmt::format("{:.17g}", record.privacy.epsilon));
    header.about.emplace_back("delta", fmt::format("{:.17g}", record.privacy.delta));
    header.about.emplace_back("adjacency", adjacency_name(record.privacy.adjacency));
    header.about.emplace_back("privacy_unit", record.privacy.privacy_unit);
  }
  return header;
}

/// Files are made one after the other, when they are written: `draws` outlives them.
void add_chains(std::vector<ResultFile>& files, const fs::path& folder, const CsvHeader& header,
                const Draws& draws) {
  for (std::size_t c = 0; c < draws.chains.size(); ++c) {
    files.push_back({chain_file(folder, c).generic_string(), [header, &draws, c] {
                       std::ostringstream text;
                       write_cmdstan_csv(text, header, draws.parameters, draws.chains[c], c + 1);
                       return std::move(text).str();
                     }});
  }
}

std::string summary_csv(const std::vector<ParameterSummary>& summary, const RunRecord& record) {
  const auto& prior_sensitivity = record.prior_sensitivity;
  std::string text = "parameter,mean,sd,mcse_mean,mcse_sd,q05,q50,q95,ess_bulk,ess_tail,rhat";
  text += prior_sensitivity.empty() ? ",private\n" : ",prior_sensitivity,private\n";
  for (const auto& line : summary) {
    std::string name = line.parameter;
    if (name.find_first_of(",\"\n\r") != std::string::npos) {
      for (std::size_t i = 0; (i = name.find('"', i)) != std::string::npos; i += 2) name.insert(i, 1, '"');
      name = fmt::format("\"{}\"", name);
    }
    text += name;
    std::vector<double> numbers{line.mean, line.sd,  line.mcse_mean, line.mcse_sd,  line.q05,
                                line.q50,  line.q95, line.ess_bulk,  line.ess_tail, line.rhat};
    if (!prior_sensitivity.empty()) {
      const auto of = std::find_if(prior_sensitivity.begin(), prior_sensitivity.end(),
                                   [&](const auto& one) { return one.first == line.parameter; });
      numbers.push_back(of == prior_sensitivity.end() ? std::nan("") : of->second);
    }
    for (const double x : numbers) text += std::isnan(x) ? ",NA" : fmt::format(",{:.10g}", x);
    text += record.privacy.is_private ? ",true\n" : ",false\n";
  }
  return text;
}

// Names may hold bytes that are not UTF-8; they are replaced rather than refused.
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

ResultFile statement_file(const char* name, const PrivacyStatement& privacy) {
  return {name, [&privacy] { return dump(to_json(privacy)); }};
}

/// A record of ours begins with a promise, also where a run was killed before it stood there whole.
bool is_record_of_charges(const fs::path& file) {
  std::error_code absent;
  const fs::file_status kind = fs::symlink_status(file, absent);
  if (!fs::exists(kind)) return true;
  if (!fs::is_regular_file(kind)) return false;  // a device may keep nothing, a link lead elsewhere tomorrow
  constexpr std::string_view begin = "{\"opened\":";
  return begin.starts_with(read_whole_file(file).substr(0, begin.size()));
}

bool holds_paid_release(const fs::path& directory) {
  if (fs::exists(charges_file(directory))) return true;
  if (!fs::exists(directory / kPrivacy)) return false;
  const auto json = nlohmann::json::parse(read_whole_file(directory / kPrivacy), nullptr, false);
  return !json.is_object() || json.value("private", nlohmann::json()) != false;
}

void add_comparison_chains(std::vector<ResultFile>& files, const RunRecord& record) {
  if (record.comparison) add_chains(files, kNotPrivate, csv_header(record, false), *record.comparison);
}

void add_manifest(std::vector<ResultFile>& files, const RunRecord& record) {
  files.push_back({kManifest, [&record] { return dump(manifest_json(record)); }});
}

/// Those that stand in the folder of what is not private, but for its page.
std::vector<std::string> standing_not_private(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::path& file : chain_files(directory / kNotPrivate))
    names.push_back(file.lexically_relative(directory).generic_string());
  return names;
}

/// Statement and manifest list what is not private as it stands there, and the page that is made.
void list_not_private(std::vector<ResultFile>& files, const fs::path& directory, bool has_page) {
  std::vector<std::string> names = standing_not_private(directory);
  if (has_page) names.push_back(not_private_report("").generic_string());
  constexpr const char* kListed = "not_private_files";
  for (const char* name : {kPrivacy, kManifest}) {
    nlohmann::ordered_json json = read_json_file(directory / name);
    if (json.value(kListed, nlohmann::ordered_json::array()) == nlohmann::ordered_json(names)) continue;
    json[kListed] = names;
    if (json.contains("statement")) {
      PrivacyStatement privacy = privacy_from_json(json);
      privacy.not_private_files = names;
      json["statement"] = to_json(privacy).at("statement");
    }
    files.push_back({name, [json] { return dump(json); }});
  }
}

const std::vector<RunRecord> kNoneBeside;

/// `record` outlives the file.
void add_deployment(std::vector<ResultFile>& files, const RunRecord& record) {
  if (record.privacy.is_private)
    files.push_back({"deployment.json", [&record] { return dump(deployment_json(record)); }});
}

/// `record` and `beside` outlive the files.
void add_pages(std::vector<ResultFile>& files, const RunRecord& record,
               const std::vector<RunRecord>& beside) {
  if (record.comparison)
    files.push_back({not_private_report("").generic_string(),
                     [&record, &beside] { return html_report(record, beside); }});
  files.push_back({"report.html", [&record, &beside] {
                     RunRecord alone = record;
                     alone.comparison.reset();
                     return html_report(alone, beside);
                   }});
}

/// The books may tell of runs that ended, without draws or killed, after the statement beside the draws was written. That of the draws
/// is the one with as many before it as the statement says.
EarlierRuns other_runs(const fs::path& directory, const EarlierRuns& stated) {
  std::vector<RecordedRun> runs = read_charge_record(charges_file(directory));
  if (runs.size() <= stated.count + 1) return stated;
  const auto own = runs.begin() + static_cast<std::ptrdiff_t>(stated.count);
  const nlohmann::ordered_json promise = own->opened;
  runs.erase(own);
  EarlierRuns others = promised_by(runs, promise);
  others.later = true;
  return others;
}

}  // namespace

std::span<const std::string_view> result_names() { return kResultNames; }

nlohmann::ordered_json read_json_file(const fs::path& file) {
  auto json = nlohmann::ordered_json::parse(read_whole_file(file), nullptr, false);
  if (json.is_discarded()) throw Error(ErrorCode::data, file.string() + " is not JSON");
  return json;
}

void write_run(const fs::path& directory, RunRecord record) {
  record.privacy.not_private_files = not_private_files(record);
  // The statement first: while other files are missing it already says what was spent.
  std::vector<ResultFile> files{statement_file(kPrivacy, record.privacy)};
  add_chains(files, "", csv_header(record, record.privacy.is_private), record.draws);
  add_comparison_chains(files, record);
  const auto summary = summarise(record.draws);
  files.push_back({"summary.csv", [&] { return summary_csv(summary, record); }});
  files.push_back({"summary.json", [&] {
                     nlohmann::ordered_json json{{"private", record.privacy.is_private}};
                     json.update(summary_json(summary, all_warnings(record, summary),
                                              no_answer(record, summary), record.prior_sensitivity));
                     return dump(json);
                   }});
  add_manifest(files, record);
  add_deployment(files, record);
  if (record.kept) files.push_back({kReleases, [&record] { return dump(to_json(*record.kept)); }});
  add_pages(files, record, kNoneBeside);
  replace_results(directory, files);
}

void write_statement_alone(const fs::path& directory, const PrivacyStatement& privacy) {
  add_results(directory,
              {statement_file(holds_results(directory) ? "failed_privacy.json" : kPrivacy, privacy)});
}

void add_comparison(const fs::path& directory, RunRecord record) {
  record.privacy.not_private_files = not_private_files(record);
  std::vector<ResultFile> files{statement_file(kPrivacy, record.privacy)};
  add_comparison_chains(files, record);
  add_manifest(files, record);
  add_pages(files, record, kNoneBeside);
  add_results(directory, files);
}

void write_report(const fs::path& directory, const RunRecord& record, const std::vector<RunRecord>& beside) {
  if (!record.comparison) remove_result(directory, not_private_report("").generic_string());
  std::vector<ResultFile> files;
  list_not_private(files, directory, record.comparison.has_value());
  if (!record.certificate.is_null())
    files.push_back({kCertificate, [&record] { return dump(record.certificate); }});
  add_deployment(files, record);
  add_pages(files, record, beside);
  add_results(directory, files);
}

fs::path not_private_report(const fs::path& directory) { return directory / kNotPrivate / "report.html"; }

fs::path charges_file(const fs::path& directory) { return directory / kCharges; }

void check_run_directory(const fs::path& directory, std::span<const fs::path> inputs, bool overwrite) {
  if (directory.empty())
    throw Error(ErrorCode::usage, "--out (output.directory) needs the name of a directory");
  std::vector<fs::path> outputs = standing_results(directory);
  outputs.push_back(charges_file(directory));
  refuse_overwriting_inputs(outputs, inputs);
  check_results(directory);
  if (!is_record_of_charges(charges_file(directory))) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} is no record of charges: move it away, or choose another --out",
                            charges_file(directory).string()));
  }
  if (overwrite || !holds_paid_release(directory)) return;
  throw Error(
      ErrorCode::cannot_create,
      fmt::format("{} holds a release that was paid for: choose another --out, or let fit --overwrite it",
                  directory.string()));
}

Draws read_draws(const fs::path& directory) {
  const auto files = chain_files(directory);
  if (files.empty() && fs::exists(directory / kCharges))
    throw Error(ErrorCode::no_input,
                fmt::format("the run in {} ended before its first draw; what it spent says {}",
                            directory.string(), (directory / kCharges).string()));
  if (files.empty()) throw Error(ErrorCode::no_input, "no chain_1.csv in " + directory.string());
  return read_cmdstan_csv(files);
}

KeptAnswers read_kept_answers(const fs::path& directory) {
  if (!fs::exists(directory / kReleases)) {
    throw Error(
        ErrorCode::no_input,
        fmt::format(
            "{} keeps no releases to draw from again: release-once leaves {} there; a chain asks at every "
            "step, so more of its draws are a fit of their own",
            directory.string(), kReleases));
  }
  return kept_answers_from_json(read_json_file(directory / kReleases));
}

RunRecord read_run(const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw Error(ErrorCode::no_input, fs::exists(directory)
                                         ? directory.string() + " is a file: give the directory of a fit"
                                         : "no directory " + directory.string());
  RunRecord record;
  const auto read = [](const fs::path& folder) {
    Draws draws = read_draws(folder);
    for (Chain& chain : draws.chains) {  // lp__ is the log prior in our own files
      if (auto lp = chain.steps.extract("lp")) {
        lp.key() = "log_prior";
        chain.steps.insert(std::move(lp));
      }
    }
    return draws;
  };
  record.draws = read(directory);
  if (!chain_files(directory / kNotPrivate).empty()) record.comparison = read(directory / kNotPrivate);
  record.privacy = privacy_from_json(read_json_file(directory / kPrivacy));
  record.privacy.not_private_files = standing_not_private(directory);
  read_manifest(read_json_file(directory / kManifest), record);
  if (record.privacy.is_private) record.privacy.earlier = other_runs(directory, record.privacy.earlier);
  if (fs::exists(directory / kCertificate)) record.certificate = read_json_file(directory / kCertificate);
  return record;
}

}  // namespace sotto
