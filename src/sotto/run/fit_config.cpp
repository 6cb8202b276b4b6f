#include "sotto/run/fit_config.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <sstream>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/base/text_fault.hpp"
#include "sotto/kernel/correction.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/run/config_override.hpp"
#include "sotto/run/settings_section.hpp"

namespace sotto {
namespace {

constexpr double kLargestEpsilon = 1e6;
constexpr std::size_t kMostDraws = 10'000'000;

/// normal(0, 1), for instance.
void refuse_prior_in_words(Section& section, const std::string& key) {
  const toml::node* node = section.find(key);
  if (node == nullptr || node->is_table()) return;
  const bool bare = key.find('.') == std::string::npos;
  refuse(fmt::format(
      "{} is a table of family, location and scale: --set '{}={{family=\"normal\", location=0, scale=1}}'",
      section.path(key), section.path(bare ? key : fmt::format("\"{}\"", key))));
}

CoefficientPrior read_prior(Section& section) {
  CoefficientPrior prior;
  std::string family = "normal";
  section.read("family", family);
  if (family == "normal") {
    prior.family = PriorFamily::normal;
  } else if (family == "student_t") {
    prior.family = PriorFamily::student_t;
  } else if (family == "laplace") {
    prior.family = PriorFamily::laplace;
  } else if (family == "flat") {
    prior.family = PriorFamily::flat;
  } else {
    refuse(
        fmt::format("{} must be normal, student_t, laplace or flat{}", section.path("family"),
                    suggestion(family, std::vector<std::string>{"normal", "student_t", "laplace", "flat"})));
  }
  section.read("location", prior.location);
  section.read("scale", prior.scale);
  section.read("degrees_of_freedom", prior.degrees_of_freedom);
  prior.check();
  return prior;
}

void read_all(Section& root, FitConfig& config) {
  bool family_given = false;
  root.section("data", [&](Section& s) {
    s.read("file", config.data);
    s.read("schema", config.schema);
  });
  root.tables("owner", [&](Section& s) { s.read("file", config.owners.emplace_back()); });
  root.section("model", [&](Section& s) {
    ModelConfig& model = config.model;
    s.read("family", model.family);
    family_given = s.find("family") != nullptr;
    if (const auto family = find_family(model.family)) model.family = family_name(*family);
    s.read("formula", model.formula);
    if (const toml::node* sigma = s.find("sigma");
        sigma != nullptr && sigma->value<std::string>() != "unknown") {
      s.read("sigma", model.sigma);
    }
    s.read("cuts", model.cuts);
    s.read("columns", model.columns);
    s.read("sd", model.sd);
    if (const toml::node* covariance = s.find("covariance"); covariance != nullptr && covariance->is_string())
      s.read("covariance", model.covariance_file);
    else
      s.read("covariance", model.covariance);
    s.read("a", model.a);
    s.read("b", model.b);
    s.read("m", model.m);
    s.read("likelihood_power", model.likelihood_power);
  });
  root.section("prior", [&](Section& s) {
    for (const auto& [key, value] : s.table()) {
      if (!value.is_table() || key == "default" || key == "parameter") continue;
      const std::string meant = suggestion(key.str(), std::vector<std::string>{"default", "parameter"});
      refuse(fmt::format("prior.{} is no setting{}", key.str(),
                         !meant.empty()
                             ? meant
                             : fmt::format(": a prior of one parameter is prior.parameter.{}", key.str())));
    }
    s.read("allow_flat", config.allow_flat);
    refuse_prior_in_words(s, "default");
    s.section("default", [&](Section& p) {
      config.default_prior = read_prior(p);
      config.default_prior_given = true;
    });
    s.section("parameter", [&](Section& parameters) {
      for (const auto& entry : parameters.table()) {
        const std::string name(entry.first.str());
        refuse_prior_in_words(parameters, name);
        parameters.section(name, [&](Section& p) { config.priors[name] = read_prior(p); });
      }
    });
  });
  root.section("privacy", [&](Section& s) {
    if (s.table().contains("adjacency"))
      refuse("privacy.adjacency is told by the schema: write adjacency = \"add-remove\" at the top there");
    if (s.table().contains("unit")) refuse("privacy.unit is told by the schema: write [unit] there");
    s.read("epsilon", config.epsilon);
    s.read("delta", config.delta);
    s.read("not_private", config.not_private);
    s.read("compare_not_private", config.compare_not_private);
    s.read("force", config.force);
  });
  root.section("method", [&](Section& s) {
    MethodConfig& method = config.method;
    s.read("name", method.name);
    s.read("chains", method.chains);
    s.read("warmup", method.warmup);
    s.read("draws", method.draws);
    if (s.find("draws") != nullptr && method.draws < 2)
      refuse("method.draws (--draws) must be at least 2; leave it out for as many as suit the method");
    s.read("thin", method.thin);
    if (s.find("thin") != nullptr && method.thin < 1)
      refuse(
          "method.thin must be at least 1; leave it out for as many steps a draw as the budget has a use "
          "for");
    s.read("seed", method.seed);
    s.read("leapfrog_steps", method.leapfrog_steps);
    s.read("adapt_length", method.adapt_length);
    s.read("batch_rate", method.batch_rate);
    s.read("step_size", method.step_size);
    s.read("jitter", method.jitter);
    s.read("noise_variance", method.noise_variance);
    s.read("batch", method.batch);
    s.read("rate", method.rate);
    s.read("decay", method.decay);
    s.read("clip_ratio", method.clip_ratio);
    s.read("clip_gradient", method.clip_gradient);
  });
  root.section("proposal", [&](Section& s) {
    s.read("name", config.method.proposal.name);
    s.read("bound", config.method.proposal.bound);
  });
  root.section("start", [&](Section& s) {
    for (const auto& entry : s.table()) {
      const std::string name(entry.first.str());
      s.read(name, config.start[name]);
    }
  });
  root.section("output", [&](Section& s) {
    s.read("directory", config.out);
    s.read("timing", config.timing);
  });
  root.read("threads", config.threads);
  root.finish();
  if (!family_given && !config.model.formula.empty() && parse_formula(config.model.formula).event)
    config.model.family = family::PiecewiseExponential::name;
}

}  // namespace

void check_fit_config(const FitConfig& config) {
  if (!config.not_private) {
    if (!config.epsilon)
      refuse(
          "how much privacy? give --epsilon (privacy.epsilon in a configuration): 1 is a budget one can "
          "defend in public");
    if (!config.delta)
      refuse(
          "give --delta (privacy.delta in a configuration): well below one over the number of rows, e.g. "
          "1e-6");
    if (!(*config.epsilon > 0 && *config.epsilon <= kLargestEpsilon)) {
      refuse(
          "--epsilon (privacy.epsilon) must lie above 0 and be at most 1000000: 1 is a budget one "
          "can defend in public");
    }
    static_cast<void>(Delta(*config.delta));
    const auto flat = [](const CoefficientPrior& prior) { return prior.family == PriorFamily::flat; };
    bool any_flat = flat(config.default_prior);
    for (const auto& [name, prior] : config.priors) any_flat = any_flat || flat(prior);
    if (any_flat && !config.allow_flat) {
      refuse(
          "a flat prior with noisy data may have no posterior: choose another, or set prior.allow_flat = "
          "true");
    }
  }
  if (config.method.chains < 1 || config.method.chains > 1000)
    refuse("method.chains (--chains) must lie in 1 .. 1000");
  if (config.method.draws > kMostDraws / config.method.chains) {
    refuse(fmt::format("method.draws (--draws): at most {} draws of all chains together", kMostDraws));
  }
  if (config.method.warmup > kMostDraws)
    refuse(fmt::format("method.warmup (--warmup): at most {} steps a chain", kMostDraws));
  if (config.method.leapfrog_steps < 1) refuse("method.leapfrog_steps must be at least 1");
  if (!(config.method.batch_rate > 0 && config.method.batch_rate <= 1))
    refuse("method.batch_rate must lie in (0, 1]");
  if (config.method.batch_rate < 1 && config.method.adapt_length)
    refuse(
        "batches are paid for together, so their number cannot be learned: drop method.adapt_length or "
        "method.batch_rate");
  if (!(config.method.jitter >= 0 && config.method.jitter <= 1)) refuse("method.jitter must lie in [0, 1]");
  const ProposalConfig& proposal = config.method.proposal;
  const std::vector<std::string> proposals = {"normal", "truncated", "independence", "coordinate"};
  if (!proposal.name.empty() &&
      std::find(proposals.begin(), proposals.end(), proposal.name) == proposals.end()) {
    refuse(fmt::format("proposal.name must be {}{}", fmt::join(proposals, ", "),
                       suggestion(proposal.name, proposals)));
  }
  if (!(proposal.bound > 0 && std::isfinite(proposal.bound))) refuse("proposal.bound must be > 0");
  for (const auto& [name, value] : config.start) {
    if (!std::isfinite(value)) refuse(fmt::format("start.{} must be a finite number", name));
  }
  if (!(config.method.step_size >= 0)) refuse("method.step_size must be >= 0");
  static_cast<void>(Correction(config.method.noise_variance));
  if (!(config.method.rate > 0 && config.method.rate <= 1)) refuse("method.rate must lie in (0, 1]");
  if (!(config.method.decay >= 0)) refuse("method.decay must be >= 0");
  if (!(config.method.clip_ratio.value_or(1) > 0 && config.method.clip_gradient.value_or(1) > 0)) {
    refuse("method.clip_ratio and method.clip_gradient must be > 0");
  }
  if (!(config.model.likelihood_power > 0 && config.model.likelihood_power <= 1))
    refuse("model.likelihood_power must lie in (0, 1]");
}

FitConfig parse_fit_config(std::string_view text, const std::vector<std::string>& overrides) {
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& error) {
    refuse("the configuration " + toml_fault(text, error.source().begin.line));
  }
  for (const std::string& assignment : overrides) apply_override(root, assignment);
  FitConfig config;
  Section section(root, "");
  read_all(section, config);
  if (config.schema.empty())
    refuse(
        "what does the table declare? give --schema, or data.schema (sotto schema FILE writes a template)");
  if (!config.owners.empty()) {
    if (!config.data.empty()) refuse("data.file and [[owner]] both name the rows: give one of them");
    for (const std::string& file : config.owners) {
      if (file.empty()) refuse("every [[owner]] needs a file, its table");
      if (std::count(config.owners.begin(), config.owners.end(), file) > 1)
        refuse(fmt::format("two owners have the same table, {}: its rows would count twice", file));
    }
  }
  check_fit_config(config);
  root.erase("output");
  std::ostringstream written;
  written << root;
  config.toml = written.str();
  return config;
}

