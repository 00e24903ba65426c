// A place out of many, and a sign: the response behind differences of frequencies.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "core/channel/symmetric.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

class Exact;  // exact.hpp

/// Input one of 2^places places and a sign. The places are dealt out to g = 2^buckets buckets, and those of a
/// bucket own the rows of a Hadamard matrix, one each. A column is drawn, uniform and public; what follows is
/// symmetric response, at the full ε, on the place's bucket and its sign times the matrix's entry: one of 2g
/// symbols, the true one with probability p, any other with probability q.
///
/// Take what a report says in a place's bucket, ±1, or 0 if it is about another bucket, times the place's
/// entry in the report's column. On average it is (p − q) times the person's sign if the place is theirs,
/// else 0: other buckets are reported with either sign alike, and other rows are orthogonal to this one. So
/// shares of people, those with − counted against those with +, are estimated without bias.
///
/// One bucket is the Hadamard response of a single bit; as many buckets as places, randomized response on all
/// of place and sign. In between lies the best for ε, see best_buckets(); it makes the variance of a
/// difference of two frequencies about 8/(e − 1), e = exp(ε), or ((e + 1)/(e − 1))² while that is less. An
/// oracle that estimates each frequency by itself has twice 4e/(e − 1)².
class SignedIndex {
  public:
    /// buckets ≤ places ≤ 20, both as powers of two.
    SignedIndex(unsigned places, unsigned buckets, double epsilon)
        : places_(places), buckets_(buckets), response_(std::uint64_t{2} << buckets, epsilon) {}

    [[nodiscard]] std::uint64_t places() const noexcept { return std::uint64_t{1} << places_; }
    [[nodiscard]] std::uint64_t buckets() const noexcept { return std::uint64_t{1} << buckets_; }
    [[nodiscard]] std::uint64_t columns() const noexcept { return places() >> buckets_; }
    /// Outputs are symbol · columns + column.
    [[nodiscard]] std::uint64_t outputs() const noexcept { return 2 * places(); }
    /// The exclusive or of a place's digits to the base g, so that neither neighbours nor the multiples of a
    /// power of two, which people favour, crowd together.
    [[nodiscard]] std::uint64_t bucket(std::uint64_t place) const noexcept {
        if (buckets_ == 0) return 0;
        std::uint64_t sum = 0;
        for (; place != 0; place >>= buckets_) sum ^= place;
        return sum & (buckets() - 1);
    }

    [[nodiscard]] std::uint64_t sample(std::uint64_t place, bool negative, BitSource& bits) const {
        const std::uint64_t column = bits.fair(places_ - buckets_);
        return response_.sample(symbol(place, negative, column), bits) * columns() + column;
    }
    [[nodiscard]] Exact probability(std::uint64_t place, bool negative, std::uint64_t out) const;
    [[nodiscard]] Odds worst_ratio() const noexcept { return response_.worst_ratio(); }
    /// The greatest probability of an output, the same for all.
    [[nodiscard]] double max_probability() const noexcept {
        return likely() / static_cast<double>(columns());
    }
    /// How far from 0 one report by itself can put Σ v·(estimated share), the sum being over the first places
    /// of all.
    [[nodiscard]] double reach(std::span<const double> weights) const;

    /// How often each output came, 8 bytes each, to how many reports speak for + at each place less those
    /// that speak for −: (p − q) times the number of people, on average. Modulo 2^64.
    [[nodiscard]] std::vector<std::int64_t> balances(Bytes counters) const;
    /// The shares of people in each bucket, estimated from n ≥ 1 such counts without bias.
    [[nodiscard]] std::vector<double> bucket_shares(std::uint64_t n, Bytes counters) const;
    /// p − q.
    [[nodiscard]] double tilt() const noexcept { return likely() - unlikely(); }
    /// n·Var of Σ v·(estimated share), plus that sum's square: from Σ v² over all places, and from the mean
    /// over the people of Σ v² over the places of their bucket. Exact, the people being drawn at random; the
    /// square is what the sum is expected to be.
    [[nodiscard]] double mean_square(double squares, double crowded) const noexcept {
        return (2 * unlikely() * squares + tilt() * crowded) / (tilt() * tilt());
    }

    /// Statistics of n reports counted so, always the same: whether columns are drawn evenly, and whether no
    /// place and sign has more or less reports speaking for it than if all people were there, or none.
    [[nodiscard]] std::vector<Check> health(std::uint64_t n, Bytes counters) const;

    /// The number of buckets, as a power of two, of least variance for people who are evenly spread over
    /// them: mean_square is then (e + 2g − 1)²/(g·(e − 1)²) per unit of Σ v², and least at g = (e − 1)/2.
    [[nodiscard]] static unsigned best_buckets(double epsilon, unsigned most) noexcept;

  private:
    [[nodiscard]] std::uint64_t row(std::uint64_t place) const noexcept { return place >> buckets_; }
    [[nodiscard]] std::uint64_t symbol(std::uint64_t place, bool negative,
                                       std::uint64_t column) const noexcept {
        const bool entry = std::popcount(row(place) & column) % 2 != 0;
        return 2 * bucket(place) + (negative != entry ? 1 : 0);
    }
    [[nodiscard]] double share(std::uint64_t weight) const noexcept {
        return static_cast<double>(weight) / static_cast<double>(response_.total());
    }
    [[nodiscard]] double likely() const noexcept { return share(response_.weight(0, 0)); }
    [[nodiscard]] double unlikely() const noexcept { return share(response_.weight(0, 1)); }

    unsigned places_;
    unsigned buckets_;
    SymmetricChannel response_;
};

}  // namespace ldp
