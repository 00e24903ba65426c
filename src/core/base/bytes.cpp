#include "core/base/bytes.hpp"

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

constexpr int hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

bool from_hex(std::string_view text, std::byte* out) noexcept {
    if (text.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return false;
        *out++ = static_cast<std::byte>(high << 4 | low);
    }
    return true;
}

}  // namespace ldp
