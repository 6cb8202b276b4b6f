// report.html: one page that needs nothing else.
#pragma once

#include <string>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// The whole page: styles, figures (inline SVG) and text; it asks the network for nothing. Light and dark,
/// printable, readable by assistive technology; works without scripts.
[[nodiscard]] std::string html_report(const RunRecord& record);

}  // namespace sotto
