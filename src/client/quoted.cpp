#include "quoted.hpp"

namespace ldp {

std::string quoted(std::string_view text) {
    constexpr std::size_t most = 40;
    constexpr char digits[] = "0123456789abcdef";
    const bool long_text = text.size() > most;
    if (long_text) {
        std::size_t cut = most - 3;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
        text = text.substr(0, cut);
    }
    std::string shown = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F)
            shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        else
            shown += c;
    }
    return shown + (long_text ? "...\"" : "\"");
}

}  // namespace ldp
