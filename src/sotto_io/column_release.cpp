#include "sotto_io/column_release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/data/decode.hpp"
#include "sotto/report/privacy_statement.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/output_guard.hpp"
#include "sotto_io/privatised_file.hpp"
#include "sotto_io/release_fingerprint.hpp"
#include "sotto_io/result_files.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto {
namespace {

/// Histograms alone have none, and so no order.
bool has_rows(const ColumnRelease& release) {
  return !std::ranges::all_of(
      release.columns, [](const ColumnSettings& column) { return channel_row(column.channel).global; });
}

/// What the release that stands there cost, and those before it, which the new description must carry on.
std::vector<Guarantee> earlier_charges(const std::filesystem::path& channel_file) {
  if (!std::filesystem::exists(channel_file)) return {};
  try {
    ChannelFile file = read_channel_file(channel_file);
    file.earlier.push_back(file.total);
    return std::move(file.earlier);
  } catch (const Error&) {
    throw Error(
        ErrorCode::cannot_create,
        fmt::format("{} does not say what the release beside it cost: move both away, or choose another "
                    "output",
                    channel_file.string()));
  }
}

/// Noise on noise has no channel that could be described.
void check_inputs(const ColumnRelease& release) {
  for (const std::filesystem::path& input : release.inputs) {
    std::error_code broken;  // told of when it is opened
    const std::filesystem::path target = std::filesystem::weakly_canonical(input, broken);
    if (!input.empty() && !broken && is_of_release(target))
      throw Error(ErrorCode::usage,
                  fmt::format("{} is a release already, with noise of its own: name the confidential table "
                              "(or, if it only has that name, move {} away)",
                              input.string(), channel_file_beside(target).string()));
  }
}

/// Nothing that is an input is written over.
void check_place(const ColumnRelease& release, const std::filesystem::path& channel_file) {
  const std::string extension = release.out.extension().string();
  if (!extension.empty() && extension != ".csv" && extension != ".txt" && extension != ".parquet") {
    throw Error(
        ErrorCode::usage,
        fmt::format("--out {}: a CSV or a Parquet file is written, so let its name end in .csv or .parquet",
                    release.out.string()));
  }
  require_plain_file(release.out, "choose another --out");
  require_plain_file(channel_file, "choose another --out");
  std::vector<std::filesystem::path> kept = release.inputs;
  const std::filesystem::path folder = std::filesystem::absolute(release.out).parent_path();
  if (std::filesystem::exists(charges_file(folder))) {
    for (const std::filesystem::path& result : standing_results(folder)) kept.push_back(result);
    kept.push_back(charges_file(folder));
  }
  refuse_overwriting_inputs(std::vector{release.out, channel_file}, kept);
  if (release.out.has_parent_path() && !std::filesystem::is_directory(release.out.parent_path())) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("cannot create {}: there is no directory {}", release.out.string(),
                            release.out.parent_path().string()));
  }
}

/// Nor is a release that was paid for, or anything that no run of ours wrote.
void check_earlier(const ColumnRelease& release, const std::filesystem::path& channel_file,
                   const std::function<void(const std::string&)>& warn) {
  if (!std::filesystem::exists(release.out) && !std::filesystem::exists(channel_file)) return;
  if (!std::filesystem::exists(channel_file) && !is_result_of_ours(release.out))
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} exists and has no description beside it, so that nothing says whether it was "
                            "released and what it cost: move it away, or choose another --out",
                            release.out.string()));
  if (!release.overwrite) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} or its description exists: choose another --out, or add --overwrite",
                            release.out.string()));
  }
  warn(fmt::format("overwriting {}; if these rows were released before, the two releases add up",
                   release.out.string()));
}

