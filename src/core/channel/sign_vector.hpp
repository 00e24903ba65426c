// A vector as one sign vector in {±1}^d (Duchi, Jordan, Wainwright 2018).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/math/bit_counters.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// Channel from points of [−1,1]^d, each coordinate divided into `steps` equal parts, to sign vectors. An
/// input is rounded to a random sign vector v with the input as its mean. Then a uniform sign vector t is
/// drawn and negated if necessary: it agrees with v in more than half of the coordinates with probability p =
/// e^ε/(e^ε+1). A tie, possible for even d, is not changed.
///
/// For odd d, this is the published mechanism. For even d, the published mechanism assigns ties to both sides
/// with full weight. Ties are then more probable than 2^-d and weaken the signal. Here, every outcome has
/// probability 2·2^-d·p, 2^-d or 2·2^-d·(1−p). ε is the same, and B is smaller by the factor 1 +
/// C(d,d/2)/2^d.
///
/// B·t has mean x: for d uniform signs, the mean agreement with the majority is Π (2i−1)/2i over 1 ≤ i ≤
/// ⌊d/2⌋. Since t is uniform up to its sign, E[t_j t_k] = 0 for j ≠ k. A combination a·(B·t) has mean a·x and
/// mean square B²|a|² for any x.
///
/// A sign vector is d bits, 1 for +, lowest first. The spare bits of the last byte are 0.
/// tally: bit counters, Σ (ones in a sign vector)² (16 bytes)
class SignVectorChannel {
  public:
    /// Requires d ≥ 1.
    SignVectorChannel(std::size_t d, double epsilon);

    [[nodiscard]] std::size_t size() const noexcept { return counters_.bits(); }
    /// Return the sizes of a sign vector and of a tally in bytes.
    [[nodiscard]] std::size_t width() const noexcept { return counters_.width(); }
    [[nodiscard]] std::size_t tally_size() const noexcept { return counters_.size() + sizeof(Uint128); }
    /// Returns B with a relative error below 1e-12: the decoded size of a coordinate.
    [[nodiscard]] double magnitude() const noexcept { return magnitude_; }

    /// Draws a sign vector for a grid point, given as one input code ≤ steps per coordinate. The number of
    /// random words does not depend on the input.
    void sample(std::span<const std::uint64_t> cells, std::uint64_t steps, BitSource& bits,
                MutableBytes sign_vector) const;
    /// Returns the largest probability of a sign vector: the probability of a vector on the side of v.
    [[nodiscard]] double max_probability() const;
    /// Returns the exact probability of a sign vector, given the probability of + for each coordinate of v.
    [[nodiscard]] Exact probability(std::span<const Exact> plus, Bytes sign_vector) const;
    /// Returns p/(1−p). A sign vector has its largest probability if v is on its side with certainty, and its
    /// smallest if v is on the opposite side.
    [[nodiscard]] Exact worst_ratio() const;
    /// Returns the law of the sign vectors for inputs at the ends of all ranges; the law of any other input
    /// is a mixture of these.
    [[nodiscard]] ChannelLaw channel_law() const;

    [[nodiscard]] bool valid(Bytes sign_vector) const noexcept { return counters_.tidy(sign_vector.data()); }
    void accumulate(std::byte* tally, Bytes sign_vector) const noexcept;
    /// Counts untrusted sign vectors. Returns false if one is not valid; the tally may then contain some.
    [[nodiscard]] bool accumulate_all(std::byte* tally, const Payloads& sign_vectors) const noexcept;
    void merge(std::byte* tally, const std::byte* other) const noexcept;
    /// Returns whether n ≤ 2^40 sign vectors can produce this tally.
    [[nodiscard]] bool valid(std::uint64_t n, const std::byte* tally) const noexcept;
    /// Returns the unbiased mean of each coordinate on [−1,1], B·(2·share of ones − 1). Requires n ≥ 1.
    [[nodiscard]] std::vector<double> means(std::uint64_t n, const std::byte* tally) const;
    /// Returns two tests. The first compares each mean with its range (the worst p-value, times d). The
    /// second compares the variance of the number of ones with the variance of d fair coins, which holds for
    /// all inputs, since negation preserves |ones − d/2|. The tally does not contain products of coordinates.
    [[nodiscard]] std::vector<Check> health(std::uint64_t n, const std::byte* tally) const;

  private:
    BitCounters counters_;
    std::uint64_t rare_;  // 1 − p = rare_ / 2^64
    double magnitude_;
};

}  // namespace ldp
