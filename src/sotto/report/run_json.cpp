#include "sotto/report/run_json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json number(const std::optional<double>& x) { return x ? number(*x) : Json(nullptr); }

double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::optional<double> optional_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json release_json(const ReleaseLine& line) {
  return {{"query", line.query},
          {"mechanism", line.mechanism},
          {"sensitivity", number(line.sensitivity)},
          {"noise_scale", number(line.noise_scale)},
          {"grid", number(line.grid)},
          {"noise_multiplier", line.rho > 0 ? number(1 / std::sqrt(2 * line.rho)) : Json(nullptr)},
          {"count", line.count},
          {"rho_each", number(line.rho)},
          {"slack_each", number(line.slack)},
          {"sampling_rate", number(line.sampling_rate)}};
}

Json curve_json(const EffectCurve& curve) {
  Json weights = Json::array();
  for (const auto& row : curve.weights.rowwise())
    weights.push_back(std::vector<double>(row.begin(), row.end()));
  return {{"column", curve.column},
          {"at", curve.at},
          {"parameters", curve.parameters},
          {"weights", std::move(weights)}};
}

EffectCurve curve_from(const Json& json) {
  EffectCurve curve{.column = json.at("column").get<std::string>(),
                    .at = json.at("at").get<std::vector<double>>(),
                    .parameters = json.at("parameters").get<std::vector<std::string>>(),
                    .weights = {}};
  curve.weights.resize(static_cast<Eigen::Index>(curve.at.size()),
                       static_cast<Eigen::Index>(curve.parameters.size()));
  for (Eigen::Index i = 0; i < curve.weights.rows(); ++i) {
    const Json& row = json.at("weights").at(static_cast<std::size_t>(i));
    for (Eigen::Index k = 0; k < curve.weights.cols(); ++k)
      curve.weights(i, k) = row.at(static_cast<std::size_t>(k)).get<double>();
  }
  return curve;
}

// Runs `read` and turns the JSON library's complaints into ours.
template <class Read>
auto complete(const char* what, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::data,
                std::string(what) + " lacks a key or has one of another type; write the run again");
  }
}

}  // namespace

Json to_json(const PrivacyStatement& s) {
  Json json;
  json["private"] = s.is_private;
  json["epsilon"] = s.is_private ? number(s.epsilon) : Json(nullptr);
  json["delta"] = s.is_private ? number(s.delta) : Json(nullptr);
  json["rho"] = number(s.rho);
  json["slack"] = number(s.slack);
  json["spent_epsilon"] = s.is_private ? number(s.spent_epsilon) : Json(nullptr);
  json["adjacency"] = adjacency_name(s.adjacency);
  json["privacy_unit"] = s.privacy_unit;
  json["trust_model"] = s.trust_model;
  json["noise_source"] = s.noise_source;
  json["exact"] = s.approximations.empty();
  json["approximations"] = s.approximations;
  std::set<std::string> mechanisms;
  for (const auto& line : s.releases) mechanisms.insert(line.mechanism);
  json["mechanisms"] = mechanisms;
  json["releases"] = Json::array();
  for (const auto& line : s.releases) json["releases"].push_back(release_json(line));
  json["curve"] = Json::array();
  for (const auto& point : s.curve) {
    json["curve"].push_back({{"epsilon", number(point.epsilon)}, {"delta", number(point.delta)}});
  }
  json["times_published"] = s.times_published;
  json["time"] = claim_on_time(s);
  json["not_private_files"] = s.not_private_files;
  if (s.earlier.count > 0) {
    json["earlier"] = {{"runs", s.earlier.count},
                       {"epsilon", number(s.earlier.epsilon)},
                       {"delta", number(s.earlier.delta)}};
    if (s.is_private) {
      json["with_earlier"] = {{"epsilon", number(s.epsilon + s.earlier.epsilon)},
                              {"delta", number(s.delta + s.earlier.delta)}};
    }
  }
  for (const OwnerPromise& owner : s.owners) {
    json["owners"].push_back({{"name", owner.name},
                              {"address", owner.address},
                              {"epsilon", number(owner.epsilon)},
                              {"delta", number(owner.delta)},
                              {"noise_source", owner.noise_source},
                              {"noise_is_private", owner.noise_is_private}});
  }
  json["statement"] = in_plain_words(s);
  return json;
}

