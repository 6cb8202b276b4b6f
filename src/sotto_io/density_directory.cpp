#include "sotto_io/density_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "sotto/report/run_record.hpp"
#include "sotto_io/cmdstan_csv.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/density_page.hpp"
#include "sotto_io/density_warnings.hpp"
#include "sotto_io/result_files.hpp"

namespace sotto {
namespace {

// Co-clustering matrices beyond this many data would dwarf everything else.
constexpr std::size_t kLargestMatrix = 300;

std::string density_csv(const DensityReport& report) {
  const bool marked = !draws_are_private(report);
  const char* mark = marked ? ",1\n" : "\n";
  std::string text = "column,x,mean,lower,upper,simultaneous_lower,simultaneous_upper,prior,deconvolution";
  text += marked ? ",NOT_PRIVATE\n" : "\n";
  for (std::size_t d = 0; d < report.result.columns.size(); ++d) {
    const ColumnDensity& c = report.result.columns[d];
    for (Eigen::Index x = 0; x < c.grid.size(); ++x) {
      text += fmt::format("{},{},{:.8g},{:.8g},{:.8g},{:.8g},{:.8g},{:.8g},", csv_field(c.name),
                          csv_field(point_name(report, d, x)), c.bands.mean[x], c.bands.lower[x],
                          c.bands.upper[x], c.bands.simultaneous_lower[x], c.bands.simultaneous_upper[x],
                          c.prior[x]);
      if (c.deconvolution) text += fmt::format("{:.8g}", (*c.deconvolution)[x]);
      text += mark;
    }
  }
  return text;
}

std::string synthetic_csv(const DensityReport& report) {
  const std::vector<std::vector<double>>& columns = report.result.synthetic;
  const auto end_line = [](std::string& text, const char* mark) {
    text.back() = '\n', text.insert(text.size() - 1, mark);
  };
  std::string text;
  for (std::size_t d = 0; d < columns.size(); ++d) text += csv_field(report.result.columns[d].name) + ",";
  end_line(text, draws_are_private(report) ? "" : ",NOT_PRIVATE");
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const std::vector<std::string>& levels = report.levels[d];
      text += levels.empty() ? fmt::format("{:.10g}", columns[d][row])
                             : csv_field(levels[static_cast<std::size_t>(columns[d][row])]);
      text += ',';
    }
    end_line(text, draws_are_private(report) ? "" : ",1");
  }
  return text;
}

double mean_clusters(const DensityResult& r) {
  double mean = 0;
  for (std::size_t k = 0; k < r.cluster_count.size(); ++k)
    mean += static_cast<double>(k) * r.cluster_count[k];
  return mean;
}

nlohmann::json partition_json(const mixture::PointPartition& p) {
  return {{"allocation", p.allocation},
          {"clusters", 1 + *std::max_element(p.allocation.begin(), p.allocation.end())},
          {"expected_loss", p.expected_loss}};
}

nlohmann::json clusters_json(const DensityReport& report) {
  const DensityResult& r = report.result;
  nlohmann::json out{{"private", draws_are_private(report)},
                     {"release", release_of(report)},
                     {"probability_of_count", r.cluster_count},
                     {"mean_count", mean_clusters(r)}};
  if (!r.by_vi) {
    out["note"] = "one release describes all rows together, so it does not tell which rows belong together";
    return out;
  }
  out["partition_vi"] = partition_json(*r.by_vi);
  if (r.by_binder) out["partition_binder"] = partition_json(*r.by_binder);
  if (r.by_vi->allocation.size() <= kLargestMatrix) {
    const Matrix together = mixture::co_clustering(r.partitions);
    nlohmann::json rows = nlohmann::json::array();
    for (Eigen::Index i = 0; i < together.rows(); ++i) {
      nlohmann::json row = nlohmann::json::array();
      for (Eigen::Index j = 0; j < together.cols(); ++j)
        row.push_back(std::round(together(i, j) * 1e4) / 1e4);
      rows.push_back(std::move(row));
    }
    out["co_clustering"] = std::move(rows);
  }
  return out;
}

std::string chain_csv(const DensityReport& report, std::size_t chain) {
  CsvHeader header;
  header.model = "sotto density";
  header.started = utc_now();
  header.about.emplace_back("private", draws_are_private(report) ? "1" : "0 (NOT PRIVATE)");
  for (std::size_t d = 0; d < report.channels.size(); ++d) {
    header.about.emplace_back("column", report.result.columns[d].name);
    header.about.emplace_back("channel", report.channels[d]);
  }
  header.about.emplace_back("algorithm", report.result.algorithm);
  std::ostringstream text;
  const Draws& draws = report.result.draws;
  write_cmdstan_csv(text, header, draws.parameters, draws.chains[chain], chain + 1);
  return text.str();
}

nlohmann::json number_or_null(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); }

}  // namespace

