// Numbers as text, by the standard library. Its tables have 100 kB, so that the module for browsers and the library for devices
// (LDP_SMALL_NUMBERS) have number_text.hpp instead.

#include <array>
#include <charconv>

#include "core/base/number_text.hpp"
#include "core/base/text.hpp"

namespace ldp {

#ifdef LDP_SMALL_NUMBERS

std::string shortest(double number) {
    return small::shortest(number);
}

std::string rounded(double number, int digits) {
    return small::rounded(number, digits);
}

#else

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

#endif

/// Without std::from_chars of doubles, as in libc++ before LLVM 20, programs have the C locale alone.
std::optional<double> parsed_number(std::string_view text) {
#if defined(__cpp_lib_to_chars) && !defined(LDP_SMALL_NUMBERS)
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
#else
    return small::parsed_number(text);
#endif
}

}  // namespace ldp
