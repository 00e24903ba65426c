#include "client/in_quotes.hpp"

#include "core/base/text.hpp"

namespace ldp {

namespace {

/// The longest quotation of a server in bytes.
constexpr std::size_t most_words = 400;

/// Appends a character, or \xNN if it controls a terminal.
void add_printable(std::string& shown, char c) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F)
        shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    else
        shown += c;
}

}  // namespace

std::string in_quotes(std::string_view text, std::size_t most) {
    std::string shown = "\"";
    for (const char c : shortened(text, most)) add_printable(shown, c);
    return shown + "\"";
}

std::string said_by(std::string_view speaker, std::string_view message, std::string_view detail,
                    std::string_view hint) {
    std::string words, shown;
    for (std::string_view part : {message, detail, hint}) {
        while (!part.empty() && (part.back() == ' ' || part.back() == '\n' || part.back() == '.'))
            part.remove_suffix(1);
        if (!part.empty()) words += (words.empty() ? "" : ". ") + std::string(part.substr(0, most_words));
    }
    if (words.empty()) return {};
    for (const char c : words) {
        if (c == '\\') shown += '\\';
        add_printable(shown, c == '"' ? '\'' : c == '\n' || c == '\r' || c == '\t' ? ' ' : c);
    }
    return std::string(speaker) + " says: \"" + shortened(shown, most_words) + "\"";
}

}  // namespace ldp
