#include "sotto_io/release_fingerprint.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace sotto {
namespace {

double whole_number(const DiscreteLaplaceChannel& channel, double z) { return channel.grid().steps_to(z); }
double whole_number(const DiscreteGaussianChannel& channel, double z) { return channel.grid().steps_to(z); }
double whole_number(const HaarChannel&, double z) { return z / HaarChannel::kStep; }
double whole_number(const PerturbedHistogramChannel&, double z) { return z; }
double whole_number(const SmoothedHistogramChannel& channel, double z) { return channel.bins()(z); }
double whole_number(const RandomisedResponseChannel&, double z) { return z; }

}  // namespace

std::string release_fingerprint(const Column& column, const PrivatisedColumn& released) {
  std::uint64_t hash = 0xcbf29ce484222325;
  std::visit(
      [&](const auto& channel) {
        for (const double z : released.values) {
          auto bits = static_cast<std::uint64_t>(std::llround(whole_number(channel, z)));
          for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 0xff)) * 0x100000001b3;
        }
      },
      column.channel);
  return fmt::format("{:016x}", hash);
}

}  // namespace sotto