void check_columns(const ColumnRelease& release) {
  for (const ColumnSettings& column : release.columns) {
    std::set<std::string_view> categories;
    for (const std::string& level : column.levels) {
      if (!categories.insert(trim(level)).second)
        throw Error(ErrorCode::configuration,
                    fmt::format("column '{}': category '{}' is named twice", column.name, trim(level)));
    }
  }
  const bool needs_delta = std::ranges::any_of(
      release.columns, [](const ColumnSettings& column) { return channel_row(column.channel).needs_delta; });
  if (release.target.delta && !needs_delta)
    throw Error(ErrorCode::usage,
                fmt::format("the channel {} needs no delta: leave it out", release.columns[0].channel));
  if (release.order == RowOrder::kept && !has_rows(release))
    throw Error(
        ErrorCode::usage,
        fmt::format("the channel {} releases no rows, whose order could be kept (--keep-order): leave it out",
                    release.columns[0].channel));
}

constexpr double kUsualDelta = 1e-6;

/// What the promise of a release to so many rows is worth.
void judge(const ChannelFile& file, const std::function<void(const std::string&)>& warn) {
  const auto rows = static_cast<double>(file.rows);
  if (!std::isfinite(file.total.epsilon.value())) {
    const Delta delta(std::min(kUsualDelta, 1 / rows));
    const double epsilon = gaussian_epsilon(file.total.rho, delta).value();
    for (const std::string& sentence : promise_warnings(epsilon, delta.value(), rows))
      warn(fmt::format("rho {:g}, at delta {:g}: {}", file.total.rho.value(), delta.value(), sentence));
    return;
  }
  check_promise(file.total.delta.value(), rows);
  for (const std::string& sentence :
       promise_warnings(file.total.epsilon.value(), file.total.delta.value(), rows))
    warn(sentence);
}

/// What the file will hold is told apart by name.
void check_stored_names(const std::vector<Column>& columns) {
  std::set<std::string> names;
  for (const Column& column : columns)
    for (const std::string& name : stored_names(column))
      if (!names.insert(name).second)
        throw Error(ErrorCode::configuration,
                    fmt::format("two columns of the release would have the name '{}': rename one", name));
}

/// Empty where there is none; one that nobody may read is no other's text.
std::string description_at(const std::filesystem::path& channel_file) {
  if (!std::filesystem::exists(channel_file)) return {};
  try {
    return read_whole_file(channel_file);
  } catch (const Error&) {
    return "unreadable";
  }
}

/// Whose lock was taken away has perhaps another run beside it, or had one: its description would be written over by one that knows
/// nothing of its release. `description`: as this run read or wrote it.
void require_alone(const RunLock& alone, const ColumnRelease& release, const std::string& description) {
  if (alone.is_held() && description_at(channel_file_beside(release.out)) == description) return;
  throw Error(
      ErrorCode::io,
      fmt::format("{0}.lock was moved or taken away while the run was at work, or the description beside {0} "
                  "was changed: nothing was written after that",
                  release.out.string()));
}

/// The description, before any values and on the disk: when it cannot be written nothing has been spent, and it is the record of what
/// is. The values that stood there are gone before it, as it is not theirs; nor is any table, until values are drawn. Returns what stands there now.
std::string write_description(const ColumnRelease& release, const std::filesystem::path& channel_file,
                              ChannelFile& file) {
  for (const Column& column : file.columns) file.fingerprints[column.settings.name] = kNoRelease;
  std::string text = channel_file_text(file);
  const std::filesystem::path aside = write_aside(channel_file, text);
  std::error_code error;
  std::filesystem::remove(release.out, error);
  if (error) {
    std::filesystem::remove(aside, error);
    throw Error(ErrorCode::cannot_create, fmt::format("cannot replace {}", release.out.string()));
  }
  flush_directory(release.out);
  put_in_place(aside, channel_file);
  return text;
}

