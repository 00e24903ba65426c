#include "core/mechanism/strings/string_codes.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/math/fixed_steps.hpp"

namespace ldp {

namespace {

/// Removes and returns the first character of a text that is not empty; nothing if it is not valid UTF-8.
std::optional<char32_t> take_character(std::string_view& text) noexcept {
    const std::size_t size = character_size(text);
    if (size == 0) return std::nullopt;
    auto character = static_cast<char32_t>(static_cast<unsigned char>(text[0]));
    if (size > 1) character &= 0x7Fu >> size;
    for (std::size_t i = 1; i < size; ++i)
        character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    text.remove_prefix(size);
    return character;
}

/// Returns the characters of a text; nothing if it is not valid UTF-8.
std::optional<std::u32string> decoded(std::string_view text) {
    std::u32string characters;
    while (!text.empty()) {
        const auto character = take_character(text);
        if (!character) return std::nullopt;
        characters.push_back(*character);
    }
    return characters;
}

void append(std::string& text, char32_t character) {
    if (character < 0x80) {
        text += static_cast<char>(character);
        return;
    }
    const unsigned size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    text += static_cast<char>((0xF00u >> size & 0xFFu) | character >> 6 * (size - 1));
    for (unsigned i = size - 1; i-- > 0;) text += static_cast<char>(0x80u | (character >> 6 * i & 0x3Fu));
}

bool is_surrogate(char32_t character) noexcept {
    return character >= 0xD800 && character <= 0xDFFF;
}

/// Returns the digit of a character; 0 if it is not in the alphabet.
std::uint64_t digit_of(const StringDomain& strings, char32_t character) noexcept {
    if (strings.fold && character >= U'A' && character <= U'Z') character += U'a' - U'A';
    const std::size_t digit =
        count_first(strings.alphabet.size(), [&](std::size_t i) { return strings.alphabet[i] <= character; });
    return chosen(digit > 0 && strings.alphabet[digit - 1] == character, digit, 0);
}

}  // namespace

std::optional<std::u32string> read_alphabet(std::string_view text) {
    const auto characters = decoded(text);
    if (!characters) return std::nullopt;
    std::u32string alphabet;
    for (std::size_t i = 0; i < characters->size(); ++i) {
        const char32_t first = (*characters)[i];
        char32_t last = first;
        if (i + 2 < characters->size() && (*characters)[i + 1] == U'-') last = (*characters)[i += 2];
        if (first < 0x20 || first == 0x7F || last < first || last - first > max_alphabet) return std::nullopt;
        for (char32_t each = first; each <= last; ++each)
            if (each != 0x7F && !is_surrogate(each)) alphabet.push_back(each);
        if (alphabet.size() > 2 * max_alphabet) return std::nullopt;
    }
    std::ranges::sort(alphabet);
    alphabet.erase(std::unique(alphabet.begin(), alphabet.end()), alphabet.end());
    return alphabet;
}

std::string alphabet_text(std::u32string_view alphabet) {
    std::string text;
    // A hyphen comes first, outside every range.
    if (alphabet.find(U'-') != alphabet.npos) text += '-';
    for (std::size_t i = 0; i < alphabet.size();) {
        std::size_t end = i + 1;
        while (end < alphabet.size() && alphabet[end] == alphabet[end - 1] + 1 && alphabet[end] != U'-' &&
               alphabet[i] != U'-')
            ++end;
        if (alphabet[i] != U'-') {
            append(text, alphabet[i]);
            if (end - i > 2) text += '-';
            if (end - i > 1) append(text, alphabet[end - 1]);
        }
        i = end;
    }
    return text;
}

std::uint64_t longest_that_fits(std::uint64_t alphabet) noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 63;
    std::uint64_t longest = 0;
    for (std::uint64_t codes = 1; codes <= most / (alphabet + 1); ++longest) codes *= alphabet + 1;
    return longest;
}

std::uint64_t code_count(const StringDomain& strings) noexcept {
    std::uint64_t codes = 1;
    for (std::uint64_t i = 0; i < strings.longest; ++i) codes *= strings.alphabet.size() + 1;
    return codes;
}

std::optional<StringCode> code_of(const StringDomain& strings, std::string_view text) noexcept {
    const std::uint64_t other = strings.other.empty() ? 0 : digit_of(strings, strings.other[0]);
    StringCode found;
    // Beyond the end of the text, the steps are those of a space.
    for (std::uint64_t i = 0; i < strings.longest; ++i) {
        const bool ended = text.empty();
        std::string_view rest = ended ? std::string_view(" ") : text;
        const auto character = take_character(rest);
        if (!character) return std::nullopt;
        const std::uint64_t digit = digit_of(strings, *character);
        const bool foreign = !ended & (digit == 0);
        if (foreign && other == 0) return std::nullopt;
        found.replaced |= foreign;
        found.code =
            found.code * (strings.alphabet.size() + 1) + chosen(ended, 0, chosen(digit == 0, other, digit));
        text = rest.substr(0, chosen(ended, 0, rest.size()));
    }
    found.truncated = !text.empty();
    while (!text.empty())
        if (!take_character(text)) return std::nullopt;
    return found;
}

std::string string_of(const StringDomain& strings, std::uint64_t code) {
    const std::uint64_t base = strings.alphabet.size() + 1;
    std::u32string characters;
    for (std::uint64_t i = 0; i < strings.longest; ++i, code /= base) {
        const std::uint64_t digit = code % base;
        if (digit == 0)
            characters.clear();
        else
            characters.push_back(strings.alphabet[digit - 1]);
    }
    std::string text;
    for (std::size_t i = characters.size(); i-- > 0;) append(text, characters[i]);
    return text;
}

std::string string_label(const StringDomain& strings, std::uint64_t code) {
    std::string text = string_of(strings, code);
    if (code % (strings.alphabet.size() + 1) != 0) text += "...";
    return text;
}

}  // namespace ldp
