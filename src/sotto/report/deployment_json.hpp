// An entry for a registry of deployments of differential privacy.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// What a run knows of itself, under the keys of the OpenDP Deployments Registry (a YAML file there, of which JSON is a part);
/// what only its publisher knows is left empty. The promise is that of this run with the earlier ones of its directory; null where
/// no figure covers them.
[[nodiscard]] nlohmann::ordered_json deployment_json(const RunRecord& record);

}  // namespace sotto
