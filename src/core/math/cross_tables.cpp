#include "core/math/cross_tables.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

std::size_t product(std::span<const std::uint64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

/// Calls visit(cell, values) for all cells, the last value running fastest.
template <class Visit>
void for_each_cell(std::span<const std::uint64_t> sizes, Visit visit) {
    std::vector<std::uint64_t> values(sizes.size());
    for_each_index(product(sizes), [&](std::size_t cell) {
        visit(cell, std::as_const(values));
        for (std::size_t i = sizes.size(); i-- > 0 && ++values[i] == sizes[i];) values[i] = 0;
    });
}

/// The subset of the attributes asked for that some of a part's attributes are, as bits.
std::size_t among_all(std::span<const std::size_t> places, std::size_t subset) {
    std::size_t all = 0;
    for (std::size_t i = 0; i < places.size(); ++i) all |= (subset >> i & 1) << places[i];
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
        Part part{{}, {}, {}, table.people, table.even, table.held, 1, {}};
        std::vector<std::size_t> strides(table.sizes.size());  // in the part; 0 where it is summed over
        for (std::size_t i = 0; i < table.attributes.size(); ++i) {
            const auto found = std::ranges::lower_bound(attributes, table.attributes[i]);
            if (found == attributes.end() || *found != table.attributes[i]) {
                part.rest *= static_cast<double>(table.sizes[i]);
                continue;
            }
            part.places.push_back(static_cast<std::size_t>(found - attributes.begin()));
            part.sizes.push_back(table.sizes[i]);
            strides[i] = 1;
            sizes_[part.places.back()] = table.sizes[i];
        }
        const bool whole = part.places.size() == attributes.size();
        if (part.places.empty() || table.people < 2 || (how == Combination::unbiased && !whole)) continue;
        told_ = told_ || whole;
        std::size_t stride = 1;
        for (std::size_t i = strides.size(); i-- > 0;) {
            if (strides[i] == 0) continue;
            strides[i] = stride;
            stride *= table.sizes[i];
        }
        part.shares.assign(stride, 0);
        for_each_cell(table.sizes, [&](std::size_t cell, const std::vector<std::uint64_t>& values) {
            std::size_t at = 0;
            for (std::size_t i = 0; i < values.size(); ++i) at += strides[i] * values[i];
            part.shares[at] += table.shares[cell];
        });
        part.precision.assign(std::size_t{1} << part.places.size(), 0);
        for (std::size_t subset = 1; subset < part.precision.size(); ++subset) {
            double variance = table.contrast() * part.rest;
            for (std::size_t i = 0; how == Combination::consistent && i < part.sizes.size(); ++i)
                if ((subset >> i & 1) == 0) variance *= static_cast<double>(part.sizes[i]);
            part.precision[subset] = table.people / variance;
            precision_[among_all(part.places, subset)] += part.precision[subset];
        }
        parts_.push_back(std::move(part));
    }
}

double Combined::people() const noexcept {
    double all = 0;
    for (const Part& part : parts_) all += part.people;
    return all;
}

// A box is a product, and so are its effects: of the attributes in S the indicator less its mean, of the
// others the mean times the number of values. The effect of no attribute is the mean itself, which is known.
Combined::Share Combined::share(const Box& box) const {
    std::vector<double> inside(box.size());
    Share share{1, {}};
    for (std::size_t i = 0; i < box.size(); ++i) {
        inside[i] = static_cast<double>(std::ranges::count(box[i], true));
        share.value *= inside[i] / static_cast<double>(sizes_[i]);
    }
    for (const Part& part : parts_) {
        std::vector<double> factors(part.precision.size());
        for (std::size_t subset = 1; subset < factors.size(); ++subset) {
            const std::size_t all = among_all(part.places, subset);
            factors[subset] = part.precision[subset] / precision_[all];
            for (std::size_t i = 0; i < box.size(); ++i)
                if ((all >> i & 1) == 0) factors[subset] *= inside[i] / static_cast<double>(sizes_[i]);
        }
        std::vector<double>& weights = share.weights.emplace_back(part.shares.size());
        for_each_cell(part.sizes, [&](std::size_t cell, const std::vector<std::uint64_t>& values) {
            double weight = 0;
            for (std::size_t subset = 1; subset < factors.size(); ++subset) {
                double effect = factors[subset];
                for (std::size_t i = 0; i < values.size(); ++i) {
                    if ((subset >> i & 1) == 0) continue;
                    const std::size_t place = part.places[i];
                    effect *=
                        (box[place][values[i]] ? 1 : 0) - inside[place] / static_cast<double>(sizes_[place]);
                }
                weight += effect;
            }
            weights[cell] = weight;
            share.value += weight * part.shares[cell];
        });
    }
    return share;
}

// Each table is of people of its own. That n reports stand for a variance of n − 1 is where its mean is taken
// from them, too (Bessel).
double Combined::covariance(const Share& a, const Share& b) const {
    double all = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Part& part = parts_[p];
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

}  // namespace ldp
