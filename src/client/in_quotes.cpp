#include "client/in_quotes.hpp"

#include "core/base/text.hpp"

namespace ldp {

std::string in_quotes(std::string_view text, std::size_t most) {
    constexpr char digits[] = "0123456789abcdef";
    std::string shown = "\"";
    for (const char c : shortened(text, most)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7F)
            shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
        else
            shown += c;
    }
    return shown + "\"";
}

}  // namespace ldp
