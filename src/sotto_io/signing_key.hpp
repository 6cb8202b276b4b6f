// An owner's signing key as files: the seed for the owner alone, the public half for whoever asks it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "sotto/release/signed_answers.hpp"

namespace sotto {

/// 64 hexadecimal digits each. Errors: no_input; data for a file that holds something else.
[[nodiscard]] OwnerKey read_public_key(const std::filesystem::path& file);

[[nodiscard]] std::string to_text(const OwnerKey& key);

/// Whoever has the seed is the owner: it is refused where others may read it. Errors: also configuration for such a file.
[[nodiscard]] std::array<std::uint8_t, 32> read_signing_seed(const std::filesystem::path& file);

/// Draws a seed and writes both files, which only their owner may read. Errors: cannot_create, also where one of them is there.
void make_signing_key(const std::filesystem::path& seed, const std::filesystem::path& public_key);

/// Errors: configuration where others than its owner may read the file.
void refuse_open_secret(const std::filesystem::path& file);

/// A new file of mode 0600. Errors: cannot_create where something of that name is there.
void write_secret_file(const std::filesystem::path& file, std::string_view content);

}  // namespace sotto
