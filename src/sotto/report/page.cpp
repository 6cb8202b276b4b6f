#include "sotto/report/page.hpp"

#include <fmt/format.h>

#include "sotto/report/page_style.hpp"
#include "sotto/report/plot.hpp"

namespace sotto {

std::string html_page(std::string_view title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"><title>{}</title><style>{}</style></head><body><main>{}</main></body></html>\n",
      escape_html(title), kPageStyle, body);
}

std::string heading(std::string_view id, std::string_view title, const std::string& badge) {
  return fmt::format("<h2 id=\"{}\">{}{}</h2>", id, title, badge);
}

std::string fact(const std::string& name, const std::string& value, const std::string& note) {
  return fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>", name, value,
                     note.empty() ? "" : "<small>" + note + "</small>");
}

std::string box(std::string_view style, const std::vector<std::string>& sentences) {
  std::string text = fmt::format("<div class=\"box {}\" role=\"note\">", style);
  for (const auto& sentence : sentences) text += "<p>" + escape_html(sentence) + "</p>";
  return text + "</div>";
}

std::string open_table(const std::vector<std::string>& headings) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
  for (const std::string& name : headings) text += "<th>" + name + "</th>";
  return text + "</tr></thead><tbody>";
}

std::string figure_table(const std::vector<std::string>& headings,
                         const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<details><summary>In numbers</summary>" + open_table(headings);
  for (const auto& row : rows) {
    text += "<tr>";
    for (const std::string& cell : row) text += "<td>" + cell + "</td>";
    text += "</tr>";
  }
  return text + "</tbody></table></div></details>";
}

}  // namespace sotto
