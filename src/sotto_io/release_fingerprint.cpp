#include "sotto_io/release_fingerprint.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace sotto {

std::string release_fingerprint(const Column& column, const PrivatisedColumn& released) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::int64_t number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
  };
  std::visit(
      [&](const auto& channel) {
        for (const double z : released.values) add(channel.whole_number(z).value_or(0));
      },
      column.channel);
  return fmt::format("{:016x}", hash);
}

}  // namespace sotto
