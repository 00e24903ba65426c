// A position and a sign: the response for estimating differences of frequencies.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "core/channel/symmetric.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// Channel from one of 2^places positions and a sign. The positions are distributed over g = 2^buckets
/// buckets, and each position of a bucket has its own row of a Hadamard matrix. A column is drawn, uniform
/// and public. The sign is multiplied by the matrix entry. Symmetric response at the full ε reports the
/// bucket and this product: one of 2g symbols, the true one with probability p, any other with probability q.
///
/// The estimate for a position multiplies the reported sign (0 for another bucket) by the position's entry in
/// the report's column. Its mean is (p − q) times the user's sign at the user's position, and 0 elsewhere:
/// other buckets are reported with both signs equally often, and other rows are orthogonal. Therefore
/// differences of shares, + minus −, are estimated without bias.
///
/// One bucket is the Hadamard response of a single bit. One bucket per position is randomized response on
/// position and sign. best_buckets() returns the best number in between. With e = exp(ε), the variance of a
/// difference of two frequencies is then about the minimum of 8/(e − 1) and ((e + 1)/(e − 1))². An oracle
/// that estimates each frequency separately has twice 4e/(e − 1)².
class SignedIndex {
  public:
    /// Requires buckets ≤ places ≤ 20, both as powers of two.
    SignedIndex(unsigned places, unsigned buckets, double epsilon)
        : places_(places),
          buckets_(buckets),
          response_(std::uint64_t{2} << buckets, epsilon),
          likely_(share(response_.weight(0, 0))),
          unlikely_(share(response_.weight(0, 1))) {}

    [[nodiscard]] std::uint64_t places() const noexcept { return std::uint64_t{1} << places_; }
    [[nodiscard]] std::uint64_t buckets() const noexcept { return std::uint64_t{1} << buckets_; }
    [[nodiscard]] std::uint64_t columns() const noexcept { return places() >> buckets_; }
    /// Outputs are symbol · columns + column.
    [[nodiscard]] std::uint64_t outputs() const noexcept { return 2 * places(); }
    /// Returns the exclusive or of a position's digits to the base g. Neither neighbours nor multiples of a
    /// power of two, which are frequent in data, share a bucket.
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
    /// Returns the law of the true symbol in any column, and of the other symbols.
    [[nodiscard]] ChannelLaw channel_law() const;
    /// Returns the largest probability of an output, which is the same for all outputs.
    [[nodiscard]] double max_probability() const noexcept { return likely_ / static_cast<double>(columns()); }
    /// Returns the largest absolute value of Σ v·(estimated share) from a single report; the sum covers the
    /// first positions.
    [[nodiscard]] double reach(std::span<const double> weights) const;

    /// Returns for each position the number of reports that support + minus the number that support −, from
    /// the counters of the outputs (8 bytes each). Its mean is (p − q) times the signed number of users.
    /// Modulo 2^64.
    [[nodiscard]] std::vector<std::int64_t> balances(Bytes counters) const;
    /// Returns the unbiased shares of users in each bucket from n ≥ 1 counted outputs.
    [[nodiscard]] std::vector<double> bucket_shares(std::uint64_t n, Bytes counters) const;
    /// Returns p − q.
    [[nodiscard]] double tilt() const noexcept { return likely_ - unlikely_; }
    /// Returns n·Var of Σ v·(estimated share) plus the square of that sum. `squares` is Σ v² over all
    /// positions. `crowded` is the mean over the users of Σ v² over the positions of their bucket. Exact for
    /// users drawn at random; the square refers to the expected sum.
    [[nodiscard]] double mean_square(double squares, double crowded) const noexcept {
        return (2 * unlikely_ * squares + tilt() * crowded) / (tilt() * tilt());
    }

    /// Returns the tests of n counted reports: whether columns are uniform, and whether the support of each
    /// position and sign is between that of no user and that of all users. The set of tests is fixed.
    [[nodiscard]] std::vector<Check> health(std::uint64_t n, Bytes counters) const;

    /// Returns the number of buckets, as a power of two, with the smallest variance for users spread evenly
    /// over them. Per unit of Σ v², mean_square is then (e + 2g − 1)²/(g·(e − 1)²). It is smallest at g = (e
    /// − 1)/2.
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

    unsigned places_;
    unsigned buckets_;
    SymmetricChannel response_;
    double likely_, unlikely_;  ///< probabilities of the true symbol and of another one
};

}  // namespace ldp
