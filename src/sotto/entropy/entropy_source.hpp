// What makes noise asks for its bits here; who makes the bits is another header, which the analyst's side never reaches.
#pragma once

#include <cstdint>
#include <string>

#include "sotto/base/curator_side.hpp"

namespace sotto {

/// A source of independent uniform bits. The program only ever uses `SystemEntropy`; tests bring their own
/// source, and a statement made with one says so (`name`) and is marked not private.
class EntropySource {
 public:
  virtual ~EntropySource() = default;
  virtual std::uint64_t bits() = 0;                    ///< 64 uniform bits
  [[nodiscard]] virtual std::string name() const = 0;  ///< as written into privacy.json, `noise_source`
  [[nodiscard]] virtual bool is_private() const { return false; }
};

}  // namespace sotto