PrivacyStatement privacy_from_json(const Json& json) {
  return complete("privacy.json", [&] {
    PrivacyStatement s;
    s.is_private = json.at("private").get<bool>();
    if (s.is_private) {
      s.epsilon = number_from(json.at("epsilon"));
      s.delta = number_from(json.at("delta"));
      s.spent_epsilon = number_from(json.at("spent_epsilon"));
    }
    s.rho = number_from(json.at("rho"));
    s.slack = number_from(json.at("slack"));
    s.adjacency = json.at("adjacency") == "substitute" ? Adjacency::substitute : Adjacency::add_remove;
    s.privacy_unit = json.at("privacy_unit").get<std::string>();
    s.trust_model = json.at("trust_model").get<std::string>();
    s.noise_source = json.at("noise_source").get<std::string>();
    s.approximations = json.at("approximations").get<std::vector<std::string>>();
    for (const Json& line : json.at("releases")) {
      s.releases.push_back({line.at("query").get<std::string>(), line.at("mechanism").get<std::string>(),
                            optional_from(line.at("sensitivity")), optional_from(line.at("noise_scale")),
                            optional_from(line.at("grid")), line.at("count").get<std::size_t>(),
                            number_from(line.at("rho_each")), number_from(line.at("slack_each")),
                            optional_from(line.value("sampling_rate", Json(nullptr)))});
    }
    s.times_published = json.value("times_published", false);
    s.not_private_files = json.value("not_private_files", std::vector<std::string>());
    if (json.contains("earlier")) {
      const Json& earlier = json.at("earlier");
      constexpr double kNoFigure = std::numeric_limits<double>::infinity();
      s.earlier = {earlier.at("runs").get<std::size_t>(),
                   optional_from(earlier.at("epsilon")).value_or(kNoFigure),
                   optional_from(earlier.at("delta")).value_or(kNoFigure)};
    }
    if (json.contains("owners")) {
      for (const Json& owner : json.at("owners")) {
        s.owners.push_back({owner.at("name").get<std::string>(), owner.at("address").get<std::string>(),
                            number_from(owner.at("epsilon")), number_from(owner.at("delta")),
                            owner.at("noise_source").get<std::string>(),
                            owner.at("noise_is_private").get<bool>()});
      }
    }
    for (const Json& point : json.at("curve")) {
      s.curve.push_back({number_from(point.at("epsilon")), number_from(point.at("delta"))});
    }
    return s;
  });
}

std::string stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::finished:
      return "finished";
    case StopReason::budget_spent:
      return "budget_spent";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::diverged:
      return "diverged";
  }
  return "finished";
}

Json manifest_json(const RunRecord& record) {
  Json json;
  json["title"] = record.title;
  json["model"] = record.model;
  json["method"] = record.method;
  json["markov_chain"] = record.markov_chain;
  json["warnings"] = record.warnings;
  json["unreliable"] = record.unreliable;
  json["rows"] = record.rows ? Json(std::llround(*record.rows)) : Json(nullptr);
  json["width"] = width_sentence(record);
  json["sd_inflation"] = Json::object();
  for (const auto& [parameter, times] : record.sd_inflation) json["sd_inflation"][parameter] = number(times);
  json["prior_sensitivity"] = Json::object();
  for (const auto& [parameter, of] : record.prior_sensitivity)
    json["prior_sensitivity"][parameter] = number(of);
  json["effects"] = record.effects;
  json["curves"] = Json::array();
  for (const EffectCurve& curve : record.curves) json["curves"].push_back(curve_json(curve));
  json["ratio"] = record.ratio;
  json["private"] = record.privacy.is_private;
  json["not_private_files"] = record.privacy.not_private_files;
  json["started"] = record.manifest.started;
  json["wall_seconds"] = number(record.manifest.wall_seconds);
  json["warmup_seconds"] = number(record.manifest.warmup_seconds);
  json["sampling_seconds"] = number(record.manifest.sampling_seconds);
  json["versions"] = Json::object();
  for (const auto& [name, version] : record.manifest.versions) json["versions"][name] = version;
  json["parameters"] = record.draws.parameters;
  json["chains"] = Json::array();
  for (const Chain& chain : record.draws.chains) {
    json["chains"].push_back({{"seed", chain.seed},
                              {"draws", chain.draws.rows()},
                              {"warmup", chain.warmup},
                              {"stop_reason", stop_reason_name(chain.stop)}});
  }
  json["priors"] = Json::array();
  for (const auto& prior : record.priors) {
    json["priors"].push_back({{"parameter", prior.parameter},
                              {"distribution", prior.distribution},
                              {"mean", number(prior.mean)},
                              {"sd", number(prior.sd)},
                              {"q05", number(prior.q05)},
                              {"q50", number(prior.q50)},
                              {"q95", number(prior.q95)}});
  }
  if (record.comparison) json["not_private_parameters"] = record.comparison->parameters;
  if (!record.manifest.schema.is_null()) json["schema"] = record.manifest.schema;
  json["configuration"] = record.manifest.configuration;
  return json;
}

