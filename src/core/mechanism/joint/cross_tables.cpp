#include "core/mechanism/joint/cross_tables.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

std::size_t product(std::span<const std::uint64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

/// Returns whether an attribute of a part is in a subset. The last attribute is the lowest bit.
bool holds(std::size_t subset, std::size_t attribute, std::size_t attributes) {
    return (subset >> (attributes - 1 - attribute) & 1) != 0;
}

/// Returns the subset as a set of requested attributes. The first attribute is the lowest bit.
std::size_t among_all(std::span<const std::size_t> places, std::size_t subset) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (holds(subset, i, places.size())) all |= std::size_t{1} << places[i];
    return all;
}

}  // namespace

std::size_t CrossTable::cells() const noexcept {
    return product(sizes);
}

double CrossTable::contrast() const noexcept {
    return even + held / static_cast<double>(cells());
}

Combined::Combined(std::span<const CrossTable> tables, std::vector<std::size_t> attributes, Combination how)
    : sizes_(attributes.size()), precision_(std::size_t{1} << attributes.size()) {
    for (const CrossTable& table : tables) {
        check_interrupt();
        PartialTable part{table.number, {}, {}, {}, table.people, table.even, table.held, 1, {}};
        std::vector<bool> asked(table.sizes.size());
        for (std::size_t i = 0; i < table.attributes.size(); ++i) {
            const auto found = std::ranges::lower_bound(attributes, table.attributes[i]);
            if (found == attributes.end() || *found != table.attributes[i]) {
                part.rest *= static_cast<double>(table.sizes[i]);
                continue;
            }
            part.places.push_back(static_cast<std::size_t>(found - attributes.begin()));
            part.sizes.push_back(table.sizes[i]);
            asked[i] = true;
            sizes_[part.places.back()] = table.sizes[i];
        }
        const bool whole = part.places.size() == attributes.size();
        if (part.places.empty() || table.people < 2 || (how == Combination::unbiased && !whole)) continue;
        known_ = known_ || whole;
        // Sums over the attributes that were not requested, from the last one on, so that all later
        // attributes are already done.
        part.shares = table.shares;
        std::size_t inner = 1;
        for (std::size_t i = table.sizes.size(); i-- > 0;) {
            const std::size_t size = table.sizes[i];
            if (asked[i]) {
                inner *= size;
                continue;
            }
            std::vector<double> sums(part.shares.size() / size);
            for (std::size_t cell = 0; cell < part.shares.size(); ++cell)
                sums[cell / (inner * size) * inner + cell % inner] += part.shares[cell];
            part.shares = std::move(sums);
        }
        part.precision.assign(std::size_t{1} << part.places.size(), 0);
        for (std::size_t subset = 1; subset < part.precision.size(); ++subset) {
            double variance = table.contrast() * part.rest;
            for (std::size_t i = 0; how == Combination::consistent && i < part.sizes.size(); ++i)
                if (!holds(subset, i, part.sizes.size())) variance *= static_cast<double>(part.sizes[i]);
            part.precision[subset] = table.people / variance;
            precision_[among_all(part.places, subset)] += part.precision[subset];
        }
        parts_.push_back(std::move(part));
    }
}

std::optional<std::size_t> Combined::only_table() const noexcept {
    return parts_.size() == 1 ? std::optional(parts_[0].number) : std::nullopt;
}

double Combined::people() const noexcept {
    double all = 0;
    for (const PartialTable& part : parts_) all += part.people;
    return all;
}

// The indicator of a box is a product over the attributes, and so is each of its effects. An attribute in S
// contributes its indicator minus its mean; the others contribute the mean. The effect of the empty set is a
// constant, the share for equally frequent cells. The transformation processes one attribute after another
// and replaces the index by effect bits with the index by values.
Combined::Share Combined::share(const Box& box) const {
    std::vector<double> means(box.size());
    Share share{1, {}, {}};
    for (std::size_t i = 0; i < box.size(); ++i) {
        means[i] = static_cast<double>(std::ranges::count(box[i], true)) / static_cast<double>(sizes_[i]);
        share.value *= means[i];
    }
    Work work;
    for (const PartialTable& part : parts_) {
        work.done(part.shares.size());
        // by effect bits; the last attribute's is the lowest
        std::vector<double> weights(part.precision.size());
        for (std::size_t subset = 1; subset < weights.size(); ++subset) {
            const std::size_t all = among_all(part.places, subset);
            weights[subset] = part.precision[subset] / precision_[all];
            for (std::size_t i = 0; i < box.size(); ++i)
                if ((all >> i & 1) == 0) weights[subset] *= means[i];
        }
        std::size_t inner = 1;  // number of value combinations of the processed attributes
        for (std::size_t i = part.places.size(); i-- > 0;) {
            const std::vector<bool>& inside = box[part.places[i]];
            const double mean = means[part.places[i]];
            std::vector<double> spread(weights.size() / 2 * inside.size());
            for (std::size_t outer = 0; outer < weights.size() / (2 * inner); ++outer)
                for (std::size_t v = 0; v < inside.size(); ++v)
                    for (std::size_t k = 0; k < inner; ++k)
                        spread[(outer * inside.size() + v) * inner + k] =
                            weights[2 * outer * inner + k] +
                            weights[(2 * outer + 1) * inner + k] * ((inside[v] ? 1 : 0) - mean);
            weights = std::move(spread);
            inner *= inside.size();
        }
        for (std::size_t cell = 0; cell < weights.size(); ++cell)
            share.value += weights[cell] * part.shares[cell];
        share.weights.push_back(std::move(weights));
    }
    return share;
}

// Each table is reported by different people. The variance of a mean of n reports is divided by n − 1, since
// their mean is estimated from the same reports (Bessel).
double Combined::covariance(const Share& a, const Share& b) const {
    double all = 0;
    Work work;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const PartialTable& part = parts_[p];
        work.done(part.shares.size());
        double squares = 0, held = 0, mean_a = 0, mean_b = 0;
        for (std::size_t cell = 0; cell < part.shares.size(); ++cell) {
            const double both = a.weights[p][cell] * b.weights[p][cell];
            squares += both;
            held += part.shares[cell] * both;
            mean_a += part.shares[cell] * a.weights[p][cell];
            mean_b += part.shares[cell] * b.weights[p][cell];
        }
        all += (part.even * part.rest * squares + part.held * held - mean_a * mean_b) / (part.people - 1);
    }
    return all;
}

std::unique_ptr<const JointShares> Combined::with(double reports, const Box& box) const {
    auto more = std::make_unique<Combined>(*this);
    for (PartialTable& part : more->parts_) {
        std::vector<double> inside{1};  // for each cell, its fraction of all cells in the box
        for (const std::size_t place : part.places) {
            const auto values = static_cast<double>(std::ranges::count(box[place], true));
            std::vector<double> finer;
            for (const double outer : inside)
                for (const bool value : box[place]) finer.push_back(value ? outer / values : 0);
            inside = std::move(finer);
        }
        for (std::size_t cell = 0; cell < inside.size(); ++cell)
            part.shares[cell] =
                (part.people * part.shares[cell] + reports * inside[cell]) / (part.people + reports);
    }
    return more;
}

}  // namespace ldp
