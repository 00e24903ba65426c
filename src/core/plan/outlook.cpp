#include "core/plan/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/ordered/reading.hpp"
#include "core/mechanism/vector/joint.hpp"
#include "core/plan/quantile_error.hpp"

namespace ldp {

namespace {

double square(double number) noexcept {
    return number * number;
}

std::uint64_t whole(double n) noexcept {
    return static_cast<std::uint64_t>(std::max(1.0, std::round(n)));
}

/// What the errors against the two targets tell apart.
template <class Ask>
Parts parts(Ask ask) {
    const double noise = square(ask(Target::sample));
    return {noise, std::max(0.0, square(ask(Target::population)) - noise)};
}

/// People spread evenly over a category's values or a number's range, where a point stands for what is nearer
/// to it than to the next, so that the outer ones have half of it.
std::vector<double> even(std::size_t points, const Attribute& asked) {
    std::vector<double> shares(
        points, asked.numeric() ? 1 / static_cast<double>(points - 1) : 1 / static_cast<double>(points));
    if (asked.numeric()) shares.front() = shares.back() = shares.front() / 2;
    return shares;
}

}  // namespace

std::size_t Outlook::points_of(const Mechanism& mechanism, std::size_t attribute, const Attribute& asked) {
    if (!asked.numeric()) return asked.domain;
    const bool own = find_capability<Ordered>(mechanism) != nullptr;
    return own ? mechanism.cells()[attribute] : outlook_points;
}

Outlook::Outlook(const Mechanism& mechanism, const std::vector<Attribute>& attributes,
                 std::vector<std::vector<double>> spreads)
    : mechanism_(mechanism), attributes_(attributes), spreads_(std::move(spreads)) {
    spreads_.resize(attributes_.size());
}

const std::vector<double>& Outlook::spread(std::size_t attribute) const {
    std::vector<double>& own = spreads_[attribute];
    const Attribute& asked = attributes_[attribute];
    if (own.empty()) own = even(points_of(mechanism_, attribute, asked), asked);
    return own;
}

Parts Outlook::share(std::size_t attribute, std::size_t value, double n) const {
    if (find_capability<JointViews>(mechanism_) != nullptr) return cells({attribute}, {value}, n);
    const bool series = find_capability<SeriesRandomizer>(mechanism_) != nullptr;
    const std::vector<double>& shares = spread(series ? 0 : attribute);
    const double f = shares[value];
    return {mechanism_.n_variance_of(attribute, value, shares) / n, f * (1 - f) / n};
}

Parts Outlook::share_in_worst_round(std::size_t value, double n) const {
    const double f = spread(0)[value];
    return {mechanism_.n_variance(f) / n, f * (1 - f) / n};
}

Parts Outlook::pair(std::pair<std::size_t, std::size_t> attributes,
                    std::pair<std::size_t, std::size_t> values, double n) const {
    if (attributes.first > attributes.second) {
        std::swap(attributes.first, attributes.second);
        std::swap(values.first, values.second);
    }
    return cells({attributes.first, attributes.second}, {values.first, values.second}, n);
}

// Put together from all tables as an answer will be, each with the shares that are assumed, and as many
// people as are expected of it.
Parts Outlook::cells(std::vector<std::size_t> attributes, const std::vector<std::size_t>& values,
                     double n) const {
    const auto& joint = capability<JointViews>(mechanism_);
    const std::vector<std::vector<std::size_t>> views = joint.views();
    std::vector<CrossTable> tables;
    for (std::size_t v = 0; v < views.size(); ++v) {
        const auto asked = [&](std::size_t j) {
            return std::ranges::find(attributes, j) != attributes.end();
        };
        if (std::ranges::none_of(views[v], asked)) continue;
        check_interrupt();
        CrossTable& table = tables.emplace_back(joint.expected_table(v));
        table.people *= n;
        table.shares = {1};
        for (const std::size_t j : views[v]) {
            std::vector<double> finer;
            for (const double before : table.shares)
                for (const double share : spread(j)) finer.push_back(before * share);
            table.shares = std::move(finer);
        }
    }
    Combined::Box box;
    for (std::size_t i = 0; i < attributes.size(); ++i)
        box.emplace_back(attributes_[attributes[i]].domain)[values[i]] = true;
    const Combined combined(tables, std::move(attributes), Combination::consistent);
    if (!combined.told())
        raise(ErrorCode::unsupported, "nobody reports these attributes together", {},
              "Ask about attributes that stand in one view, or declare a view of these.");
    const Combined::Share share = combined.share(box);
    return parts(
        [&](Target target) { return estimate_of(combined, share, whole(n), target).standard_error; });
}

std::pair<double, double> Outlook::moments(std::size_t attribute) const {
    const std::vector<double>& shares = spread(attribute);
    const double steps = static_cast<double>(shares.size()) - 1;
    double first = 0, second = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const double at = 2 * static_cast<double>(i) / steps - 1;
        first += shares[i] * at;
        second += shares[i] * at * at;
    }
    return {first, std::max(0.0, second - first * first)};
}

Parts Outlook::mean(std::size_t attribute, double n) const {
    check_tells(mechanism_, Quantity::means);
    return {mechanism_.n_variance_of(attribute, 0, spread(attribute)) / n, moments(attribute).second / n};
}

double Outlook::rounding(std::size_t attribute, double n) const {
    const double step = 2 / static_cast<double>(mechanism_.cells()[attribute] - 1);
    return step * step / 6 / n;
}

Parts Outlook::range(double low, double high, double n) const {
    Reading reading(capability<Ordered>(mechanism_), spread(0), whole(n));
    const double from = reading.before(low), to = reading.behind(high);
    return parts([&](Target target) { return reading.share(from, to, target).standard_error; });
}

Parts Outlook::quantile(double share, double n) const {
    Reading reading(capability<Ordered>(mechanism_), spread(0), whole(n));
    std::vector<double> below(spread(0).size());
    std::partial_sum(spread(0).begin(), spread(0).end(), below.begin());
    // Between two points people are spread evenly.
    const auto place = [&](double part) {
        const auto point = std::ranges::lower_bound(below, std::clamp(part, 0.0, below.back()));
        const auto i = static_cast<std::size_t>(point - below.begin());
        const double before = i == 0 ? 0 : below[i - 1], inside = below[i] - before;
        return static_cast<double>(i) + (inside > 0 ? (part - before) / inside : 0) - 0.5;
    };
    const double at = std::clamp(place(share), 0.0, reading.steps());
    const double step = attributes_[0].numeric() ? 2 / reading.steps() : 1;
    return parts([&](Target target) {
        const double error = reading.share(Reading::left_end, at, target).standard_error;
        const double off =
            (std::min(place(share + error), reading.steps()) - std::max(place(share - error), 0.0)) / 2;
        return step * (reading.sharp() ? quantile_error(reading, below, share, at, off, target) : off);
    });
}

double Outlook::kept_part(std::size_t attribute, std::size_t value) const {
    if (!mechanism_.header().kept) return 0;
    const auto* record = find_capability<Record>(mechanism_);
    const Mechanism& own = record == nullptr ? mechanism_ : record->reporter(attribute);
    const double truth =
        attributes_[attribute].numeric() ? moments(attribute).first : spread(attribute)[value];
    return own.n_covariance(truth) / own.n_variance(truth);
}

}  // namespace ldp
