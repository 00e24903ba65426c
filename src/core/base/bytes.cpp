#include "core/base/bytes.hpp"

#include <array>

#include "core/base/error.hpp"

namespace ldp {

void Reader::need(std::size_t size) const {
    if (rest_.size() < size)
        raise(ErrorCode::malformed, "the parameters end too early",
              std::to_string(size) + " more bytes are needed, " + std::to_string(rest_.size()) + " are left.",
              "The bytes are truncated or do not come from ldp.");
}

void Reader::finish() const {
    if (!rest_.empty())
        raise(ErrorCode::malformed, "the parameters are longer than their mechanism allows",
              std::to_string(rest_.size()) + " bytes are left over.",
              "The bytes are damaged or do not come from ldp.");
}

void to_hex(Bytes bytes, char* out) noexcept {
    constexpr char digits[] = "0123456789abcdef";
    for (const std::byte b : bytes) {
        *out++ = digits[std::to_integer<unsigned>(b) >> 4];
        *out++ = digits[std::to_integer<unsigned>(b) & 15];
    }
}

std::string to_hex(Bytes bytes) {
    std::string text(2 * bytes.size(), '\0');
    to_hex(bytes, text.data());
    return text;
}

namespace {

/// The value of each hexadecimal digit; 16 for other characters.
constexpr std::array<std::uint8_t, 256> digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(16);
    for (std::uint8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = i;
    for (std::uint8_t i = 0; i < 6; ++i)
        values[static_cast<std::size_t>('a' + i)] = values[static_cast<std::size_t>('A' + i)] =
            static_cast<std::uint8_t>(10 + i);
    return values;
}();

}  // namespace

bool from_hex(std::string_view text, std::byte* out) noexcept {
    if (text.size() % 2 != 0) return false;
    unsigned all = 0;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const unsigned high = digit_values[static_cast<unsigned char>(text[i])],
                       low = digit_values[static_cast<unsigned char>(text[i + 1])];
        all |= high | low;
        *out++ = static_cast<std::byte>(high << 4 | low);
    }
    return all < 16;
}

}  // namespace ldp
