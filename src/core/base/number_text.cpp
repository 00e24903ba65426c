// Numbers as text, by the standard library. Its tables have 100 kB, so that the module for browsers has
// number_text.hpp instead.

#include <array>
#include <charconv>

#include "core/base/text.hpp"

namespace ldp {

std::string shortest(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string rounded(double number, int digits) {
    std::array<char, 32> text{};
    return {text.data(),
            std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits)
                .ptr};
}

}  // namespace ldp
