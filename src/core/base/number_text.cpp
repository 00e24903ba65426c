// Numbers as text, by the standard library. Its tables have 100 kB, so that the module for browsers and the library for devices
// (LDP_SMALL_NUMBERS) have number_text.hpp instead.

#include <array>
#include <charconv>

#include "core/base/number_text.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

#ifdef LDP_SMALL_NUMBERS

Digits digits_of(double number) {
    return small::digits_of(number);
}

#else

Digits digits_of(double number) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific).ptr;
    const std::string_view all(text.data(), end);
    const std::size_t e = all.find('e');
    Digits found{std::string(1, all[0]), std::atoi(std::string(all.substr(e + 1)).c_str())};
    if (e > 2) found.digits += all.substr(2, e - 2);
    return found;
}

#endif

}  // namespace

std::string ecmascript_text(double number) {
    return number == 0 ? "0" : ecmascript_layout(digits_of(std::abs(number)), number < 0);
}

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
