// The record of charges on disk: a line is there before the noise that it pays for is drawn.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accountant/spending.hpp"
#include "sotto/report/privacy_statement.hpp"

namespace sotto {

/// A file of JSON lines, appended to and flushed to the disk line by line; what stands in it is never taken back. The first
/// line of a run is its promise: no more than that was spent, whatever happened later. A `booked` line then says how
/// many releases of a kind were made at most, and what they cost at most; the latest line of a kind counts. Up to sixteen
/// releases each have a line; beyond, a line covers `ahead` times as many as were made, so that a long chain writes few. The last
/// line is `closed`, with the exact charges; where it is missing the run was killed and the lines before it are the record.
/// As long as a journal lives no other process writes into the file, whatever became of other locks: lines of two would be taken for each other's.
/// Checked by tests/sotto_io/charge_journal_test.cpp: comes_before_the_noise, is_one_processes_at_a_time
class ChargeJournal {
 public:
  /// Writes nothing yet. `promise`: what the run may spend at most, and whose rows. Errors: cannot_create where another process holds the file.
  /// `ahead` > 1: more means fewer lines, and more that is taken for spent where the process is killed.
  ChargeJournal(std::filesystem::path file, nlohmann::ordered_json promise, double ahead = 2);
  ~ChargeJournal();
  ChargeJournal(const ChargeJournal&) = delete;
  ChargeJournal& operator=(const ChargeJournal&) = delete;

  /// The promise, before anything is booked.
  void begin();
  /// Returns once the disk holds it. Errors: cannot_create, io; the release must then not be made.
  void book(const Booking& booking);
  /// The exact charges, and how the run ended. Nothing when nothing was booked.
  void close(const PrivacyStatement& statement, const std::string& ending);
  /// Whether whoever looks for the file finds it: so before every booking and line, and before results are placed beside it.
  [[nodiscard]] bool is_in_place() const;
  /// Errors: io where it is not.
  void require_place();
  /// Whether anything was booked.
  [[nodiscard]] bool used() const { return begun_; }
  /// Whether a line could not be written: the file then lacks it.
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  struct Cost {
    std::size_t count = 0;
    double rho = 0;
    double slack = 0;
  };
  struct Kind {
    Cost made;
    Cost on_disk;
  };
  void open();
  [[noreturn]] void refuse_another() const;
  void append(const nlohmann::ordered_json& line);
  void append_text(const std::string& text);

  std::filesystem::path path_;
  nlohmann::ordered_json promise_;
  double ahead_;
  std::map<std::pair<std::string, std::string>, Kind> kinds_;  // by query and mechanism
  int file_ = -1;
  bool begun_ = false;
  bool failed_ = false;
};

/// What the lines of a record say of a run.
struct RecordedRun {
  nlohmann::ordered_json opened;                                    ///< its promise, as it stands there
  nlohmann::ordered_json booked = nlohmann::ordered_json::array();  ///< the latest line of each kind
  nlohmann::ordered_json closed{};  ///< null: killed, or its lines cannot be told from another run's
};

/// The runs of a record, in their order; none where there is no file. A line that is not whole is the last of a run that was killed.
/// Where other lines of a run follow it, or stand before any promise, the record was damaged: they are taken for another run's, which
/// promised nobody knows what (`opened` is null). Lines do not say whose they are: they are taken for those of the run that was opened
/// last, which is wrong for runs that wrote at the same time. Promises are each run's own.
/// Checked by tests/sotto_io/charge_journal_test.cpp: is_read_back_run_by_run, a_damaged_line_leaves_no_figure
[[nodiscard]] std::vector<RecordedRun> read_charge_record(const std::filesystem::path& file);

/// What runs promised, whatever they spent of it: a run that ends early because of what it saw is covered by
/// its promise, not by its books. Promises to other units, or of another adjacency, do not add up to `promise`, nor do those
/// that cannot be read, or protect persons and do not say by which column they are told apart: then both figures are infinite.
/// Source     basic composition [DR14, Theorem 3.16]
/// Checked by tests/sotto_io/charge_journal_test.cpp: only_promises_to_the_same_unit_add_up
[[nodiscard]] EarlierRuns promised_by(std::span<const RecordedRun> runs,
                                      const nlohmann::ordered_json& promise);

/// What all of `runs` promised together, to the unit of the last.
/// Checked by tests/sotto_io/charge_journal_test.cpp: persons_told_apart_by_another_column_are_another_unit
[[nodiscard]] EarlierRuns promised_together(std::span<const RecordedRun> runs);

/// What the runs of a record promised, to the unit of `promise`. A promise stands on the disk before the first release, so that what is not whole was not needed.
[[nodiscard]] EarlierRuns read_earlier_runs(const std::filesystem::path& file,
                                            const nlohmann::ordered_json& promise);

}  // namespace sotto
