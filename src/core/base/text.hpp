// Helper functions for text and bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ldp {

/// Returns the text; if it has more than `most` (≥ 3) bytes, its start and "...", cut between UTF-8
/// characters.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t cut = most - 3;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    return std::string(text.substr(0, cut)) + "...";
}

/// Returns the shortest text that parses to the same number.
[[nodiscard]] std::string shortest(double number);
/// Returns a finite number as ECMAScript (Number::toString) and RFC 8785 write it: the shortest digits, in scientific notation
/// below 1e-6 and from 1e21 on.
[[nodiscard]] std::string ecmascript_text(double number);
/// Returns the number with `digits` significant digits, at most 17.
[[nodiscard]] std::string rounded(double number, int digits);

/// Returns 1234567 as "1,234,567".
[[nodiscard]] inline std::string grouped(std::uint64_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
    return text;
}

/// Returns names separated by commas: "a, b, c".
template <class Range>
[[nodiscard]] std::string joined(const Range& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

/// Returns the size in bytes of the first UTF-8 character (RFC 3629); 0 if there is no valid one.
[[nodiscard]] inline std::size_t character_size(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return text.empty() ? 0 : 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    // Overlong forms, surrogates and values beyond U+10FFFF differ in the second byte.
    const unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (byte(1) < least || byte(1) > most) return 0;
    const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (std::size_t i = 2; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    return size;
}

/// Returns the longest valid UTF-8 prefix of at most `most` characters.
[[nodiscard]] inline std::string_view characters(std::string_view text, std::size_t most) noexcept {
    std::size_t end = 0;
    for (std::size_t size = 1; most > 0 && size > 0; --most) end += size = character_size(text.substr(end));
    return text.substr(0, end);
}

/// A 64-bit hash (FNV-1a) for comparing contents. It does not resist deliberate collisions.
class ContentHash {
  public:
    void add(std::string_view bytes) noexcept {
        for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace ldp
