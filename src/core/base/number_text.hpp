// Numbers as text by the C library: the texts of number_text.cpp without its tables; and numbers from text.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace ldp {

/// Significant decimal digits of a positive number.
struct Digits {
    std::string digits;  ///< without zeros at the end
    int exponent = 0;    ///< of ten, of the first digit
};

/// Returns digits in the layout of ecmascript_text() (text.hpp).
[[nodiscard]] inline std::string ecmascript_layout(Digits number, bool negative) {
    auto& [digits, exponent] = number;
    const auto zeros = [](int count) { return std::string(static_cast<std::size_t>(count), '0'); };
    const int count = static_cast<int>(digits.size()), whole = exponent + 1;
    std::string text = negative ? "-" : "";
    if (whole > 21 || whole <= -6) {
        text += digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
                (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    } else if (whole <= 0) {
        text += "0." + zeros(-whole) + digits;
    } else if (whole >= count) {
        text += digits + zeros(whole - count);
    } else {
        text += digits.insert(static_cast<std::size_t>(whole), 1, '.');
    }
    return text;
}

/// Returns the number that the whole text represents, independent of the program's locale; nothing for other
/// text.
[[nodiscard]] std::optional<double> parsed_number(std::string_view text);

}  // namespace ldp

namespace ldp::small {

/// parsed_number() for programs that use only the C locale.
[[nodiscard]] inline std::optional<double> parsed_number(std::string_view text) {
    const std::string whole(text);
    char* end = nullptr;
    const double number = std::strtod(whole.c_str(), &end);
    if (whole.empty() || end != whole.c_str() + whole.size()) return std::nullopt;
    return number;
}

/// Returns the number with `digits` significant digits, at most 17.
[[nodiscard]] inline std::string rounded(double number, int digits) {
    char text[32];
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof(text), "%.*g", digits, number))};
}

/// Returns the digits of a positive finite number: the fewest that parse to it, and of these the closest to it.
[[nodiscard]] inline Digits digits_of(double number) {
    Digits found;
    for (int count = 1; found.digits.empty(); ++count) {
        char text[40];
        (void)std::snprintf(text, sizeof(text), "%.*e", count - 1, number);
        const std::string rest =
            std::string(text).substr(static_cast<std::size_t>(count > 1 ? count + 1 : 1));
        std::string exact(1, text[0]);
        if (count > 1) exact.append(text + 2, static_cast<std::size_t>(count - 1));
        // Below a power of two, doubles are twice as close as above. So the closest decimal may parse to a
        // neighbour, and the next one to the number.
        const auto parses = [&](const std::string& each) {
            return std::strtod((each.substr(0, 1) + "." + each.substr(1) + rest).c_str(), nullptr) == number;
        };
        std::string next = exact;
        for (std::size_t i = next.size(); i-- > 0;) {
            next[i] = next[i] == '9' ? '0' : static_cast<char>(next[i] + 1);
            if (next[i] != '0') break;
        }
        if (parses(exact))
            found.digits = exact;
        else if (next[0] != '0' && parses(next))
            found.digits = next;
        found.exponent = std::atoi(rest.c_str() + 1);
    }
    while (found.digits.size() > 1 && found.digits.back() == '0') found.digits.pop_back();
    return found;
}

/// Returns the shortest text that parses to the same number, of digits_of(). It is in positional or
/// scientific notation, whichever is shorter; positional if both are equally long.
[[nodiscard]] inline std::string shortest(double number) {
    if (!std::isfinite(number) || number == 0) return rounded(number, 1);
    const std::string sign = number < 0 ? "-" : "";
    auto [digits, exponent] = digits_of(std::abs(number));
    const auto count = static_cast<int>(digits.size());
    std::string scientific = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + "e";
    scientific += exponent < 0 ? "-" : "+";
    const std::string power = std::to_string(std::abs(exponent));
    scientific += (power.size() < 2 ? "0" : "") + power;
    const int length = exponent < 0 ? count + 1 - exponent : exponent + 1 >= count ? exponent + 1 : count + 1;
    if (static_cast<std::size_t>(length) > scientific.size()) return sign + scientific;
    if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    if (exponent + 1 < count) return sign + digits.insert(static_cast<std::size_t>(exponent + 1), 1, '.');
    // Positional notation has all digits of the number, not only those that matter.
    char text[400];
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof(text), "%.0f", number))};
}

}  // namespace ldp::small
