#include "cli/submission/user_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"

namespace ldp::cli::submit {

namespace {

namespace fs = std::filesystem;

constexpr const char* why_needed =
    "The folder contains a secret and the records that identify a copy of a file. Without them, a copy "
    "would count every person twice.";

[[noreturn]] void fail_at(const fs::path& file, const char* what, const std::string& reason) {
    throw Error(ErrorCode::environment, std::string("cannot ") + what + " " + file.string(), reason,
                std::string("XDG_STATE_HOME names another folder. ") + why_needed);
}

fs::path state_home() {
    const char* const state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && fs::path(state).is_absolute()) return state;
    const char* const home = std::getenv("HOME");
    if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".local" / "state";
    throw Error(
        ErrorCode::environment, "there is no folder for the state of this user",
        "Neither XDG_STATE_HOME nor HOME names a folder.",
        std::string("Set XDG_STATE_HOME to a permanent folder that only this user can read. ") + why_needed);
}

void create_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed) fs::permissions(folder, fs::perms::owner_all, failed);
    if (failed) fail_at(folder, "create the folder", failed.message());
}

Bytes bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

AuthenticationCode hmac_sha256(Bytes key, std::string_view text) {
    constexpr std::size_t block = 64;
    std::array<std::byte, block> padded{};
    if (key.size() > block)
        std::ranges::copy(sha256(key), padded.begin());
    else
        std::ranges::copy(key, padded.begin());
    const auto keyed = [&](std::byte pad) {
        std::array<std::byte, block> start{};
        std::ranges::transform(padded, start.begin(), [&](std::byte one) { return one ^ pad; });
        Sha256 hash;
        hash.add(Bytes(start));
        return hash;
    };
    Sha256 inner = keyed(std::byte{0x36});
    inner.add(text);
    const AuthenticationCode digest = inner.digest();
    Sha256 outer = keyed(std::byte{0x5c});
    outer.add(Bytes(digest));
    return outer.digest();
}

UserFolder::UserFolder() : path_(state_home() / "ldp") {
    create_folder(path_);
    const fs::path file = path_ / "secret";
    std::optional<std::string> secret = read_private(file);
    if (!secret) {
        SystemRandom bits;
        std::string drawn(secret_.size(), '\0');
        for (char& one : drawn) one = static_cast<char>(bits.below(256));
        write_private(file, drawn, Placement::once);  // of two processes, one draws it
        secret = read_private(file);
    }
    if (!secret || secret->size() != secret_.size())
        fail_at(file, "use the secret in", "It must have 32 bytes.");
    std::ranges::copy(bytes_of(*secret), secret_.begin());
}

AuthenticationCode UserFolder::code(std::string_view purpose,
                                    std::initializer_list<std::string_view> parts) const {
    std::string text;
    const auto add = [&](std::string_view part) {
        text += std::to_string(part.size()) + " " + std::string(part);
    };
    add(purpose);
    for (const std::string_view part : parts) add(part);
    return hmac_sha256(secret_, text);
}

std::int64_t UserFolder::number(std::string_view purpose,
                                std::initializer_list<std::string_view> parts) const {
    std::int64_t number = 0;
    std::memcpy(&number, code(purpose, parts).data(), sizeof number);
    return number;
}

fs::path UserFolder::file(const char* folder, const std::string& name) const {
    create_folder(path_ / folder);
    return path_ / folder / name;
}

bool write_private(const fs::path& file, std::string_view text, Placement placement) {
    const auto failed = [&] { fail_at(file, "write", std::strerror(errno)); };
    std::string draft = file.string() + ".XXXXXX";
    const int descriptor = mkostemp(draft.data(), O_CLOEXEC);  // mode 0600
    if (descriptor < 0) failed();
    bool written = true;
    for (std::string_view rest = text; written && !rest.empty();) {
        const ssize_t size = ::write(descriptor, rest.data(), rest.size());
        written = size > 0;
        if (written) rest.remove_prefix(static_cast<std::size_t>(size));
    }
    written = written && fsync(descriptor) == 0;
    int reason = errno;
    close(descriptor);
    bool placed = false;
    if (written) {
        placed = (placement == Placement::replace ? std::rename(draft.c_str(), file.c_str())
                                                  : link(draft.c_str(), file.c_str())) == 0;
        reason = errno;
    }
    unlink(draft.c_str());
    if (placed) return true;
    errno = reason;
    if (!written || placement == Placement::replace || reason != EEXIST) failed();
    return false;
}

std::optional<std::string> read_private(const fs::path& file) {
    constexpr std::size_t most = std::size_t{4} << 20;
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 && errno == ENOENT) return {};
    std::string text;
    std::array<char, 4096> part{};
    ssize_t size = descriptor < 0 ? -1 : 0;
    while (descriptor >= 0 && (size = ::read(descriptor, part.data(), part.size())) > 0 && text.size() < most)
        text.append(part.data(), static_cast<std::size_t>(size));
    const int reason = errno;
    if (descriptor >= 0) close(descriptor);
    if (size < 0) fail_at(file, "read", std::strerror(reason));
    return text;
}

}  // namespace ldp::cli::submit
