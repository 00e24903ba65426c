// The folder of this user's files of ldp: a secret, the records of submissions, and the contracts with collections.
#pragma once

#include <array>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace ldp::cli::submit {

/// A code that only holders of a secret can compute (HMAC-SHA-256, RFC 2104).
using AuthenticationCode = std::array<std::byte, 32>;
[[nodiscard]] AuthenticationCode hmac_sha256(Bytes key, std::string_view text);

/// The folder ldp in $XDG_STATE_HOME, by default in ~/.local/state. Only this user can read it.
///
/// Data that depends on the content of a user's files is stored under codes that the secret in this folder
/// determines. Without the secret, the state files beside these files cannot be used to test guesses of the
/// content.
class UserFolder {
  public:
    /// Opens the folder, and creates it and its secret if they do not exist. Throws Error (environment) if neither
    /// variable names a folder, or if a file cannot be read or created.
    UserFolder();

    /// Returns the code of these parts for a purpose. Different lists of parts have different codes.
    [[nodiscard]] AuthenticationCode code(std::string_view purpose,
                                          std::initializer_list<std::string_view> parts) const;
    /// Returns the first 64 bits of the code.
    [[nodiscard]] std::int64_t number(std::string_view purpose,
                                      std::initializer_list<std::string_view> parts) const;

    /// Returns the path of a file in a folder below. Creates the folder. Throws Error (environment).
    [[nodiscard]] std::filesystem::path file(const char* folder, const std::string& name) const;

  private:
    std::filesystem::path path_;
    AuthenticationCode secret_{};
};

/// The treatment of an existing file.
enum class Placement {
    replace,  ///< instead of an earlier one
    once,     ///< only if the file does not exist
};
/// Writes a file of this user as a whole and durably, mode 0600. Returns false if it exists and must not be replaced.
/// Throws Error (environment).
bool write_private(const std::filesystem::path& file, std::string_view text, Placement placement);
/// Returns the content of a file; nothing if it does not exist. Throws Error (environment) if it cannot be read.
[[nodiscard]] std::optional<std::string> read_private(const std::filesystem::path& file);

}  // namespace ldp::cli::submit
