#include "core/mechanism/joint/box_shares.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

std::vector<std::pair<std::size_t, double>> not_zero(std::span<const double> numbers) {
    std::vector<std::pair<std::size_t, double>> terms;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] != 0) terms.emplace_back(i, numbers[i]);
    return terms;
}

}  // namespace

BoxShares::IndependentShares::IndependentShares(std::span<const std::vector<double>> shares) {
    for (const std::vector<double>& of : shares) {
        auto& differences = details.emplace_back();
        auto& sums = people.emplace_back();
        const unsigned levels = levels_of(of.size());
        for (unsigned below = levels; below > 0; --below) {
            std::vector<double> difference(std::size_t{1} << (levels - below)), sum(difference.size());
            for (std::size_t i = 0; i < of.size(); ++i) {
                sum[i >> below] += of[i];
                difference[i >> below] += (i >> (below - 1)) % 2 == 0 ? of[i] : -of[i];
            }
            differences.push_back(not_zero(difference));
            sums.push_back(not_zero(sum));
        }
    }
}

/// Returns, for each node combination, the product of the nodes' terms.
BoxShares::Terms BoxShares::of_places(const Part& part, std::vector<Terms> nodes) {
    if (nodes.size() == 1) return std::move(nodes[0]);
    Terms places;
    places.reserve(nodes[0].size() * nodes[1].size());
    for (const auto& [row, outer] : nodes[0])
        for (const auto& [column, inner] : nodes[1])
            places.emplace_back((row << part.levels[1]) + column, outer * inner);
    return places;
}

BoxShares::Terms BoxShares::of_places(const Part& part, const std::vector<std::vector<Terms>>& nodes) {
    std::vector<Terms> own;
    for (std::size_t i = 0; i < part.places.size(); ++i) own.push_back(nodes[part.places[i]][part.levels[i]]);
    return of_places(part, std::move(own));
}

/// Returns, for each bucket, the sum of the terms of its node combinations.
BoxShares::Terms BoxShares::of_buckets(const Part& part, const Terms& places) {
    Terms buckets;
    for (const auto& [place, share] : places) buckets.emplace_back(part.channel->bucket(place), share);
    std::ranges::sort(buckets, {}, &Terms::value_type::first);
    Terms sums;
    for (const auto& [bucket, share] : buckets)
        if (!sums.empty() && sums.back().first == bucket)
            sums.back().second += share;
        else
            sums.emplace_back(bucket, share);
    return sums;
}

BoxShares::BoxShares(std::vector<std::uint64_t> sizes, std::vector<Part> parts)
    : sizes_(std::move(sizes)), parts_(std::make_shared<const std::vector<Part>>(std::move(parts))) {
    for (const std::uint64_t size : sizes_) trees_.emplace_back(size);
}

bool BoxShares::known() const noexcept {
    return std::ranges::any_of(
        *parts_, [&](const Part& part) { return part.places.size() == sizes_.size() && part.people >= 2; });
}

double BoxShares::people() const noexcept {
    double all = 0;
    for (const Part& part : *parts_) all += part.people;
    return all;
}

JointShares::Share BoxShares::share(const Box& box) const {
    std::vector<std::vector<double>> coefficients;
    Share share{1, {}, {}};
    for (std::size_t i = 0; i < box.size(); ++i) {
        const std::vector<double> inside(box[i].begin(), box[i].end());
        trees_[i].forward(inside, coefficients.emplace_back(inside.size()));
        share.value *= coefficients[i][0];
    }
    Work work;
    for (const Part& part : *parts_) {
        std::vector<Terms> nodes;
        double outside = 1;  // from the attributes that the request does not contain
        for (std::size_t i = 0; i < box.size(); ++i) {
            const auto at = std::ranges::find(part.places, i);
            if (at == part.places.end()) {
                outside *= coefficients[i][0];
                continue;
            }
            const unsigned level = part.levels[static_cast<std::size_t>(at - part.places.begin())];
            const std::size_t first = trees_[i].levels()[level], end = trees_[i].levels()[level + 1];
            nodes.push_back(not_zero(std::span(coefficients[i]).subspan(first, end - first)));
        }
        auto& weights = share.weights.emplace_back();
        auto& cells = share.cells.emplace_back();
        for (const auto& [place, weight] : of_places(part, std::move(nodes)))
            if (weight * outside != 0) {
                cells.push_back(place);
                weights.push_back(weight * outside);
            }
        work.done(1 + cells.size());
        if (part.people < 2) {
            if (!cells.empty()) share.value = unknown;
            continue;
        }
        for (std::size_t i = 0; i < cells.size(); ++i)
            share.value += weights[i] * detail(share.cells.size() - 1, cells[i]);
    }
    return share;
}

double BoxShares::averaged(std::size_t number, double of_people, std::vector<Terms> More::*of_more,
                           std::size_t at) const {
    double people = (*parts_)[number].people;
    for (const auto& more : more_) {
        const Terms& terms = ((*more).*of_more)[number];
        const auto found = std::ranges::lower_bound(terms, at, {}, &Terms::value_type::first);
        const double own = found != terms.end() && found->first == at ? found->second : 0;
        people += more->each;
        of_people += more->each / people * (own - of_people);
    }
    return of_people;
}

