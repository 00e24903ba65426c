#include "figures/formatting.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/text.hpp"
#include "plot/canvas.hpp"

namespace ldp::figures {

namespace {

/// U+2068 and U+2069: text between them does not change the direction of the text around it.
// NOLINTNEXTLINE(misc-misleading-bidirectional): escapes, which turn nothing around here.
constexpr std::string_view isolate = "\xe2\x81\xa8", end_of_isolate = "\xe2\x81\xa9";

/// The number of a character of valid UTF-8.
char32_t code_of(std::string_view character) noexcept {
    const auto first = static_cast<unsigned char>(character[0]);
    char32_t code = character.size() == 1 ? first : first & (0x7FU >> character.size());
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

/// Whether a character controls the program that shows it, or is not allowed in XML.
bool commands(char32_t code) noexcept {
    const auto within = [&](char32_t first, char32_t last) { return code >= first && code <= last; };
    return within(0, 0x1F) || within(0x7F, 0x9F) || within(0x2028, 0x202E) || within(0x2066, 0x2069) ||
           code == 0xFEFF || within(0xFDD0, 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
}

std::string visible(char32_t code) {
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::uint32_t{code}, 16).ptr;
    return "\\u{" + std::string(digits.data(), end) + "}";
}

/// Text with each character replaced by the result of `replacement`, unless it is null.
template <class Replacement>
std::string replaced(std::string_view text, Replacement replacement) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view character =
            text.substr(at, std::max<std::size_t>(1, character_size(text.substr(at))));
        const char* const other = replacement(character);
        out += other == nullptr ? character : std::string_view(other);
        at += character.size();
    }
    return out;
}

/// The number of digits after the decimal point for two significant digits of an error.
int digits_of(double error) {
    return std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 12);
}

}  // namespace

std::string name(std::string_view text, std::size_t most) {
    std::string out(isolate);
    for (std::size_t at = 0; at < text.size(); --most) {
        if (most == 0) {
            out += "\u2026";
            break;
        }
        const std::size_t size = character_size(text.substr(at));
        const std::string_view character = text.substr(at, std::max<std::size_t>(size, 1));
        const char32_t code = size == 0 ? static_cast<unsigned char>(character[0]) : code_of(character);
        out += size == 0 || commands(code) ? visible(code) : std::string(character);
        at += character.size();
    }
    return out += end_of_isolate;
}

std::string constant(std::string_view text) {
    std::string plain, unicode;
    bool harmless = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view character =
            text.substr(at, std::max<std::size_t>(character_size(text.substr(at)), 1));
        at += character.size();
        const char32_t code = code_of(character);
        if (commands(code) || code == U'{') {
            harmless = false;
            std::array<char, 8> digits{};
            (void)std::snprintf(digits.data(), digits.size(), "%06x", static_cast<unsigned>(code));
            unicode += "\\+" + std::string(digits.data());
        } else {
            plain += character == "'" ? "''" : character;
            unicode += character == "'" ? "''" : character == "\\" ? "\\\\" : character;
        }
    }
    return harmless ? "'" + plain + "'" : "U&'" + unicode + "'";
}

std::string unmarked(std::string_view text) {
    return replaced(text, [](std::string_view character) {
        return character == isolate || character == end_of_isolate ? "" : nullptr;
    });
}

std::string escaped(std::string_view text) {
    return plot::escaped(text);
}

std::string in_html(std::string_view text) {
    std::string html = replaced(plot::escaped(text), [](std::string_view character) {
        return character == isolate ? "<bdi>" : character == end_of_isolate ? "</bdi>" : nullptr;
    });
    constexpr std::string_view power = "e^\u03B5", raised = "e<sup>\u03B5</sup>";
    for (std::size_t at = html.find(power); at != std::string::npos;
         at = html.find(power, at + raised.size()))
        html.replace(at, power.size(), raised);
    return html;
}

std::size_t width(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::vector<std::string> lines_of(std::string_view text, std::size_t columns) {
    return plot::wrapped(text, columns);
}

std::string subject(const Row& row, std::size_t most) {
    if (row.group.empty() || row.label.empty()) return name(row.label.empty() ? row.group : row.label, most);
    return name(row.label, most / 2) + ", " + name(row.group, most / 2);
}

std::string with_digits(double value, int digits) {
    std::array<char, 64> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                                            std::chars_format::fixed, digits);
    if (error != std::errc()) return shortest(value);
    std::string number(text.data(), end);
    const std::size_t whole = std::min(number.find('.'), number.size());
    for (std::size_t at = whole; at > 3;) number.insert(at -= 3, 1, ',');
    const bool zero = number.find_first_not_of("0.,") == std::string::npos;
    return value < 0 && !zero ? "\u2212" + number : number;
}

std::string shown(double value, double error, bool shares) {
    if (std::isnan(value)) return "none";
    const double unit = shares ? 100 : 1;
    // A smaller error is a rounding error of the computation.
    const bool known = std::isfinite(error) && error > 1e-9 * std::max(1.0, std::abs(value));
    return (known ? with_digits(unit * value, digits_of(unit * error)) : rounded(unit * value)) +
           (shares ? "\u00A0%" : "");
}

std::string date_of_days(double days) {
    // The calendar of the library ends in the year 32767.
    if (!(std::abs(days) < 1e7)) return rounded(days);
    const double first = std::floor(days);
    const std::chrono::year_month_day date{
        std::chrono::sys_days{std::chrono::days{static_cast<std::int32_t>(first)}}};
    std::array<char, 40> text{};
    (void)std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    const std::string time = time_of_hours(24 * (days - first));
    return text.data() + (time == "00:00" ? "" : " " + time);
}

std::string time_of_hours(double hours) {
    const auto seconds = static_cast<std::int64_t>(std::floor(3600 * hours + 1e-3));
    std::array<char, 40> text{};
    (void)std::snprintf(text.data(), text.size(), "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                        static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
    std::string time = text.data();
    if (time.ends_with(":00")) time.resize(time.size() - 3);
    return time;
}

namespace {

/// A number in this number of significant digits, without zeros at its end.
std::string significant(double value, int digits) {
    if (!std::isfinite(value)) return std::isnan(value) ? "none" : value < 0 ? "\u2212\u221E" : "\u221E";
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-4 || size >= 1e15)) {
        std::array<char, 32> text{};
        return {text.data(),
                std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 1)
                    .ptr};
    }
    std::string number = with_digits(
        value, size == 0 ? 0 : std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 8));
    if (number.find('.') != std::string::npos) {
        number.erase(number.find_last_not_of('0') + 1);
        if (number.back() == '.') number.pop_back();
    }
    return number;
}

}  // namespace

std::string rounded(double value) {
    return significant(value, 5);
}

std::string brief(double value) {
    return significant(value, 3);
}

std::string edge_text(double edge, double width) {
    const double unit = std::pow(10, std::floor(std::log10(width)) - 1);
    return rounded(unit >= 1 ? unit * std::round(edge / unit)
                             : std::round(edge / unit) / std::round(1 / unit));
}

}  // namespace ldp::figures