nlohmann::json density_summary(const DensityReport& report) {
  const DensityResult& r = report.result;
  nlohmann::json columns = nlohmann::json::array();
  for (std::size_t d = 0; d < r.columns.size(); ++d) {
    const ColumnDensity& c = r.columns[d];
    nlohmann::json entry{
        {"name", c.name},        {"channel", report.channels[d]},     {"hellinger_from_prior", c.hellinger},
        {"band_width", c.width}, {"prior_band_width", c.prior_width}, {"verdict", verdict(report, d)}};
    for (const auto& [number, value] : c.base) entry["base"][number] = value;
    if (c.bandwidth > 0) entry["deconvolution_bandwidth"] = c.bandwidth;
    columns.push_back(std::move(entry));
  }
  nlohmann::json out{{"columns", columns},
                     {"release", release_of(report)},
                     {"rows", report.rows},
                     {"private", is_private(report)},
                     {"illegal_cells", illegal_cells(report)},
                     {"algorithm", r.algorithm},
                     {"kernel", r.kernel},
                     {"mixing", report.settings.mixing},
                     {"mean_clusters", mean_clusters(r)}};
  if (report.settings.mixing == "finite") out["components"] = report.settings.components;
  if (report.settings.concentration_prior) {
    out["concentration_prior"] = {{"shape", report.settings.concentration_prior->shape},
                                  {"rate", report.settings.concentration_prior->rate}};
  } else {
    out["concentration"] = report.settings.concentration;
  }
  if (report.settings.imputations > 1) out["imputations"] = report.settings.imputations;
  if (report.agreement) {
    out["adjusted_rand_index"] = *report.agreement;
    out["adjusted_rand_index_interval"] = {report.agreement_lower, report.agreement_upper};
  }
  if (r.by_vi) out["clusters_vi"] = partition_json(*r.by_vi)["clusters"];
  if (r.proposals.proposed > 0) {
    out["acceptance"] = static_cast<double>(r.proposals.accepted) / static_cast<double>(r.proposals.proposed);
    out["worst_log_ratio"] = r.proposals.worst_log_ratio;
  }
  for (const QuantityEstimate& q : r.quantities) {
    out["quantities"].push_back({{"quantity", q.text},
                                 {"parameter", q.parameter},
                                 {"mean", q.mean},
                                 {"sd", q.sd},
                                 {"lower", q.lower},
                                 {"upper", q.upper},
                                 {"level", report.settings.level},
                                 {"prior_lower", q.prior_lower},
                                 {"prior_upper", q.prior_upper},
                                 {"sentence", sentence(q, report.settings.level)}});
  }
  for (const QuantityDifference& d : report.differences) {
    out["differences"].push_back({{"quantity", d.text},
                                  {"mean", d.mean},
                                  {"sd", d.sd},
                                  {"lower", d.lower},
                                  {"upper", d.upper},
                                  {"level", report.settings.level},
                                  {"probability_positive", d.positive},
                                  {"sentence", sentence(d, report.settings.level)}});
  }
  for (const ParameterSummary& p : report.diagnostics) {
    out["diagnostics"][p.parameter] = {{"rhat", number_or_null(p.rhat)},
                                       {"ess_bulk", number_or_null(p.ess_bulk)},
                                       {"ess_tail", number_or_null(p.ess_tail)}};
  }
  out["warnings"] = warnings(report);
  return out;
}

void write_density(const std::filesystem::path& directory, const DensityReport& report) {
  std::vector<ResultFile> files{
      {"density.csv", [&] { return density_csv(report); }},
      {"clusters.json", [&] { return clusters_json(report).dump() + "\n"; }},
      {"synthetic.csv", [&] { return synthetic_csv(report); }},
      {"summary.json", [&] { return density_summary(report).dump(2) + "\n"; }},
      {"report.html", [&] { return density_html(report); }},
  };
  for (std::size_t c = 0; c < report.result.draws.chains.size(); ++c)
    files.push_back({fmt::format("chain_{}.csv", c + 1), [&report, c] { return chain_csv(report, c); }});
  replace_results(directory, files);
}

Partition read_partition(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "clusters.json";
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::no_input, fmt::format("cannot open '{}' for reading", path.string()));
  const nlohmann::json clusters = nlohmann::json::parse(file, nullptr, false);
  const auto allocation = nlohmann::json::json_pointer("/partition_vi/allocation");
  if (clusters.is_discarded() || !clusters.contains(allocation) || !clusters[allocation].is_array())
    throw Error(ErrorCode::data, fmt::format("'{}' holds no partition", path.string()));
  Partition partition{{}, clusters.value("private", false)};
  for (const nlohmann::json& label : clusters[allocation]) {
    if (!label.is_number_unsigned() || label.get<std::uint64_t>() >= clusters[allocation].size())
      throw Error(ErrorCode::data, fmt::format("'{}' holds no partition", path.string()));
    partition.labels.push_back(label.get<int>());
  }
  for (const nlohmann::json& fingerprint : clusters.value("release", nlohmann::json::array()))
    if (fingerprint.is_string()) partition.release.push_back(fingerprint.get<std::string>());
  return partition;
}

}  // namespace sotto