double BoxShares::detail(std::size_t number, std::size_t place) const {
    return averaged(number, (*parts_)[number].details[place], &More::details, place);
}

double BoxShares::crowding(std::size_t number, std::size_t place) const {
    const Part& part = (*parts_)[number];
    const std::size_t bucket = part.channel->bucket(place);
    return averaged(number, part.crowding[bucket], &More::crowding, bucket);
}

// The variance of a mean of n reports is divided by n − 1, since their mean is estimated from the same
// reports (Bessel).
double BoxShares::part_of_covariance(std::size_t number, const Share& a, const Share& b) const {
    const Part& part = (*parts_)[number];
    if (part.people < 2 || a.cells[number].empty() || b.cells[number].empty()) return 0;
    double squares = 0, crowded = 0;
    for (std::size_t i = 0, j = 0; i < a.cells[number].size(); ++i) {
        const std::size_t place = a.cells[number][i];
        while (j < b.cells[number].size() && b.cells[number][j] < place) ++j;
        if (j == b.cells[number].size()) break;
        if (b.cells[number][j] != place) continue;
        const double both = a.weights[number][i] * b.weights[number][j];
        squares += both;
        crowded += crowding(number, place) * both;
    }
    const auto mean = [&](const Share& share) {
        double sum = 0;
        for (std::size_t i = 0; i < share.cells[number].size(); ++i)
            sum += share.weights[number][i] * detail(number, share.cells[number][i]);
        return sum;
    };
    return (part.channel->mean_square(squares, crowded) - mean(a) * mean(b)) / (part.people - 1);
}

// Each level query is answered by different people.
double BoxShares::covariance(const Share& a, const Share& b) const {
    double all = 0;
    Work work;
    for (std::size_t p = 0; p < parts_->size(); ++p) {
        work.done(1 + a.cells[p].size());
        all += part_of_covariance(p, a, b);
    }
    return all;
}

double BoxShares::degrees_of_freedom(const Share& share) const {
    double all = 0, squares = 0;
    Work work;
    for (std::size_t p = 0; p < parts_->size(); ++p) {
        work.done(1 + share.cells[p].size());
        const double variance = std::max(0.0, part_of_covariance(p, share, share));
        all += variance;
        if (variance > 0) squares += variance * variance / ((*parts_)[p].people - 1);
    }
    return squares > 0 ? all * all / squares : 0;
}

std::unique_ptr<const JointShares> BoxShares::with(double reports, const Box& box) const {
    std::vector<std::vector<double>> shares;
    for (const std::vector<bool>& values : box) {
        const auto inside = static_cast<double>(std::ranges::count(values, true));
        auto& own = shares.emplace_back();
        for (const bool value : values) own.push_back(value ? 1 / inside : 0);
    }
    const IndependentShares spread(shares);
    auto more = std::make_shared<More>();
    more->each = reports / static_cast<double>(parts_->size());
    Work work;
    for (const Part& part : *parts_) {
        more->details.push_back(of_places(part, spread.details));
        more->crowding.push_back(of_buckets(part, of_places(part, spread.people)));
        work.done(1 + more->details.back().size() + more->crowding.back().size());
    }
    auto all = std::make_unique<BoxShares>(*this);
    all->more_.push_back(std::move(more));
    return all;
}

// Shrinking the mean towards 0 replaces most of Bessel's correction: the divisor is n − 1/2.
std::unique_ptr<const JointShares> BoxShares::cautious() const {
    constexpr double further = 4;
    std::vector<std::vector<double>> even;
    for (const std::uint64_t size : sizes_) even.emplace_back(size, 1 / static_cast<double>(size));
    const IndependentShares spread(even);
    std::vector<Part> parts = *parts_;
    Work work;
    for (Part& part : parts) {
        if (part.people < 2) continue;
        work.done(1 + part.details.size() + part.crowding.size());
        const double all = part.people + further;
        for (double& detail : part.details) detail *= part.people / all;
        for (const auto& [place, detail] : of_places(part, spread.details))
            part.details[place] += further / all * detail;
        std::vector<double> likely(part.crowding.size());
        for (const auto& [bucket, share] : of_buckets(part, of_places(part, spread.people)))
            likely[bucket] = further / all * share;
        for (std::size_t bucket = 0; bucket < likely.size(); ++bucket)
            part.crowding[bucket] =
                std::max(part.crowding[bucket], part.people / all * part.crowding[bucket] + likely[bucket]);
        part.people += 0.5;
    }
    return std::make_unique<BoxShares>(sizes_, std::move(parts));
}

void BoxShares::spread(Part& part, std::span<const std::vector<double>> shares) {
    const IndependentShares spread(shares);
    part.details.assign(part.channel->places(), 0);
    for (const auto& [place, detail] : of_places(part, spread.details)) part.details[place] = detail;
    part.crowding.assign(part.channel->buckets(), 0);
    for (const auto& [bucket, share] : of_buckets(part, of_places(part, spread.people)))
        part.crowding[bucket] = share;
}

}  // namespace ldp
