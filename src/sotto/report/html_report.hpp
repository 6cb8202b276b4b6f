// report.html: one page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// The whole page: styles, figures (inline SVG) and text; it asks the network for nothing. Light and dark,
/// printable, readable by assistive technology; works without scripts. `beside`: other runs to compare with.
[[nodiscard]] std::string html_report(const RunRecord& record, const std::vector<RunRecord>& beside = {});

}  // namespace sotto