void write_values(const ColumnRelease& release, const std::filesystem::path& channel_file, ChannelFile& file,
                  const RunLock& alone, const std::string& described,
                  const std::function<Released<std::vector<PrivatisedColumn>>()>& draw) {
  const auto spent = [&](ErrorCode code, const char* what) {
    return Error(
        code, fmt::format("{}; the release is spent all the same, as {} says", what, channel_file.string()));
  };
  try {
    const Released<std::vector<PrivatisedColumn>> released = draw();
    for (std::size_t c = 0; c < file.columns.size(); ++c)
      file.fingerprints[file.columns[c].settings.name] =
          release_fingerprint(file.columns[c], released.value()[c]);
    require_alone(alone, release, described);
    write_channel_file(channel_file, file);
    write_privatised(release.out, file, released);
  } catch (const Error& error) {
    throw spent(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    throw spent(ErrorCode::io, "there is too little memory");
  }
}

}  // namespace

ChannelFile release_columns(const ColumnRelease& release, const RecordReader& records, EntropySource& entropy,
                            const std::function<void(const std::string&)>& warn) {
  const std::filesystem::path channel_file = channel_file_beside(release.out);
  check_columns(release);
  check_inputs(release);
  check_place(release, channel_file);
  const RunLock alone = RunLock::beside(release.out);  // until its description says what was spent
  check_earlier(release, channel_file, warn);
  const std::string before = description_at(channel_file);
  std::vector<Guarantee> earlier = earlier_charges(channel_file);
  std::vector<std::string> names;
  for (const ColumnSettings& s : release.columns) names.push_back(s.name);
  const std::vector<std::vector<std::string>> cells = read_cells(records, names);
  const std::size_t rows = cells.at(0).size();
  if (rows == 0) throw Error(ErrorCode::data, "the table has no rows");

  Privatiser privatiser(plan_columns(release.columns, release.target, rows), entropy);
  ChannelFile file{privatiser.plan().columns, privatiser.plan().total, rows, entropy.name(),
                   entropy.is_private()};
  file.earlier = std::move(earlier);
  file.shuffled = release.order == RowOrder::shuffled && has_rows(release);
  judge(file, warn);
  check_stored_names(file.columns);
  require_alone(alone, release, before);
  const std::string described = write_description(release, channel_file, file);
  if (release.order == RowOrder::kept)
    warn("the rows keep their order; if the file was sorted by anything, the order tells of the values");
  write_values(release, channel_file, file, alone, described,
               [&] { return privatiser.release(cells, release.order); });
  return file;
}

nlohmann::json release_summary(const ChannelFile& file, const ColumnRelease& release) {
  nlohmann::json columns = nlohmann::json::array();
  for (const Column& column : file.columns) {
    const Guarantee promised = guarantee(column.channel);
    nlohmann::json entry{{"name", column.settings.name}, {"channel", column.settings.channel}};
    if (std::isfinite(promised.epsilon.value())) {
      entry["epsilon"] = promised.epsilon.value();
      entry["delta"] = promised.delta.value();
    }
    entry["rho"] = promised.rho.value();
    columns.push_back(entry);
  }
  nlohmann::json result{{"out", release.out.string()},
                        {"channel_file", channel_file_beside(release.out).string()},
                        {"rows", file.rows},
                        {"adjacency", "substitute"},
                        {"privacy_unit", "one row"},
                        {"rho", file.total.rho.value()},
                        {"noise_source", file.noise_source},
                        {"row_order", release.order == RowOrder::kept ? "kept" : "shuffled"},
                        {"private", file.is_private},
                        {"columns", columns}};
  if (std::isfinite(file.total.epsilon.value())) {
    result["epsilon"] = file.total.epsilon.value();
    result["delta"] = file.total.delta.value();
  }
  if (!file.earlier.empty()) {
    const Guarantee sum = with_earlier(file);
    result["with_earlier"] = {{"releases", file.earlier.size() + 1}, {"rho", sum.rho.value()}};
    if (std::isfinite(sum.epsilon.value())) {
      result["with_earlier"]["epsilon"] = sum.epsilon.value();
      result["with_earlier"]["delta"] = sum.delta.value();
    }
  }
  return result;
}

}  // namespace sotto
