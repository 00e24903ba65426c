// Numbers as text by the C library: the texts of number_text.cpp without its tables; and numbers from text.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace ldp {

/// Returns the number that a whole text is, whatever the locale of the program; nothing for other text.
[[nodiscard]] std::optional<double> parsed_number(std::string_view text);

}  // namespace ldp

namespace ldp::small {

/// parsed_number() of programs that have the C locale alone.
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

/// Returns the shortest text that parses to the same number: the digits are the fewest that do, and of these the
/// closest to the number. Of positional and scientific notation, it is the shorter one, or the former.
[[nodiscard]] inline std::string shortest(double number) {
    if (!std::isfinite(number) || number == 0) return rounded(number, 1);
    const std::string sign = number < 0 ? "-" : "";
    const double size = std::abs(number);
    std::string digits;
    int exponent = 0;  // of the first digit
    for (int count = 1; digits.empty(); ++count) {
        char text[40];
        (void)std::snprintf(text, sizeof(text), "%.*e", count - 1, size);
        const std::string rest =
            std::string(text).substr(static_cast<std::size_t>(count > 1 ? count + 1 : 1));
        std::string found(1, text[0]);
        if (count > 1) found.append(text + 2, static_cast<std::size_t>(count - 1));
        // Below a power of two, doubles are twice as close as above. So the closest decimal may parse to a
        // neighbour, and the next one to the number.
        const auto parses = [&](const std::string& each) {
            return std::strtod((each.substr(0, 1) + "." + each.substr(1) + rest).c_str(), nullptr) == size;
        };
        std::string next = found;
        for (std::size_t i = next.size(); i-- > 0;) {
            next[i] = next[i] == '9' ? '0' : static_cast<char>(next[i] + 1);
            if (next[i] != '0') break;
        }
        if (parses(found))
            digits = found;
        else if (next[0] != '0' && parses(next))
            digits = next;
        exponent = std::atoi(rest.c_str() + 1);
    }
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
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
