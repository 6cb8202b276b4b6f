#include "sotto_io/charge_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/report/run_json.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

constexpr std::size_t kSingleLines = 16;
constexpr double kUp = 1 + 0x1p-40;  // more than the rounding of a sum of charges

std::string journal_line(const nlohmann::ordered_json& line) {
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

ChargeJournal::ChargeJournal(std::filesystem::path file, nlohmann::ordered_json promise, double ahead)
    : path_(std::move(file)), promise_(std::move(promise)), ahead_(ahead) {
  std::error_code absent;
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(path_, absent))) open();
}

ChargeJournal::~ChargeJournal() {
  if (file_ >= 0) ::close(file_);
}

void ChargeJournal::open() {
  make_directory(path_.has_parent_path() ? path_.parent_path() : std::filesystem::path("."));
  file_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("cannot open the record of charges {}: {}; nothing was released", path_.string(),
                            std::strerror(errno)));
  }
  struct stat about {};
  if (::fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(std::exchange(file_, -1));
    throw Error(
        ErrorCode::cannot_create,
        fmt::format("the record of charges {} is no file that keeps them: move it away, or choose another "
                    "--out; nothing was released",
                    path_.string()));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(std::exchange(file_, -1));
  refuse_another();
}

void ChargeJournal::refuse_another() const {
  throw Error(ErrorCode::cannot_create,
              fmt::format("the record of charges {} is another process's, or cannot be locked: wait for its "
                          "end; nothing was released",
                          path_.string()));
}

void ChargeJournal::append(const nlohmann::ordered_json& line) { append_text(journal_line(line)); }

bool ChargeJournal::is_in_place() const { return file_ < 0 || is_named(file_, path_); }

void ChargeJournal::require_place() {
  if (is_in_place()) return;
  failed_ = true;
  throw Error(ErrorCode::io, fmt::format("the record of charges {} was moved or taken away while the run was "
                                         "at work; nothing was released after that",
                                         path_.string()));
}

void ChargeJournal::append_text(const std::string& text) {
  require_place();
  if (!write_and_flush(file_, text)) {
    failed_ = true;
    throw Error(
        ErrorCode::io,
        fmt::format("cannot write the record of charges {}: {}; nothing was released that it does not hold",
                    path_.string(), std::strerror(errno)));
  }
}

void ChargeJournal::begin() {
  if (begun_) return;
  const bool is_new = file_ < 0;
  if (is_new) open();
  const off_t size = ::lseek(file_, 0, SEEK_END);
  if (is_new && size > 0) refuse_another();  // which began meanwhile: nobody has read what it wrote
  begun_ = true;
  // A line that an earlier run could not finish stays a line of its own: it is ended by the write that opens this one.
  char last = '\n';
  const bool torn = size > 0 && ::pread(file_, &last, 1, size - 1) == 1 && last != '\n';
  append_text((torn ? "\n" : "") + journal_line({{"opened", promise_}}));
  flush_directory(path_);
}

void ChargeJournal::book(const Booking& booking) {
  begin();
  require_place();
  const Charge& charge = booking.charge;
  Kind& kind = kinds_[{charge.query, charge.mechanism}];
  const auto count = static_cast<double>(booking.count);
  Cost& made = kind.made;
  made.count += booking.count;
  made.rho = (made.rho + count * charge.rho.value()) * kUp;
  made.slack = (made.slack + count * charge.slack) * kUp;
  Cost& disk = kind.on_disk;
  if (made.count <= disk.count && made.rho <= disk.rho && made.slack <= disk.slack) return;
  const bool ahead = !booking.composed && made.count > kSingleLines;
  disk = made;
  if (ahead) {
    const double covered = std::ceil(ahead_ * static_cast<double>(made.count));
    disk = {static_cast<std::size_t>(covered), ahead_ * made.rho, ahead_ * made.slack};
  }
  nlohmann::ordered_json line{
      {"query", charge.query}, {"mechanism", charge.mechanism}, {"count", disk.count}};
  // Of releases priced as one composition only the composition has a cost.
  if (booking.composed) {
    line["composed_epsilon"] = booking.composed->value();
  } else {
    line["rho"] = disk.rho;
  }
  line["slack"] = disk.slack;
  append({{"booked", line}});
}

void ChargeJournal::close(const PrivacyStatement& statement, const std::string& ending) {
  if (!begun_) return;
  const nlohmann::ordered_json all = to_json(statement);
  append({{"closed",
           {{"ending", ending},
            {"spent_epsilon", all.at("spent_epsilon")},
            {"delta", all.at("delta")},
            {"rho", all.at("rho")},
            {"slack", all.at("slack")},
            {"releases", all.at("releases")}}}});
}

