// The numbers of a base measure by their names, as they are asked for and shown.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sotto::mixture {

using BaseParameters = std::vector<std::pair<std::string, double>>;

/// `mean=0, precision=0.1`: names with their values, separated by commas. Errors: usage.
[[nodiscard]] BaseParameters parse_base(std::string_view text);

/// Takes what was asked for in the place of a kernel's own numbers. Errors: usage for a name that is none of them, or is there twice.
void set_base(const BaseParameters& asked, std::vector<std::pair<std::string, double*>> numbers);

}  // namespace sotto::mixture
