// What every page is made of: its frame, headings, facts, boxes, and the numbers of a figure as a table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// A whole page. Its policy forbids scripts, and whatever is not in the page itself. `title` is plain text, `body` is HTML.
[[nodiscard]] std::string html_page(std::string_view title, const std::string& body);

/// A section's heading; with a badge where what follows is not what a reader would take it for.
[[nodiscard]] std::string heading(std::string_view id, std::string_view title, const std::string& badge = "");

/// A name, a value and a smaller note, all HTML, for a `<dl class="facts">`.
[[nodiscard]] std::string fact(const std::string& name, const std::string& value,
                               const std::string& note = "");

/// Sentences that stand out; `style` is empty for a warning, or "np" or "good".
[[nodiscard]] std::string box(std::string_view style, const std::vector<std::string>& sentences);

/// Opens a table that scrolls sideways where it is wider than the page: `</tbody></table></div>` closes it.
[[nodiscard]] std::string open_table(const std::vector<std::string>& headings);

/// What a figure shows, in numbers, folded away: cells are HTML.
[[nodiscard]] std::string figure_table(const std::vector<std::string>& headings,
                                       const std::vector<std::vector<std::string>>& rows);

}  // namespace sotto
