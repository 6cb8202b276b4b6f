#include "experiments/published/mixture_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "experiments/published/mixture_study.hpp"
#include "sotto/mixture/density_estimate.hpp"
#include "sotto/report/page_style.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

std::string panel_name(const MixturePanel& panel) {
  std::string name = panel.mechanism == "none" ? "the data themselves" : panel.mechanism;
  if (panel.level > 0) name += fmt::format(" {}", panel.level);
  name += fmt::format(", {} rows", panel.rows);
  if (panel.epsilon > 0) name += fmt::format(", epsilon {:.4g}", panel.epsilon);
  if (panel.delta > 0) name += fmt::format(", delta {:g}", panel.delta);
  return name;
}

Curve curve_of(const Position& x, const Position& y) {
  Curve curve;
  for (Eigen::Index i = 0; i < x.size(); ++i) curve.emplace_back(x[i], y[i]);
  return curve;
}

/// What a column of the table holds; null: nothing that is explained.
const char* meaning_of(const std::string& measure) {
  static const std::map<std::string, const char*> meanings = {
      {"acceptance", "share of the proposals for the data that were accepted"},
      {"smallest_ratio", "the least acceptance probability of all proposals"},
      {"true_epsilon", "epsilon that the noise keeps, by the exact sensitivity"},
      {"true_delta", "delta that the noise keeps at the epsilon asked for"},
      {"noise_sd", "standard deviation of the noise"},
      {"ess", "effective draws of the number of clusters"},
      {"clusters", "mean number of clusters"},
      {"clusters_error", "Monte Carlo error of that mean"},
      {"from_truth",
       "Hellinger distance of the posterior mean density from the truth (of waiting times, from the "
       "posterior "
       "given the data)"},
      {"from_prior", "its Hellinger distance from what the prior alone expects"},
      {"width", "integral of the width of the 95 % bands at each point"},
      {"covered", "share of the true density's mass within these bands"},
      {"mean", "mean of the posterior mean density"},
      {"sd", "its standard deviation"},
      {"at_ends", "its mass in the outer fortieths of the grid"},
      {"ari", "adjusted Rand index of the partition of least variation of information and the true one"}};
  const auto found = meanings.find(measure);
  return found == meanings.end() ? nullptr : found->second;
}

/// The outline of bars of width 1 about 0, 1, 2, ...
Curve steps_of(const std::vector<double>& heights, double left, double width) {
  Curve curve{{left, 0}};
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double from = left + width * static_cast<double>(k);
    curve.insert(curve.end(), {{from, heights[k]}, {from + width, heights[k]}});
  }
  curve.emplace_back(left + width * static_cast<double>(heights.size()), 0);
  return curve;
}

class Page {
 public:
  Page(const MixtureExperiment& experiment, const MixtureResult& result)
      : figure_(experiment.figure), experiment_(experiment), result_(result) {
    for (const MixtureOutcome& outcome : result.outcomes) {
      if (std::find(algorithms_.begin(), algorithms_.end(), outcome.algorithm) == algorithms_.end())
        algorithms_.push_back(outcome.algorithm);
      if (panels_.empty() || panels_.back() != outcome.panel) panels_.push_back(outcome.panel);
    }
  }

