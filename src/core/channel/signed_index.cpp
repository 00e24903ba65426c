#include "core/channel/signed_index.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/walsh_hadamard.hpp"

namespace ldp {

namespace {

std::uint64_t count(Bytes counters, std::size_t i) noexcept {
    return load<std::uint64_t>(counters.data() + i * sizeof(std::uint64_t));
}

}  // namespace

Exact SignedIndex::probability(std::uint64_t place, bool negative, std::uint64_t out) const {
    const std::uint64_t right = symbol(place, negative, out % columns());
    return exact(response_.weight(right, out / columns()), response_.total()) * exact(1, columns());
}

ChannelLaw SignedIndex::channel_law() const {
    return levels_law(worst_ratio(), columns(), (response_.outputs() - 1) * columns());
}

std::vector<std::int64_t> SignedIndex::balances(Bytes counters) const {
    std::vector<std::uint64_t> sums(places());  // by bucket
    for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto rows = std::span(sums).subspan(bucket * columns(), columns());
        for (std::uint64_t column = 0; column < columns(); ++column)
            rows[column] = count(counters, 2 * bucket * columns() + column) -
                           count(counters, (2 * bucket + 1) * columns() + column);
        walsh_hadamard(rows);
    }
    std::vector<std::int64_t> balances(places());
    for (std::uint64_t place = 0; place < places(); ++place)
        balances[place] = static_cast<std::int64_t>(sums[bucket(place) * columns() + row(place)]);
    return balances;
}

// A user's own bucket is reported with probability p + q, any other with 2q.
std::vector<double> SignedIndex::bucket_shares(std::uint64_t n, Bytes counters) const {
    if (buckets() == 1) return {1};
    std::vector<double> shares(buckets());
    for (std::uint64_t out = 0; out < outputs(); ++out)
        shares[out / columns() / 2] += static_cast<double>(count(counters, out));
    for (double& share : shares) share = (share / static_cast<double>(n) - 2 * unlikely_) / tilt();
    return shares;
}

// A report is a bucket with a column of its matrix or the negated column.
double SignedIndex::reach(std::span<const double> weights) const {
    std::vector<double> sums(places());
    for (std::uint64_t place = 0; place < weights.size(); ++place)
        sums[bucket(place) * columns() + row(place)] = weights[place];
    double most = 0;
    for (std::uint64_t bucket = 0; bucket < buckets(); ++bucket) {
        const auto rows = std::span(sums).subspan(bucket * columns(), columns());
        walsh_hadamard(rows);
        for (const double sum : rows) most = std::max(most, std::abs(sum));
    }
    return most / tilt();
}

// A report supports a position and sign if it has its bucket and, in its column, its sign. The probability is
// p for the user's own, (p + q)/2 if the position is in the user's bucket, and q otherwise.
std::vector<Check> SignedIndex::health(std::uint64_t n, Bytes counters) const {
    std::vector<std::uint64_t> drawn(columns()), named(buckets());
    for (std::uint64_t out = 0; out < outputs(); ++out) {
        drawn[out % columns()] += count(counters, out);
        named[out / columns() / 2] += count(counters, out);
    }
    const std::vector<std::int64_t> balance = balances(counters);
    std::uint64_t least = n, most = 0;
    for (std::uint64_t place = 0; place < places(); ++place)
        for (const std::int64_t sign : {1, -1}) {
            const std::uint64_t both = named[bucket(place)];
            const std::uint64_t speak =
                (both + static_cast<std::uint64_t>(sign) * static_cast<std::uint64_t>(balance[place])) / 2;
            least = std::min(least, speak);
            most = std::max(most, speak);
        }
    const auto share_of = [n](std::uint64_t reports) {
        return static_cast<double>(reports) / static_cast<double>(n);
    };
    const auto any = [this](double p_value) {
        return std::min(1.0, static_cast<double>(outputs()) * p_value);
    };
    return {
        goodness_of_fit("columns drawn", drawn),
        {"least support of a node", share_of(least), unlikely_, any(binomial_at_most(n, unlikely_, least))},
        {"greatest support of a node", share_of(most), likely_, any(binomial_at_least(n, likely_, most))}};
}

// Doubling g improves (e + 2g − 1)²/g while g < (e − 1)/√8.
unsigned SignedIndex::best_buckets(double epsilon, unsigned most) noexcept {
    unsigned buckets = 0;
    while (buckets < most && std::ldexp(std::sqrt(8.0), static_cast<int>(buckets)) < std::expm1(epsilon))
        ++buckets;
    return buckets;
}

}  // namespace ldp
