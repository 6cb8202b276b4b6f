#include "sotto/measurement/all_rows.hpp"

#include <utility>
#include <variant>

namespace sotto {

Measure measure_all_rows(OwnerContext context) {
  return [context = std::move(context)](const Query& query) {
    return std::visit<std::optional<Measurements>>([&](const auto& asked) { return measure(asked, context); },
                                                   query);
  };
}

}  // namespace sotto