namespace {

void note(const nlohmann::ordered_json& line, RecordedRun& run) {
  if (line.contains("closed")) {
    run.closed = run.closed.is_null() ? line.at("closed") : nlohmann::ordered_json("several");
  } else if (line.contains("booked") && line.at("booked").is_object()) {
    const auto& booked = line.at("booked");
    const auto kind = [](const nlohmann::ordered_json& one) {
      const nlohmann::ordered_json none;
      return std::pair(one.value("query", none), one.value("mechanism", none));
    };
    for (auto& known : run.booked) {
      if (kind(known) != kind(booked)) continue;
      known = booked;
      return;
    }
    run.booked.push_back(booked);
  }
}

}  // namespace

std::vector<RecordedRun> read_charge_record(const std::filesystem::path& file) {
  std::vector<RecordedRun> runs;
  if (!std::filesystem::is_regular_file(file)) return runs;
  std::istringstream lines(read_whole_file(file));
  int torn = 0;  // lines before this one
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!json.is_object()) {
      if (++torn == 2) runs.push_back({.opened = nullptr});
      continue;
    }
    if (json.contains("opened")) {
      runs.push_back({.opened = json.at("opened")});
    } else {
      // A run that could not finish a line wrote no other.
      if (torn == 1 || runs.empty()) runs.push_back({.opened = nullptr});
      note(json, runs.back());
    }
    torn = 0;
  }
  for (RecordedRun& run : runs) {
    if (!run.closed.is_object()) run.closed = nullptr;
  }
  return runs;
}

namespace {

constexpr double kNoFigure = std::numeric_limits<double>::infinity();

/// Of a person all rows are protected, however many of them a run uses at most.
std::string unit_of(const nlohmann::ordered_json& opened) {
  std::string unit = opened.at("privacy_unit").get<std::string>();
  const std::size_t rows = unit.rfind("at most ");
  const std::size_t end = unit.find(')', std::min(rows, unit.size()));
  return end == std::string::npos ? unit : unit.erase(rows, end - rows);
}

/// Rows are one unit whatever the table is. Persons told apart by another column are other units, of which one may hold rows of
/// many of these, and where no column is named nobody knows.
bool protect_the_same(const nlohmann::ordered_json& one, const nlohmann::ordered_json& other) {
  for (const nlohmann::ordered_json* opened : {&one, &other}) {
    const bool says = opened->is_object() && opened->contains("adjacency") &&
                      opened->contains("privacy_unit") && opened->at("privacy_unit").is_string();
    if (!says) return false;
  }
  if (one.at("adjacency") != other.at("adjacency") || unit_of(one) != unit_of(other)) return false;
  const bool is_row = unit_of(one).starts_with("one row");
  return is_row ||
         (one.contains("person") && other.contains("person") && one.at("person") == other.at("person"));
}

/// What a run promised is added to `all`, as far as it is a figure.
void add_promise(const nlohmann::ordered_json& opened, bool adds_up, EarlierRuns& all) {
  const auto promised = [&](const char* key) {
    return adds_up && opened.is_object() && opened.contains(key) && opened.at(key).is_number() &&
                   opened.at(key) >= 0.0
               ? opened.at(key).get<double>()
               : kNoFigure;
  };
  ++all.count;
  all.epsilon = (all.epsilon + promised("epsilon")) * kUp;
  all.delta = (all.delta + promised("delta")) * kUp;
  if (!std::isfinite(all.epsilon + all.delta)) all.epsilon = all.delta = kNoFigure;
}

}  // namespace

EarlierRuns promised_by(std::span<const RecordedRun> runs, const nlohmann::ordered_json& promise) {
  EarlierRuns all;
  for (const RecordedRun& run : runs) add_promise(run.opened, protect_the_same(run.opened, promise), all);
  return all;
}

EarlierRuns promised_together(std::span<const RecordedRun> runs) {
  if (runs.empty()) return {};
  const nlohmann::ordered_json& last = runs.back().opened;
  EarlierRuns all = promised_by(runs.first(runs.size() - 1), last);
  add_promise(last, true, all);  // to itself it is no other unit, whatever it says of it
  return all;
}

EarlierRuns read_earlier_runs(const std::filesystem::path& file, const nlohmann::ordered_json& promise) {
  return promised_by(read_charge_record(file), promise);
}

}  // namespace sotto