  [[nodiscard]] std::string html() const {
    const std::string title = "Mixtures of privatised data, " + figure_.name;
    std::string text = fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>{}</title><style>{}</style></head><body><main>\n<p "
        "class=\"kicker\">{}</p><h1>{}</h1>\n",
        title, kPageStyle, title, escape_html(figure_.title));
    text += "<p>" + escape_html(about()) + "</p>\n" + legend();
    switch (figure_.drawing) {
      case MixtureDrawing::densities:
        text += cards(&Page::density_card);
        break;
      case MixtureDrawing::clusters:
        text += cards(&Page::cluster_card);
        break;
      case MixtureDrawing::releases:
        text += cards(&Page::release_card);
        break;
      case MixtureDrawing::rates:
        text += rates();
        break;
      case MixtureDrawing::none:
        break;
    }
    return text + "<h2>Medians over repeats</h2>\n" + table() + "</main></body></html>\n";
  }

 private:
  [[nodiscard]] std::string about() const {
    const std::size_t repeats = experiment_.repeats > 0 ? experiment_.repeats : figure_.repeats;
    std::string text = fmt::format(
        "{:g} of the published 100,000 sweeps a chain, the first half dropped; {} repeat{} (published: {}); "
        "seed {}. Noise is seeded, so nothing here is private. ",
        experiment_.share, repeats, repeats == 1 ? "" : "s", figure_.repeats, experiment_.seed);
    if (figure_.data == "waiting-times")
      text +=
          "The donors' data of the paper are not public: these are 100 waiting times of the table flchain of "
          "the R package "
          "survival, as logarithms of days. ";
    if (result_.ended_early) text += "Stopped early. ";
    return text +
           "A mechanism marked printed has the noise of the print; without the mark it has the least that "
           "keeps the promise.";
  }

  [[nodiscard]] std::string style(const std::string& algorithm) const {
    const auto at = std::find(algorithms_.begin(), algorithms_.end(), algorithm) - algorithms_.begin();
    return fmt::format("k{}", at % 6);
  }

  [[nodiscard]] std::string legend() const {
    std::string text = "<div class=\"legend\">";
    for (const std::string& name : algorithms_)
      text += fmt::format("<span><i class=\"{}\"></i>{}</span>", style(name), name);
    if (figure_.drawing == MixtureDrawing::densities)
      text += fmt::format("<span><i class=\"n\"></i>{}</span><span><i class=\"p\"></i>before any data</span>",
                          figure_.data == "waiting-times" ? "posterior given the data themselves" : "truth");
    if (figure_.drawing == MixtureDrawing::densities && has_band())
      text += "<span><i class=\"outer\"></i>95 % band at each point, which may go on above the figure</span>";
    if (figure_.drawing == MixtureDrawing::releases)
      text += "<span><i class=\"n\"></i>the data themselves</span>";
    return text + "</div>\n";
  }

  [[nodiscard]] bool has_band() const {
    return std::ranges::any_of(result_.outcomes, [](const MixtureOutcome& o) { return o.upper.size() > 0; });
  }

  template <class Each>
  void each_outcome(std::size_t panel, const Each& each) const {
    for (const MixtureOutcome& outcome : result_.outcomes)
      if (outcome.panel == panel && outcome.repeat == 0) each(outcome);
  }

  [[nodiscard]] std::string cards(std::string (Page::*card)(std::size_t) const) const {
    std::string text = "<div class=\"cards\">\n";
    for (const std::size_t panel : panels_)
      text += fmt::format("<div class=\"card\"><h2>{}</h2>{}</div>\n", panel_name(figure_.panels[panel]),
                          (this->*card)(panel));
    return text + "</div>\n";
  }

  [[nodiscard]] std::string density_card(std::size_t panel) const {
    const Position& x = result_.grid;
    double top = result_.truth.size() > 0 ? 1.6 * result_.truth.maxCoeff() : 1;
    if (figure_.data == "betas") top = 8;  // densities may be infinite at the ends
    Plot plot({x[0], x[x.size() - 1]}, {0, top});
    bool banded = false;
    each_outcome(panel, [&](const MixtureOutcome& outcome) {
      if (!banded && outcome.upper.size() > 0) {
        Curve band = curve_of(x, outcome.upper);
        const Curve low = curve_of(x, outcome.lower);
        band.insert(band.end(), low.rbegin(), low.rend());
        plot.area(band, outcome.lower[0], "shade");
        plot.line(curve_of(x, outcome.prior), "prior thin");
        banded = true;
      }
    });
    if (result_.truth.size() > 0) plot.line(curve_of(x, result_.truth), "npline");
    each_outcome(panel, [&](const MixtureOutcome& outcome) {
      if (outcome.mean.size() > 0)
        plot.line(curve_of(x, outcome.mean), "postline " + style(outcome.algorithm));
    });
    return plot.html("densities, " + panel_name(figure_.panels[panel]),
                     round_ticks({x[0], x[x.size() - 1]}, 5), round_ticks({0, top}, 3));
  }

  [[nodiscard]] std::string cluster_card(std::size_t panel) const {
    std::vector<double> all = {0};
    std::size_t most = 1;
    each_outcome(panel, [&](const MixtureOutcome& o) {
      all.insert(all.end(), o.cluster_count.begin(), o.cluster_count.end());
      most = std::max(most, o.cluster_count.size());
    });
    const Span x{0.5, static_cast<double>(most) - 0.5};
    const Span y{0, 1.1 * *std::max_element(all.begin(), all.end()) + 1e-9};
    Plot plot(x, y);
    each_outcome(panel, [&](const MixtureOutcome& outcome) {
      plot.line(steps_of(outcome.cluster_count, -0.5, 1), "postline " + style(outcome.algorithm));
    });
    return plot.html("probabilities of the number of clusters, " + panel_name(figure_.panels[panel]),
                     round_ticks(x, 6), round_ticks(y, 3));
  }

  [[nodiscard]] std::string release_card(std::size_t panel) const {
    const std::vector<double> data = simulate_study(figure_.data, 0, 0).y;
    std::vector<double> all = data;
    each_outcome(
        panel, [&](const MixtureOutcome& o) { all.insert(all.end(), o.released.begin(), o.released.end()); });
    const Span x = span_of(all, 0.02);
    constexpr std::size_t kBars = 24;
    const double width = (x.high - x.low) / kBars;
    const auto bars = [&](const std::vector<double>& values) {
      std::vector<double> heights(kBars, 0.0);
      for (const double value : values) {
        const auto bar = static_cast<std::size_t>((value - x.low) / width);
        heights[std::min(bar, kBars - 1)] += 1 / (width * static_cast<double>(values.size()));
      }
      return heights;
    };
    const std::vector<double> before = bars(data);
    const Span y{0, 1.1 * *std::max_element(before.begin(), before.end())};
    Plot plot(x, y);
    plot.line(steps_of(before, x.low, width), "npline");
    each_outcome(panel, [&](const MixtureOutcome& outcome) {
      plot.line(steps_of(bars(outcome.released), x.low, width), "postline k0");
    });
    return plot.html("histogram of releases and, dashed, of the data; " + panel_name(figure_.panels[panel]),
                     round_ticks(x, 6), round_ticks(y, 3));
  }

  [[nodiscard]] bool was_run(std::size_t panel, const std::string& algorithm) const {
    return std::any_of(result_.outcomes.begin(), result_.outcomes.end(),
                       [&](const MixtureOutcome& o) { return o.panel == panel && o.algorithm == algorithm; });
  }

  /// The median over repeats; NaN where nothing was measured.
  [[nodiscard]] double median(std::size_t panel, const std::string& algorithm,
                              const std::string& measure) const {
    std::vector<double> values;
    for (const MixtureOutcome& o : result_.outcomes)
      if (const auto found = o.measured.find(measure);
          o.panel == panel && o.algorithm == algorithm && found != o.measured.end())
        values.push_back(found->second);
    return values.empty() ? NAN : mixture::quantile_of(values, 0.5);
  }

  /// Panels that differ in epsilon alone share a plot.
  [[nodiscard]] std::string rates() const {
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t p : panels_) {
      const MixturePanel& panel = figure_.panels[p];
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        const MixturePanel& first = figure_.panels[group.front()];
        return first.mechanism == panel.mechanism && first.level == panel.level && first.rows == panel.rows &&
               first.delta == panel.delta;
      });
      if (same == groups.end())
        groups.push_back({p});
      else
        same->push_back(p);
    }
    std::string text;
    for (const char* measure : {"acceptance", "ess", "ari"}) {
      if (std::find(figure_.measures.begin(), figure_.measures.end(), measure) == figure_.measures.end())
        continue;
      text += fmt::format("<h2>{}</h2>\n<div class=\"cards\">\n", measure);
      for (const auto& group : groups) text += rate_card(group, measure);
      text += "</div>\n";
    }
    return text;
  }

  [[nodiscard]] std::string rate_card(const std::vector<std::size_t>& group,
                                      const std::string& measure) const {
    std::vector<double> places, values = {0};
    for (const std::size_t p : group) {
      places.push_back(std::log10(figure_.panels[p].epsilon));
      for (const std::string& name : algorithms_) values.push_back(median(p, name, measure));
    }
    const Span x = span_of(places, 0.05);
    const Span y = measure == "ess" ? span_of(values, 0.05) : Span{std::min(0.0, span_of(values, 0).low), 1};
    Plot plot(x, y);
    Ticks ticks;
    for (std::size_t i = 0; i < group.size(); ++i)
      ticks.emplace_back(places[i], fmt::format("{:g}", figure_.panels[group[i]].epsilon));
    if (measure == "acceptance") {  // the bound of Proposition 1
      Curve bound;
      for (std::size_t i = 0; i < group.size(); ++i)
        bound.emplace_back(places[i], std::exp(-median(group[i], algorithms_.front(), "true_epsilon")));
      plot.line(bound, "zero");
    }
    for (const std::string& name : algorithms_) {
      Curve line;
      for (std::size_t i = 0; i < group.size(); ++i)
        line.emplace_back(places[i], median(group[i], name, measure));
      plot.line(line, "postline " + style(name));
    }
    MixturePanel named = figure_.panels[group.front()];
    named.epsilon = 0;
    return fmt::format("<div class=\"card\"><h2>{}; over epsilon</h2>{}</div>\n", panel_name(named),
                       plot.html(measure + ", " + panel_name(named), ticks, round_ticks(y, 4)));
  }

  [[nodiscard]] std::string table() const {
    std::string text =
        "<div class=\"scroll\" tabindex=\"0\"><table><tr><th>release</th><th class=\"text\">algorithm</th>";
    for (const std::string& measure : figure_.measures) text += "<th>" + measure + "</th>";
    text += "</tr>\n";
    for (const std::size_t p : panels_) {
      for (const std::string& name : figure_.panels[p].algorithms) {
        if (!was_run(p, name)) continue;
        text += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td>", panel_name(figure_.panels[p]), name);
        for (const std::string& measure : figure_.measures) {
          const double value = median(p, name, measure);
          text += std::isnan(value) ? "<td></td>" : fmt::format("<td>{:#.4g}</td>", value);
        }
        text += "</tr>\n";
      }
    }
    text += "</table></div>\n<p class=\"note\">";
    for (const std::string& measure : figure_.measures) {
      if (const char* meaning = meaning_of(measure); meaning != nullptr)
        text += fmt::format("{}: {}. ", measure, meaning);
    }
    return text + "</p>\n";
  }

  const MixtureFigure& figure_;
  const MixtureExperiment& experiment_;
  const MixtureResult& result_;
  std::vector<std::string> algorithms_;  // that were run
  std::vector<std::size_t> panels_;      // the same
};

}  // namespace

