#include "core/groups/group_points.hpp"

#include <algorithm>
#include <chrono>

#include "core/base/error.hpp"
#include "core/base/number_text.hpp"
#include "core/base/text.hpp"

namespace ldp {

namespace {

constexpr double seconds_a_day = 86400;

/// Reads a text from left to right.
class NameReader {
  public:
    explicit NameReader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    bool skip(std::string_view text) noexcept {
        const bool found = rest_.starts_with(text);
        if (found) rest_.remove_prefix(text.size());
        return found;
    }
    /// The next number of at least `least` and at most `most` digits.
    std::optional<std::int64_t> digits(std::size_t least, std::size_t most) noexcept {
        const std::size_t count = std::min({rest_.find_first_not_of("0123456789"), rest_.size(), most});
        if (count < least) return std::nullopt;
        std::int64_t number = 0;
        for (const char digit : rest_.substr(0, count)) number = 10 * number + (digit - '0');
        rest_.remove_prefix(count);
        return number;
    }

  private:
    std::string_view rest_;
};

/// Days since 1970-01-01. The year may have more than four digits.
std::optional<std::int64_t> read_date(NameReader& name) {
    const auto year = name.digits(4, 6);
    if (!year || !name.skip("-")) return std::nullopt;
    const auto month = name.digits(2, 2);
    if (!month || !name.skip("-")) return std::nullopt;
    const auto day = name.digits(2, 2);
    using namespace std::chrono;
    if (!day || *year > static_cast<int>(year::max())) return std::nullopt;
    const year_month_day date{std::chrono::year(static_cast<int>(*year)),
                              std::chrono::month(static_cast<unsigned>(*month)),
                              std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return sys_days(date).time_since_epoch().count();
}

/// Seconds of "hh", "hh:mm" or "hh:mm:ss", with a fraction.
std::optional<double> read_clock(NameReader& name) {
    double seconds = 0;
    for (double unit = 3600; unit >= 1; unit /= 60) {
        const auto number = name.digits(2, 2);
        if (!number) return std::nullopt;
        seconds += unit * static_cast<double>(*number);
        if (unit > 1 && !name.skip(":")) return seconds;
    }
    if (!name.skip(".")) return seconds;
    double place = 0.1;
    while (const auto digit = name.digits(1, 1)) {
        seconds += place * static_cast<double>(*digit);
        place /= 10;
    }
    return seconds;
}

/// Days since 1970-01-01; nothing for a name that is neither a date nor a time.
std::optional<double> days_of(std::string_view text) {
    NameReader name(text);
    const auto date = read_date(name);
    if (!date) return std::nullopt;
    double seconds = 0;
    if (name.skip("T") || name.skip(" ")) {
        const auto clock = read_clock(name);
        if (!clock) return std::nullopt;
        seconds = *clock;
        const bool later = name.skip("-");
        if (later || name.skip("+")) {
            const auto offset = read_clock(name);
            if (!offset) return std::nullopt;
            seconds += later ? *offset : -*offset;
        } else {
            (void)name.skip("Z");
        }
    }
    if (!name.at_end()) return std::nullopt;
    return (static_cast<double>(*date) * seconds_a_day + seconds) / seconds_a_day;
}

std::optional<std::int32_t> date_of(std::string_view text) {
    NameReader name(text);
    const auto days = read_date(name);
    if (!days || !name.at_end()) return std::nullopt;
    return static_cast<std::int32_t>(*days);
}

std::optional<std::int32_t> integer_of(std::string_view text) {
    NameReader name(text);
    const bool negative = name.skip("-");
    const auto number = name.digits(1, 9);
    if (!number || !name.at_end()) return std::nullopt;
    return static_cast<std::int32_t>(negative ? -*number : *number);
}

[[noreturn]] void refuse_name(const char* what, std::string_view name, const char* hint) {
    throw Error(ErrorCode::invalid_value, what, "One of them is \"" + shortened(name, 100) + "\".", hint);
}

}  // namespace

double point_of_name(std::string_view name) {
    if (const auto days = days_of(name)) return *days;
    if (const auto number = parsed_number(name)) return *number;
    refuse_name("groups are not numbers, dates or times", name,
                "Group by round, or by a column of numbers, dates or times.");
}

TimeNames::TimeNames(std::span<const std::string_view> names)
    : dates_(!names.empty() && date_of(names[0]).has_value()) {
    for (const std::string_view name : names) {
        const auto position = dates_ ? date_of(name) : integer_of(name);
        if (!position)
            refuse_name("groups are not dates or integers", name,
                        "Group by round, by a column of type date or integer, or by the days of a rollup.");
        positions_.push_back(*position);
    }
}

std::string TimeNames::name(std::int32_t position) const {
    if (!dates_) return std::to_string(position);
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(position))};
    const auto padded = [](unsigned number, std::size_t width) {
        const std::string digits = std::to_string(number);
        return std::string(width - std::min(width, digits.size()), '0') + digits;
    };
    return padded(static_cast<unsigned>(static_cast<int>(date.year())), 4) + "-" +
           padded(static_cast<unsigned>(date.month()), 2) + "-" +
           padded(static_cast<unsigned>(date.day()), 2);
}

}  // namespace ldp
