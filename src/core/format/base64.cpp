#include "core/format/base64.hpp"

#include <algorithm>
#include <array>

namespace ldp {

namespace {

constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

/// The value of each character, or no_digit.
constexpr auto base64_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::uint8_t i = 0; i < no_digit; ++i) values[static_cast<unsigned char>(base64_digits[i])] = i;
    return values;
}();

constexpr unsigned base64_value(char c) noexcept {
    return base64_values[static_cast<unsigned char>(c)];
}

/// The number of padding characters at the end of text whose length is a multiple of 4.
std::size_t base64_padding(std::string_view text) noexcept {
    return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

}  // namespace

void to_base64(Bytes bytes, char* out) noexcept {
    const auto put = [&out](unsigned a, unsigned b, unsigned c) {
        const unsigned word = a << 16 | b << 8 | c;
        for (const unsigned shift : {18, 12, 6, 0}) *out++ = base64_digits[word >> shift & 63];
    };
    const std::size_t rest = bytes.size() % 3;
    const auto number = [&bytes](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
    for (std::size_t i = 0; i + 2 < bytes.size(); i += 3) put(number(i), number(i + 1), number(i + 2));
    if (rest == 0) return;
    put(number(bytes.size() - rest), rest == 2 ? number(bytes.size() - 1) : 0, 0);
    std::fill(out - (3 - rest), out, '=');
}

std::size_t base64_size(std::string_view text) noexcept {
    const std::size_t padding = base64_padding(text);
    // Callers convert long text in segments. Without this check, padding would be accepted at the end of each one.
    if (text.size() % 4 != 0 || std::min(text.find('='), text.size()) != text.size() - padding)
        return SIZE_MAX;
    return text.size() / 4 * 3 - padding;
}

bool from_base64(std::string_view text, std::byte* out) noexcept {
    if (text.size() % 4 != 0) return false;
    const std::size_t padding = base64_padding(text);
    const std::string_view whole = text.substr(0, text.size() - (padding > 0 ? 4 : 0));
    for (std::size_t i = 0; i < whole.size(); i += 4, out += 3) {
        const unsigned a = base64_value(whole[i]), b = base64_value(whole[i + 1]),
                       c = base64_value(whole[i + 2]), d = base64_value(whole[i + 3]);
        if ((a | b | c | d) >= no_digit) return false;
        const unsigned word = a << 18 | b << 12 | c << 6 | d;
        out[0] = static_cast<std::byte>(word >> 16);
        out[1] = static_cast<std::byte>(word >> 8);
        out[2] = static_cast<std::byte>(word);
    }
    if (padding == 0) return true;
    // The last characters, whose unused bits are 0.
    const std::string_view rest = text.substr(whole.size());
    unsigned word = 0;
    for (std::size_t i = 0; i < 4 - padding; ++i) {
        const unsigned value = base64_value(rest[i]);
        if (value >= no_digit) return false;
        word |= value << (18 - 6 * i);
    }
    for (std::size_t i = 0; i < 3 - padding; ++i) out[i] = static_cast<std::byte>(word >> (16 - 8 * i));
    return (word & ((1u << 8 * padding) - 1)) == 0;
}

}  // namespace ldp