std::string mixture_page(const MixtureExperiment& experiment, const MixtureResult& result) {
  return Page(experiment, result).html();
}

std::string mixture_curves(const MixtureExperiment& experiment, const MixtureResult& result) {
  const MixtureFigure& figure = experiment.figure;
  fmt::memory_buffer lines;
  const auto line = [&](const std::string& names, const char* curve, double x, double value) {
    fmt::format_to(std::back_inserter(lines), "{},{},{:.6g},{:.6g}\n", names, curve, x, value);
  };
  const auto whole = [&](const std::string& names, const char* curve, const Position& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) line(names, curve, result.grid[i], values[i]);
  };
  if (figure.drawing == MixtureDrawing::densities) whole(",,,,,", "truth", result.truth);
  for (const MixtureOutcome& outcome : result.outcomes) {
    if (outcome.repeat > 0) continue;
    const MixturePanel& panel = figure.panels[outcome.panel];
    const std::string names = fmt::format("{},{},{},{:.6g},{:g},{}", panel.mechanism, panel.level, panel.rows,
                                          panel.epsilon, panel.delta, outcome.algorithm);
    if (figure.drawing == MixtureDrawing::densities) {
      whole(names, "mean", outcome.mean);
      whole(names, "lower", outcome.lower);
      whole(names, "upper", outcome.upper);
      whole(names, "prior", outcome.prior);
    } else if (figure.drawing == MixtureDrawing::clusters) {
      for (std::size_t k = 1; k < outcome.cluster_count.size(); ++k)
        line(names, "probability", static_cast<double>(k), outcome.cluster_count[k]);
    } else if (figure.drawing == MixtureDrawing::releases) {
      for (std::size_t i = 0; i < outcome.released.size(); ++i)
        line(names, "release", static_cast<double>(i + 1), outcome.released[i]);
    }
  }
  if (lines.size() == 0) return {};
  return "mechanism,level,rows,epsilon,delta,algorithm,curve,x,value\n" + fmt::to_string(lines);
}

}  // namespace sotto
