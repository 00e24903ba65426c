#include "core/format/fingerprint.hpp"

#include <span>

#include "core/base/sha256.hpp"

namespace ldp {

Fingerprint Fingerprint::of(std::string_view canonical) noexcept {
    return {sha256(std::as_bytes(std::span(canonical)))};
}

std::uint64_t part_fingerprint(std::uint64_t record, std::size_t attribute) {
    return Fingerprint::of(fingerprint_text(record) + "/" + std::to_string(attribute)).in_block();
}

std::string fingerprint_text(const Fingerprint& fingerprint) {
    return to_hex(fingerprint.digest);
}

std::string fingerprint_text(std::uint64_t in_block) {
    std::array<std::byte, sizeof in_block> bytes;
    store(bytes.data(), in_block);
    return to_hex(bytes);
}

}  // namespace ldp
