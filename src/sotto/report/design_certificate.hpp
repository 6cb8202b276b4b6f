// A certificate of `sotto plan --certify` on the page of the fit that it was made for.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// Of what `sotto plan --certify --json` printed, the certificate of this run's model, parameters and epsilon, with the plan's method and number
/// of rows. Errors: data where there is none, in words that say what differs.
[[nodiscard]] nlohmann::ordered_json certificate_for(const RunRecord& record,
                                                     const nlohmann::ordered_json& plan);

/// A table and the verdict, as HTML. Errors: data if the certificate lacks something.
[[nodiscard]] std::string certificate_section(const nlohmann::ordered_json& certificate);

}  // namespace sotto
