#include "sotto/owner/answer_signer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>

namespace sotto {
namespace {

// Ed25519's secret key begins with its seed.
TEST(AnswerSigner, leaves_no_key_behind) {
  std::array<std::uint8_t, 32> seed{};
  std::iota(seed.begin(), seed.end(), std::uint8_t{101});
  alignas(AnswerSigner) std::array<std::uint8_t, sizeof(AnswerSigner)> memory{};
  const auto holds_seed = [&] {
    return std::search(memory.begin(), memory.end(), seed.begin(), seed.end()) != memory.end();
  };
  auto* signer = new (memory.data()) AnswerSigner(seed);
  EXPECT_TRUE(holds_seed());
  std::destroy_at(signer);
  EXPECT_FALSE(holds_seed());
}

}  // namespace
}  // namespace sotto
