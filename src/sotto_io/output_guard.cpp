#include "sotto_io/output_guard.hpp"

#include <fmt/format.h>

#include "sotto/base/error.hpp"

namespace sotto {

void refuse_overwriting_inputs(std::span<const std::filesystem::path> outputs,
                               std::span<const std::filesystem::path> inputs) {
  for (const std::filesystem::path& output : outputs) {
    for (const std::filesystem::path& input : inputs) {
      std::error_code absent;  // then they are not the same
      if (std::filesystem::equivalent(output, input, absent)) {
        throw Error(ErrorCode::cannot_create,
                    fmt::format("{} is an input of this run and would be overwritten: choose another --out",
                                input.string()));
      }
    }
  }
}

void require_plain_file(const std::filesystem::path& output, std::string_view advice) {
  std::error_code unreadable;  // what cannot be looked at cannot be written either, which writing it says
  const std::filesystem::file_status there = std::filesystem::symlink_status(output, unreadable);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw Error(ErrorCode::cannot_create, fmt::format("{} is no plain file: {}", output.string(), advice));
}

}  // namespace sotto