void read_manifest(const Json& json, RunRecord& record) {
  complete("manifest.json", [&] {
    record.title = json.at("title").get<std::string>();
    record.model = json.at("model").get<std::string>();
    record.method = json.at("method").get<std::string>();
    record.markov_chain = json.at("markov_chain").get<bool>();
    record.warnings = json.value("warnings", std::vector<std::string>());
    record.unreliable = json.value("unreliable", false);
    if (const Json rows = json.value("rows", Json()); rows.is_number()) record.rows = rows;
    const Json inflation = json.value("sd_inflation", Json::object());
    for (const auto& [parameter, times] : inflation.items())
      record.sd_inflation.emplace_back(parameter, number_from(times));
    const Json sensitivity = json.value("prior_sensitivity", Json::object());
    for (const auto& [parameter, of] : sensitivity.items())
      record.prior_sensitivity.emplace_back(parameter, number_from(of));
    record.effects = json.value("effects", std::vector<std::string>());
    for (const Json& curve : json.value("curves", Json::array())) record.curves.push_back(curve_from(curve));
    record.ratio = json.value("ratio", std::string());
    record.manifest.started = json.at("started").get<std::string>();
    record.manifest.wall_seconds = number_from(json.at("wall_seconds"));
    record.manifest.warmup_seconds = number_from(json.at("warmup_seconds"));
    record.manifest.sampling_seconds = number_from(json.at("sampling_seconds"));
    for (const auto& [name, version] : json.at("versions").items()) {
      record.manifest.versions.emplace_back(name, version.get<std::string>());
    }
    const auto rename = [&](const char* key, Draws& draws) {
      auto names = json.at(key).get<std::vector<std::string>>();
      if (names.size() != draws.parameters.size()) {
        throw Error(ErrorCode::data,
                    "manifest.json and the chain files disagree on the number of parameters");
      }
      draws.parameters = std::move(names);
    };
    rename("parameters", record.draws);
    if (record.comparison) rename("not_private_parameters", *record.comparison);
    const Json& chains = json.at("chains");
    for (std::size_t c = 0; c < std::min(chains.size(), record.draws.chains.size()); ++c) {
      const auto reason = chains[c].at("stop_reason").get<std::string>();
      Chain& chain = record.draws.chains[c];
      chain.stop = reason == "budget_spent"  ? StopReason::budget_spent
                   : reason == "interrupted" ? StopReason::interrupted
                   : reason == "diverged"    ? StopReason::diverged
                                             : StopReason::finished;
      chain.seed = chains[c].at("seed").get<std::uint64_t>();
      chain.warmup = chains[c].at("warmup").get<std::size_t>();
    }
    for (const Json& prior : json.at("priors")) {
      record.priors.push_back({prior.at("parameter").get<std::string>(),
                               prior.at("distribution").get<std::string>(), number_from(prior.at("mean")),
                               number_from(prior.at("sd")), number_from(prior.at("q05")),
                               number_from(prior.at("q50")), number_from(prior.at("q95"))});
    }
    record.manifest.schema = json.value("schema", Json());
    record.manifest.configuration = json.at("configuration");
  });
}

Json summary_json(const std::vector<ParameterSummary>& summary, const std::vector<std::string>& warnings,
                  const std::string& no_answer,
                  const std::vector<std::pair<std::string, double>>& prior_sensitivity) {
  Json json;
  json["parameters"] = Json::array();
  for (const auto& line : summary) {
    json["parameters"].push_back({{"parameter", line.parameter},
                                  {"mean", number(line.mean)},
                                  {"sd", number(line.sd)},
                                  {"mcse_mean", number(line.mcse_mean)},
                                  {"mcse_sd", number(line.mcse_sd)},
                                  {"q05", number(line.q05)},
                                  {"q50", number(line.q50)},
                                  {"q95", number(line.q95)},
                                  {"ess_bulk", number(line.ess_bulk)},
                                  {"ess_tail", number(line.ess_tail)},
                                  {"rhat", number(line.rhat)}});
    for (const auto& [parameter, of] : prior_sensitivity) {
      if (parameter == line.parameter) json["parameters"].back()["prior_sensitivity"] = number(of);
    }
  }
  json["warnings"] = warnings;
  json["no_answer"] = no_answer;
  return json;
}

}  // namespace sotto
