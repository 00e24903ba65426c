#include "figures/figure_numbers.hpp"

#include <algorithm>

#include "figures/formatting.hpp"

namespace ldp::figures {

namespace {

constexpr int most_digits = 12;

}  // namespace

std::string common_unit(const Figure& figure) {
    const bool same =
        std::ranges::all_of(figure.rows, [&](const Row& row) { return row.unit == figure.rows[0].unit; });
    return same && !figure.rows.empty() ? figure.rows[0].unit : std::string();
}

std::string sign_of(const Figure& figure, const Row& row) {
    if (row.contrast == Contrast::above) return "\u25B2";
    if (row.contrast != Contrast::below) return {};
    const bool same = std::ranges::any_of(figure.contrasts, [&](const GroupContrast& one) {
        return one.other && (&figure.rows[one.row] == &row || &figure.rows[*one.other] == &row);
    });
    return same ? "" : "\u25BC";
}

double margin_of(const Row& row) noexcept {
    return std::max(row.upper - row.estimate, row.estimate - row.lower);
}

FigureNumbers::FigureNumbers(const Figure& figure) : shares_(figure.shares) {
    own_ = std::ranges::any_of(figure.rows, [&](const Row& row) {
        const auto& first = figure.rows[0].scale;
        return row.scale && first && (row.scale->lower != first->lower || row.scale->upper != first->upper);
    });
    std::vector<double> margins;
    for (const Row& row : figure.rows)
        if (const double margin = in_units(margin_of(row), row, false); margin > 0 && std::isfinite(margin))
            margins.push_back(margin);
    if (margins.empty()) return;
    const auto middle = margins.begin() + static_cast<std::ptrdiff_t>(margins.size() / 2);
    std::ranges::nth_element(margins, middle);
    margin_ = *middle;
}

double FigureNumbers::in_units(double value, const Row& row, bool limited) const noexcept {
    if (!in_per_cent(row)) return value;
    return limited ? std::clamp(100 * value, 0.0, 100.0) : 100 * value;
}

std::string FigureNumbers::text(double value, const Row& row, int more) const {
    if (!std::isfinite(value)) return rounded(value);
    const double margin = own_ ? in_units(margin_of(row), row, false) : margin_;
    // A smaller margin is a rounding error of the computation.
    if (!(margin > 1e-9 * std::max(1.0, std::abs(value)))) return rounded(value);
    return with_digits(value,
                       std::clamp(more - static_cast<int>(std::floor(std::log10(margin))), 0, most_digits));
}

std::string FigureNumbers::suffix(const Row& row) const {
    if (in_per_cent(row)) return "\u00A0%";
    return row.unit.empty() ? "" : "\u00A0" + row.unit;
}

std::string FigureNumbers::estimate(const Row& row) const {
    if (std::isnan(row.estimate)) return "none";
    return text(in_units(row.estimate, row, true), row, 0) + suffix(row);
}

std::string FigureNumbers::interval(const Row& row) const {
    if (std::isnan(row.lower) || std::isnan(row.upper)) return {};
    const double low = in_units(row.lower, row, true), high = in_units(row.upper, row, true);
    return text(low, row, 0) + (low < 0 ? " to " : "\u2013") + text(high, row, 0);
}

std::string FigureNumbers::estimate_and_interval(const Row& row) const {
    if (std::isnan(row.estimate)) return row.note.empty() ? "no estimate" : "no estimate: " + row.note;
    const std::string ends = interval(row);
    return estimate(row) + (ends.empty() ? "" : " (" + ends + ")");
}

std::string FigureNumbers::exact(double value, const Row& row) const {
    if (std::isnan(value)) return "none";
    return text(in_units(value, row, false), row, 1) + suffix(row);
}

std::string FigureNumbers::signed_exact(double difference, const Row& row) const {
    const std::string size = text(in_units(std::abs(difference), row, false), row, 1);
    const bool zero = size.find_first_not_of("0.,") == std::string::npos;
    return (zero ? "" : difference < 0 ? "\u2212" : "+") + size + (in_per_cent(row) ? "" : suffix(row));
}

std::string FigureNumbers::margin(const Row& row) const {
    const double margin = margin_of(row);
    return std::isnan(margin) ? "none" : "\u00B1\u00A0" + text(in_units(margin, row, false), row, 1);
}

std::string FigureNumbers::size_and_interval(double difference, const Interval& ends, const Row& row) const {
    if (in_per_cent(row)) {  // no share changes by more than 100 points
        const auto limited = [](double value) { return std::clamp(value, -1.0, 1.0); };
        return size_and_interval_of(limited(difference), {limited(ends.lower), limited(ends.upper)}, row);
    }
    return size_and_interval_of(difference, ends, row);
}

std::string FigureNumbers::size_and_interval_of(double difference, const Interval& ends,
                                                const Row& row) const {
    const bool up = difference >= 0;
    const auto number = [&](double value) { return text(in_units(value, row, false), row, 1); };
    const std::string size = number(std::abs(difference));
    return (!in_per_cent(row) ? size + suffix(row) : size + (size == "1" ? " point" : " points")) + " (" +
           number(up ? ends.lower : -ends.upper) + " to " + number(up ? ends.upper : -ends.lower) + ")";
}

}  // namespace ldp::figures
