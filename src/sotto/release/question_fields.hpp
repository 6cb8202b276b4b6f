// The fields of every question, in one list for both ways: what is written is what is read.
#pragma once

#include <string_view>
#include <type_traits>

#include "sotto/release/query.hpp"

namespace sotto {

/// A question's name, and a question of that kind without content.
template <class Asked>
struct QuestionKind;

template <>
struct QuestionKind<RatioQuery> {
  static constexpr std::string_view name = "ratio";
  static RatioQuery blank() { return {.from = {}, .to = {}, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<GradientQuery> {
  static constexpr std::string_view name = "gradient";
  static GradientQuery blank() { return {.at = {}, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<StatisticQuery> {
  static constexpr std::string_view name = "statistic";
  static StatisticQuery blank() { return {.cost = Rho(0)}; }
};
template <>
struct QuestionKind<JointQuery> {
  static constexpr std::string_view name = "gradient and ratio";
  static JointQuery blank() {
    return {QuestionKind<GradientQuery>::blank(), QuestionKind<RatioQuery>::blank()};
  }
};
template <>
struct QuestionKind<BatchGradientQuery> {
  static constexpr std::string_view name = "batch gradient";
  static BatchGradientQuery blank() { return {.at = {}, .rate = 1, .noise_multiplier = 1}; }
};
template <>
struct QuestionKind<ClippedDeviationsQuery> {
  static constexpr std::string_view name = "clipped deviations";
  static ClippedDeviationsQuery blank() { return {.at = {}, .frame = {}, .bound = 1, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<DeviationLengthsQuery> {
  static constexpr std::string_view name = "deviation lengths";
  static DeviationLengthsQuery blank() { return {.at = {}, .frame = {}, .edges = {}, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<BoundedWeighting> {
  static BoundedWeighting blank() {
    return {.at = {}, .frame = {}, .score_bound = 1, .information_bound = 1, .clip = 1};
  }
};
template <>
struct QuestionKind<BoundedScoreQuery> {
  static constexpr std::string_view name = "bounded score";
  static BoundedScoreQuery blank() { return {QuestionKind<BoundedWeighting>::blank(), Rho(0)}; }
};
template <>
struct QuestionKind<BoundedInformationQuery> {
  static constexpr std::string_view name = "bounded information";
  static BoundedInformationQuery blank() { return {QuestionKind<BoundedWeighting>::blank(), Rho(0)}; }
};
template <>
struct QuestionKind<ScoreSquaresQuery> {
  static constexpr std::string_view name = "score squares";
  static ScoreSquaresQuery blank() { return {QuestionKind<BoundedWeighting>::blank(), Rho(0)}; }
};
template <>
struct QuestionKind<MomentsQuery> {
  static constexpr std::string_view name = "moments";
  static MomentsQuery blank() { return {.frame = {}, .bound = 1, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<ResidualSquaresQuery> {
  static constexpr std::string_view name = "residual squares";
  static ResidualSquaresQuery blank() { return {.at = {}, .clip = 1, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<ColumnHistogramsQuery> {
  static constexpr std::string_view name = "column histograms";
  static ColumnHistogramsQuery blank() { return {.columns = {}, .windows = {}, .bins = 2, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<GroupedResidualsQuery> {
  static constexpr std::string_view name = "grouped residuals";
  static GroupedResidualsQuery blank() { return {.at = {}, .edges = {}, .groupings = {}, .cost = Rho(0)}; }
};
template <>
struct QuestionKind<HistogramQuery> {
  static constexpr std::string_view name = "histogram";
  static HistogramQuery blank() {
    return {.quantity = HistogramOf::response, .at = {}, .edges = {}, .cost = Rho(0)};
  }
};
template <>
struct QuestionKind<CurvesQuery> {
  static constexpr std::string_view name = "curves";
  static CurvesQuery blank() {
    return {.at = {}, .clip = 1, .dispersion = 0, .curves = {}, .bound = 1, .cost = Rho(0)};
  }
};
template <>
struct QuestionKind<ThresholdEffectsQuery> {
  static constexpr std::string_view name = "threshold effects";
  static ThresholdEffectsQuery blank() {
    return {.at = {},
            .columns = {},
            .centre = {},
            .scale = {},
            .contrasts = {},
            .tails = {},
            .level = 0,
            .bound = 1,
            .cost = Rho(0)};
  }
};
template <>
struct QuestionKind<RemainderQuery> {
  static constexpr std::string_view name = "remainder";
  static RemainderQuery blank() {
    return {.weighting = QuestionKind<BoundedWeighting>::blank(), .wide_clip = 1, .bound = 1, .cost = Rho(0)};
  }
};
template <>
struct QuestionKind<LightRowsQuery> {
  static constexpr std::string_view name = "light rows";
  static LightRowsQuery blank() { return {QuestionKind<BoundedWeighting>::blank(), Rho(0)}; }
};
template <>
struct QuestionKind<TotalQuery> {
  static constexpr std::string_view name = "total";
  static TotalQuery blank() { return {.quantity = TotalOf::rows, .cost = Rho(0)}; }
};

/// Calls visit("field", value) for each field of a question, or of a part of one. `Asked` may be const.
template <class Asked, class Visit>
void visit_fields(Asked& asked, const Visit& visit) {
  using Kind = std::remove_const_t<Asked>;
  if constexpr (std::is_same_v<Kind, RatioQuery>) {
    visit("from", asked.from), visit("to", asked.to), visit("noise_sd", asked.noise_sd);
  } else if constexpr (std::is_same_v<Kind, GradientQuery>) {
    visit("at", asked.at), visit("scale", asked.scale);
  } else if constexpr (std::is_same_v<Kind, JointQuery>) {
    visit("gradient", asked.gradient), visit("ratio", asked.ratio);
  } else if constexpr (std::is_same_v<Kind, BatchGradientQuery>) {
    visit("at", asked.at), visit("rate", asked.rate), visit("noise_multiplier", asked.noise_multiplier);
    visit("scale", asked.scale);
  } else if constexpr (std::is_same_v<Kind, ClippedDeviationsQuery>) {
    visit("at", asked.at), visit("frame", asked.frame), visit("bound", asked.bound);
    visit("count", asked.count);
  } else if constexpr (std::is_same_v<Kind, DeviationLengthsQuery>) {
    visit("at", asked.at), visit("frame", asked.frame), visit("edges", asked.edges);
  } else if constexpr (std::is_same_v<Kind, BoundedWeighting>) {
    visit("at", asked.at), visit("frame", asked.frame), visit("score_bound", asked.score_bound);
    visit("information_bound", asked.information_bound), visit("clip", asked.clip);
    visit("dispersion", asked.dispersion), visit("thresholds", asked.thresholds);
  } else if constexpr (std::is_same_v<Kind, BoundedScoreQuery> ||
                       std::is_same_v<Kind, BoundedInformationQuery> ||
                       std::is_same_v<Kind, LightRowsQuery>) {
    visit("weighting", asked.weighting);
  } else if constexpr (std::is_same_v<Kind, ScoreSquaresQuery>) {
    visit("weighting", asked.weighting), visit("longest", asked.longest);
  } else if constexpr (std::is_same_v<Kind, MomentsQuery>) {
    visit("frame", asked.frame), visit("bound", asked.bound);
  } else if constexpr (std::is_same_v<Kind, ResidualSquaresQuery>) {
    visit("at", asked.at), visit("clip", asked.clip);
  } else if constexpr (std::is_same_v<Kind, ColumnHistogramsQuery>) {
    visit("columns", asked.columns), visit("windows", asked.windows), visit("bins", asked.bins);
  } else if constexpr (std::is_same_v<Kind, Interval>) {
    visit("lower", asked.lower), visit("upper", asked.upper);
  } else if constexpr (std::is_same_v<Kind, GroupedResidualsQuery>) {
    visit("at", asked.at), visit("edges", asked.edges), visit("groupings", asked.groupings);
  } else if constexpr (std::is_same_v<Kind, Grouping>) {
    visit("columns", asked.columns), visit("cuts", asked.cuts), visit("weight", asked.weight);
  } else if constexpr (std::is_same_v<Kind, HistogramQuery>) {
    visit("quantity", asked.quantity), visit("at", asked.at), visit("edges", asked.edges);
    visit("split", asked.split);
  } else if constexpr (std::is_same_v<Kind, CurvesQuery>) {
    visit("at", asked.at), visit("clip", asked.clip), visit("dispersion", asked.dispersion);
    visit("curves", asked.curves), visit("bound", asked.bound), visit("thresholds", asked.thresholds);
  } else if constexpr (std::is_same_v<Kind, ColumnCurve>) {
    visit("column", asked.column), visit("shape", asked.shape);
    visit("centre", asked.centre), visit("scale", asked.scale);
  } else if constexpr (std::is_same_v<Kind, ThresholdEffectsQuery>) {
    visit("at", asked.at), visit("columns", asked.columns), visit("centre", asked.centre);
    visit("scale", asked.scale), visit("contrasts", asked.contrasts), visit("tails", asked.tails);
    visit("level", asked.level), visit("bound", asked.bound);
  } else if constexpr (std::is_same_v<Kind, RemainderQuery>) {
    visit("weighting", asked.weighting), visit("wide_clip", asked.wide_clip), visit("bound", asked.bound);
  } else {
    static_assert(std::is_same_v<Kind, TotalQuery> || std::is_same_v<Kind, StatisticQuery>);
    if constexpr (std::is_same_v<Kind, TotalQuery>) visit("quantity", asked.quantity);
  }
  if constexpr (requires { asked.cost; }) visit("cost", asked.cost);
}

}  // namespace sotto
