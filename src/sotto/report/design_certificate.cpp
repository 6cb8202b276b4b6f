#include "sotto/report/design_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sotto/base/error.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse_certificate(const std::string& why) {
  throw Error(ErrorCode::data, "--certificate: " + why);
}

std::set<std::string> names_of(const Json& parameters) {
  std::set<std::string> names;
  for (const auto& [name, numbers] : parameters.items()) names.insert(name);
  return names;
}

/// Plans of earlier versions do not say it.
void refuse_another_promise(const RunRecord& record, const Json& plan) {
  const PrivacyStatement& s = record.privacy;
  const std::vector<std::pair<const char*, Json>> promised = {
      {"delta", s.delta}, {"adjacency", adjacency_name(s.adjacency)}, {"privacy_unit", s.privacy_unit}};
  for (const auto& [key, own] : promised) {
    if (const Json planned = plan.value(key, own); planned != own)
      refuse_certificate(
          fmt::format("its {} is {}, and that of this fit {}", key, planned.dump(), own.dump()));
  }
}

std::string other_rows(const Json& certificate) {
  const auto rows = certificate.at("rows").get<double>();
  const double own = certificate.value("rows_of_fit", rows);
  return own == rows ? "" : fmt::format(" The fit has {:.0f} rows.", own);
}

/// What `read` makes of the JSON; it says so itself where that is not what a plan prints.
template <class Read>
auto read_plan(const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    refuse_certificate("this is not what sotto plan --certify --json prints");
  }
}

}  // namespace

Json certificate_for(const RunRecord& record, const Json& plan) {
  return read_plan([&] {
    const Json& all = plan.at("certificates");
    if (plan.at("model") != record.model) {
      refuse_certificate(fmt::format("it is of another model, {}; this fit is a {}",
                                     plan.at("model").get<std::string>(), record.model));
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const Json& one) {
      return std::abs(one.at("epsilon").get<double>() - record.privacy.epsilon) <=
             1e-9 * record.privacy.epsilon;
    });
    if (found == all.end())
      refuse_certificate(
          fmt::format("it holds no epsilon {}, which this fit spent", format_number(record.privacy.epsilon)));
    refuse_another_promise(record, plan);
    for (const std::string& name : names_of(found->at("parameters"))) {
      const auto& own = record.draws.parameters;
      if (std::find(own.begin(), own.end(), name) == own.end())
        refuse_certificate(fmt::format("it is of another formula: this fit has no parameter {}", name));
    }
    Json certificate = *found;
    certificate["method"] = plan.at("method");
    certificate["rows"] = plan.at("rows");
    if (record.rows) certificate["rows_of_fit"] = *record.rows;
    return certificate;
  });
}

std::string certificate_section(const Json& certificate) {
  return read_plan([&] {
    const bool holds = certificate.at("holds").get<bool>();
    const char* verdict = !holds                                ? "Does not hold"
                          : certificate.at("shown").get<bool>() ? "Holds"
                                                                : "Not refuted";
    std::string text = fmt::format(
        "<p>{} tables of {} made-up rows were fitted by {} at epsilon {}: how often intervals held what a "
        "table was made "
        "from. Nothing of it comes from the data.{}</p><p>{}: {}</p>",
        certificate.at("tables").get<std::size_t>(), certificate.at("rows").get<std::size_t>(),
        escape_html(certificate.at("method").get<std::string>()),
        format_number(certificate.at("epsilon").get<double>()), other_rows(certificate), verdict,
        escape_html(certificate.at("why").get<std::string>()));
    text +=
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>parameter</th><th>50 % "
        "intervals</th><th>90 % "
        "intervals</th><th>at least</th><th>ranks even, p</th></tr></thead><tbody>";
    for (const auto& [name, one] : certificate.at("parameters").items()) {
      text += fmt::format("<tr><td>{}</td>", escape_html(name));
      for (const char* key : {"covered_50", "covered_90", "covered_90_at_least"})
        text += fmt::format("<td>{}</td>", format_percent(one.at(key).get<double>()));
      text += fmt::format("<td>{:.2g}</td></tr>", one.at("ranks_uniform_p").get<double>());
    }
    return text + "</tbody></table></div>";
  });
}

}  // namespace sotto