std::vector<std::string> chain_settings_given(const FitConfig& config) {
  const toml::table root = toml::parse(config.toml);
  std::vector<std::string> given;
  for (const char* key :
       {"warmup", "thin", "leapfrog_steps", "adapt_length", "batch_rate", "step_size", "jitter",
        "noise_variance", "batch", "rate", "decay", "clip_ratio", "clip_gradient"}) {
    const std::string path = std::string("method.") + key;
    if (root.at_path(path)) given.push_back(path);
  }
  if (root.contains("proposal")) given.emplace_back("proposal");
  if (root.at_path("proposal.bound")) given.emplace_back("proposal.bound");
  return given;
}

nlohmann::ordered_json to_json(const FitConfig& config) {
  nlohmann::ordered_json priors = nlohmann::ordered_json::object();
  for (const auto& [name, prior] : config.priors) priors[name] = prior.text();
  nlohmann::ordered_json model = {{"family", config.model.family},
                                  {"likelihood_power", config.model.likelihood_power}};
  if (!config.model.formula.empty()) model["formula"] = config.model.formula;
  if (const auto family = find_family(config.model.family); family && sigma_of(*family) != nullptr) {
    if (config.model.sigma) {
      model["sigma"] = *config.model.sigma;
    } else {
      model["sigma"] = "unknown";
    }
  }
  if (!config.model.cuts.empty()) model["cuts"] = config.model.cuts;
  if (!config.model.columns.empty()) {
    model["columns"] = config.model.columns;
    if (config.model.covariance.empty()) {
      model["sd"] = config.model.sd;
    } else {
      model["covariance"] = config.model.covariance;
    }
  }
  if (config.model.family == "banana") model["bend"] = {config.model.a, config.model.b, config.model.m};
  nlohmann::ordered_json privacy = {{"not_private", config.not_private},
                                    {"compare_not_private", config.compare_not_private},
                                    {"force", config.force}};
  if (config.epsilon) privacy["epsilon"] = *config.epsilon;
  if (config.delta) privacy["delta"] = *config.delta;
  nlohmann::ordered_json method = {{"name", config.method.name},
                                   {"chains", config.method.chains},
                                   {"warmup", config.method.warmup},
                                   {"draws", config.method.draws},
                                   {"thin", config.method.thin},
                                   {"seed", config.method.seed},
                                   {"leapfrog_steps", config.method.leapfrog_steps},
                                   {"adapt_length", config.method.adapt_length},
                                   {"batch_rate", config.method.batch_rate},
                                   {"step_size", config.method.step_size},
                                   {"jitter", config.method.jitter},
                                   {"noise_variance", config.method.noise_variance},
                                   {"batch", config.method.batch},
                                   {"rate", config.method.rate},
                                   {"decay", config.method.decay}};
  if (config.method.clip_ratio) method["clip_ratio"] = *config.method.clip_ratio;
  if (config.method.clip_gradient) method["clip_gradient"] = *config.method.clip_gradient;
  nlohmann::ordered_json json = {{"data", {{"file", config.data}, {"schema", config.schema}}},
                                 {"model", model},
                                 {"prior",
                                  {{"default", config.default_prior_given  ? config.default_prior.text()
                                               : is_location(config.model) ? "from declared bounds"
                                                                           : "default"},
                                   {"parameter", priors}}},
                                 {"privacy", privacy},
                                 {"method", method},
                                 {"threads", config.threads}};
  if (!config.method.proposal.name.empty()) {
    json["proposal"]["name"] = config.method.proposal.name;
    if (config.method.proposal.name == "truncated") json["proposal"]["bound"] = config.method.proposal.bound;
  }
  for (const std::string& file : config.owners) json["owner"].push_back({{"file", file}});
  for (const OwnerAddress& owner : config.elsewhere)
    json["owner"].push_back({{"name", owner.name}, {"address", owner.address}});
  if (!config.start.empty()) json["start"] = config.start;
  if (!config.toml.empty()) json["toml"] = config.toml;
  return json;
}

}  // namespace sotto
