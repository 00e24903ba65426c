#include "client/quoted.hpp"

#include "core/base/text.hpp"

namespace ldp {

std::string quoted(std::string_view text, std::size_t most) {
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
