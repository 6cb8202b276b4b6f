#include "sotto/report/deployment_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> mechanisms(const PrivacyStatement& s) {
  std::map<std::string, std::size_t> counts;
  for (const ReleaseLine& line : s.releases) counts[line.mechanism] += line.count;
  std::vector<std::string> named;
  named.reserve(counts.size());
  for (const auto& [mechanism, count] : counts)
    named.push_back(fmt::format("{}, {} release{}", mechanism, count, count == 1 ? "" : "s"));
  return named;
}

Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json privacy_loss(const PrivacyStatement& s) {
  return {
      {"privacy_unit", s.privacy_unit},
      {"privacy_unit_description",
       s.adjacency == Adjacency::substitute
           ? "Neighbours: one unit exchanged for another; how many there are is not protected."
           : "Neighbours: one unit more or less."},
      {"privacy_parameters",
       {{"epsilon", finite(s.epsilon + s.earlier.epsilon)}, {"delta", finite(s.delta + s.earlier.delta)}}},
      {"privacy_parameters_description",
       s.earlier.count == 0 ? "A limit that no release of the run could pass." : with_earlier(s)}};
}

}  // namespace

Json deployment_json(const RunRecord& record) {
  const PrivacyStatement& s = record.privacy;
  return {{"status", "Draft"},
          {"deployment",
           {{"product",
             {{"name", record.title},
              {"data_curators", Json::array()},
              {"intended_use", ""},
              {"data_product_type", "Posterior draws of a statistical model"},
              {"data_product_region", ""},
              {"description", fmt::format("{}, method {}", record.model, record.method)},
              {"publication_date", ""}}},
            {"dp_flavor",
             {{"name", "Approximate DP"},
              {"unprotected_quantities",
               "Schema, bounds and levels are taken as declared; how they were found is for their author to "
               "say."}}},
            {"privacy_loss", privacy_loss(s)},
            {"model",
             {{"model_name", s.owners.empty() ? "Central" : "Several owners, each with noise of its own"},
              {"model_name_description", s.trust_model},
              {"release_type", s.earlier.count == 0 ? "One release" : "Many releases"},
              {"data_source_type", "Static"},
              {"access_type", "Non-interactive"}}},
            {"accounting",
             {{"post_processing", "The posterior is computed from the releases alone."},
              {"composition",
               std::isfinite(s.rho)
                   ? "Zero-concentrated differential privacy, within a filter that ends at the limit."
                   : "All releases were composed at once, before the run."}}},
            {"implementation",
             {{"mechanisms", fmt::format("{}", fmt::join(mechanisms(s), "; "))},
              {"software", made_by(record)},
              {"justification", ""}}},
            {"resources", {{"sources", ""}, {"registry_authors", Json::array()}}}}}};
}

}  // namespace sotto
