// Draws in CmdStan's CSV format: written for ArviZ, CmdStanPy, CmdStanR and R posterior, read from anywhere.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "sotto/chain/draws.hpp"

namespace sotto {

/// What the header of a chain file tells beside the draws. Values hold no '=' and no line break.
struct CsvHeader {
  std::string model = "sotto";
  std::string started;                                     ///< "YYYY-MM-DD HH:MM:SS UTC"
  std::vector<std::pair<std::string, std::string>> about;  ///< written with the prefix `dp_`
  double warmup_seconds = 0;
  double sampling_seconds = 0;
};

/// Writes one chain. `chain_id` counts from 1. The column lp__ holds the step value "log_prior", or 0: the
/// exact log density of the data is data. Other step values become columns NAME__. Errors: internal when a
/// step value is called "lp" or its length is not the number of draws.
void write_cmdstan_csv(std::ostream& out, const CsvHeader& header, const std::vector<std::string>& parameters,
                       const Chain& chain, std::size_t chain_id);

/// Reads one chain from a CmdStan CSV file, also from another program; warmup rows are dropped. Columns
/// ending in __ become step values (lp__ under the name "lp"). Errors: no_input, data with the line's number.
[[nodiscard]] std::pair<std::vector<std::string>, Chain> read_cmdstan_csv(const std::filesystem::path& file);

/// Reads several files as the chains of one run. Errors: data when their columns differ.
[[nodiscard]] Draws read_cmdstan_csv(const std::vector<std::filesystem::path>& files);

}  // namespace sotto
