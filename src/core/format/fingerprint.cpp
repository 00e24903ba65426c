#include "core/format/fingerprint.hpp"

#include <charconv>

#include "core/base/text.hpp"

namespace ldp {

std::uint64_t fingerprint_of(std::string_view canonical) noexcept {
    ContentHash hash;
    hash.add(canonical);
    return hash.value();
}

std::uint64_t part_fingerprint(std::uint64_t record, std::size_t attribute) {
    return fingerprint_of(fingerprint_text(record) + "/" + std::to_string(attribute));
}

std::string fingerprint_text(std::uint64_t fingerprint) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; fingerprint >>= 4) text[i] = digits[fingerprint & 15];
    return text;
}

std::optional<std::uint64_t> read_fingerprint(std::string_view text) noexcept {
    std::uint64_t fingerprint = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, fingerprint, 16);
    if (text.size() != 16 || error != std::errc{} || stop != end) return {};
    return fingerprint;
}

}  // namespace ldp
