#include "core/delivery/time_form.hpp"

#include <cstddef>

namespace ldp {

namespace {

/// Reads a text from its start. Each function returns false, or no digits, if the text does not continue so.
struct TimeText {
    std::string_view rest;

    bool take(char one, char other) noexcept {
        if (rest.empty() || (rest.front() != one && rest.front() != other)) return false;
        rest.remove_prefix(1);
        return true;
    }
    bool take(char one) noexcept { return take(one, one); }
    /// Reads `least` to `most` digits; returns -1 if there are fewer.
    int digits(std::size_t least, std::size_t most) noexcept {
        int number = 0;
        std::size_t count = 0;
        while (count < most && count < rest.size() && rest[count] >= '0' && rest[count] <= '9')
            number = 10 * number + (rest[count++] - '0');
        if (count < least) return -1;
        rest.remove_prefix(count);
        return number;
    }
    /// Reads two digits of a number up to `most`.
    bool two(int most) noexcept {
        const int number = digits(2, 2);
        return number >= 0 && number <= most;
    }
};

bool exists(int year, int month, int day) noexcept {
    constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month < 1 || month > 12 || day < 1) return false;
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/// Reads the time of a day, from the hour on.
bool take_time(TimeText& text) noexcept {
    const int hour = text.digits(2, 2);
    const bool midnight = hour == 24;  // of the end of the day
    if (hour < 0 || hour > 24 || !text.take(':') || !text.two(midnight ? 0 : 59)) return false;
    if (!text.take(':')) return true;
    if (!text.two(midnight ? 0 : 60)) return false;
    if (!text.take('.')) return true;
    const int fraction = text.digits(1, 9);
    return fraction == 0 || (fraction > 0 && !midnight);
}

/// Reads an offset from UTC behind its sign.
bool take_offset(TimeText& text) noexcept {
    if (!text.two(15)) return false;
    for (int part = 0; part < 2; ++part) {
        const bool colon = text.take(':');
        const bool follows = !text.rest.empty() && text.rest.front() >= '0' && text.rest.front() <= '9';
        if (!follows) return !colon;
        if (!text.two(59)) return false;
    }
    return true;
}

}  // namespace

TimeForm time_form(std::string_view text) noexcept {
    if (text == "infinity" || text == "-infinity") return TimeForm::infinite;
    TimeText left{text};
    const bool early = left.rest.ends_with(" BC");
    if (early) left.rest.remove_suffix(3);
    const int year = left.digits(4, 6);
    if (year < 1 || !left.take('-')) return TimeForm::none;
    const int month = left.digits(2, 2);
    if (!left.take('-')) return TimeForm::none;
    const int day = left.digits(2, 2);
    if (!exists(early ? 1 - year : year, month, day)) return TimeForm::none;
    if (left.rest.empty()) return TimeForm::date;
    if ((!left.take(' ') && !left.take('T', 't')) || !take_time(left)) return TimeForm::none;
    if (left.rest.empty()) return TimeForm::local;
    if (left.take('Z', 'z')) return left.rest.empty() ? TimeForm::instant : TimeForm::none;
    (void)left.take(' ');
    if (!left.take('+', '-') || !take_offset(left) || !left.rest.empty()) return TimeForm::none;
    return TimeForm::instant;
}

}  // namespace ldp
