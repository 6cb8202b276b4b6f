#include "sotto_io/owner_books.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/round_up.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

constexpr double kAhead = 1 + 1.0 / 16;
constexpr const char* kBooksFile = "charges.jsonl";

/// What one process booked.
struct Booked {
  double rho = 0;
  double slack = 0;
};

[[noreturn]] void damaged(const std::filesystem::path& file) {
  throw Error(ErrorCode::data,
              fmt::format("the books {} cannot be read: what was spent is not known, so nothing is answered; "
                          "mend them, or keep new ones for rows that were never asked",
                          file.string()));
}

double figure(const nlohmann::ordered_json& line, const char* key, const std::filesystem::path& file) {
  if (!line.contains(key) || !line.at(key).is_number()) damaged(file);
  const double value = line.at(key).get<double>();
  if (!(value >= 0) || !std::isfinite(value)) damaged(file);
  return value;
}

Booked booked_by(const RecordedRun& run, const std::filesystem::path& file) {
  if (run.closed.is_object()) return {figure(run.closed, "rho", file), figure(run.closed, "slack", file)};
  Booked all;
  for (const auto& line : run.booked) {
    all.rho = add_up(all.rho, figure(line, "rho", file));
    all.slack = add_up(all.slack, figure(line, "slack", file));
  }
  return all;
}

/// Charges to rows and to persons, or by another adjacency, are not of one kind.
void refuse_another_unit(const RecordedRun& run, const nlohmann::ordered_json& promise,
                         const std::filesystem::path& file) {
  for (const char* key : {"adjacency", "privacy_unit", "person", "maximum_rows"}) {
    const bool here = promise.contains(key);
    const bool there = run.opened.is_object() && run.opened.contains(key);
    if (here == there && (!here || promise.at(key) == run.opened.at(key))) continue;
    refuse(
        fmt::format("the books {} are of another unit or adjacency than the schema declares: charges to both "
                    "do not add up",
                    file.string()));
  }
}

/// Every line but those that a killed process could not finish: the last one, without its end, and one before the next process's
/// first. What can be read as JSON was finished.
void check_lines(const std::filesystem::path& file) {
  std::istringstream lines(read_whole_file(file));
  bool begun = false;
  bool torn = false;
  bool ended = true;
  for (std::string text; std::getline(lines, text);) {
    ended = !lines.eof();
    const auto line = nlohmann::ordered_json::parse(text, nullptr, false);
    const bool whole = line.is_object() && line.size() == 1 && line.front().is_object();
    const bool opens = whole && line.contains("opened");
    const bool books = whole && (line.contains("booked") || line.contains("closed"));
    if (torn && !opens) damaged(file);
    torn = line.is_discarded() && text.starts_with(std::string_view("{\"").substr(0, text.size()));
    if (!torn && !opens && !(books && begun)) damaged(file);
    begun = begun || opens;
  }
  if (!begun || (torn && ended)) damaged(file);
}

void check_whether_there(const std::filesystem::path& directory, OwnerBooks::Begin begin) {
  const bool there = std::filesystem::exists(directory / kBooksFile);
  if (begin == OwnerBooks::Begin::again && !there) {
    throw Error(
        ErrorCode::no_input,
        fmt::format("there are no books in {}: what these rows were asked before is not known. If nothing "
                    "was, begin them with --new-books; else find them",
                    directory.string()));
  }
  if (begin == OwnerBooks::Begin::anew && there) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("there are books in {} already, and they count: leave out --new-books",
                            directory.string()));
  }
}

RunLock lock_of(const std::filesystem::path& directory, OwnerBooks::Begin begin) {
  check_whether_there(directory, begin);
  try {
    return RunLock(directory);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("the books in {} are held by another process, or cannot be locked: "
                                          "one sotto serve keeps them at a time",
                                          directory.string()));
  }
}

}  // namespace

OwnerBooks::OwnerBooks(const std::filesystem::path& directory, Begin begin, Epsilon epsilon, Delta delta,
                       const nlohmann::ordered_json& promise)
    : alone_(lock_of(directory, begin)),
      journal_(directory / kBooksFile, promise, kAhead),
      budget_(epsilon, delta, [this](const Booking& booking) {
        if (carried_) return;
        journal_.book(booking);
        rho_ = add_up(rho_, booking.charge.rho.value());
        slack_ = add_up(slack_, booking.charge.slack);
      }) {
  if (begin == Begin::anew) journal_.begin();
  check_lines(journal_.path());
  Booked all;
  for (const RecordedRun& run : read_charge_record(journal_.path())) {
    refuse_another_unit(run, promise, journal_.path());
    const Booked one = booked_by(run, journal_.path());
    all.rho = add_up(all.rho, one.rho);
    all.slack = add_up(all.slack, one.slack);
  }
  if (all.rho == 0 && all.slack == 0) return;
  carried_ = true;
  exhausted_ = !budget_.spend({.query = "booked before",
                               .mechanism = "as the books say",
                               .rho = Rho(all.rho),
                               .slack = all.slack,
                               .event = {}});
  carried_ = false;
}

std::optional<Receipt> OwnerBooks::spend(Charge charge) {
  if (exhausted_ || journal_.failed()) return std::nullopt;
  return budget_.spend(std::move(charge));
}

std::vector<bool> OwnerBooks::grants(std::span<const Charge> charges) const {
  if (exhausted_ || journal_.failed()) return std::vector<bool>(charges.size(), false);
  return budget_.grants(charges);
}

std::optional<PrecomposedBudget> OwnerBooks::precompose(Charge, std::size_t, Epsilon, Rho) {
  return std::nullopt;
}

Rho OwnerBooks::left() const { return exhausted_ ? Rho(0) : budget_.left(); }

void OwnerBooks::close() {
  if (!journal_.used()) return;
  PrivacyStatement stated;
  stated.is_private = true;
  stated.epsilon = epsilon().value();
  stated.delta = delta().value();
  stated.rho = rho_;
  stated.slack = slack_;
  stated.spent_epsilon = budget_.spent_epsilon(delta()).value();
  journal_.close(stated, "ended");
}

}  // namespace sotto
