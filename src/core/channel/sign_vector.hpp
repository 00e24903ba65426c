// Many numbers at once as one corner of the hypercube {±1}^d (Duchi, Jordan, Wainwright 2018).
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

class Exact;  // exact.hpp

/// Inputs are points of [−1,1]^d, each coordinate cut into `steps` equal parts. They are rounded to a corner
/// v whose mean they are; then a uniform corner t is drawn and, if need be, turned round, so that it lies on
/// v's side with probability p = e^ε/(e^ε+1) and on the other side otherwise. A t that is as far from v as
/// from −v lies on neither side and stays as it is.
///
/// For odd d there are no such ties and this is the published mechanism. For even d the published ones count
/// a tie to both sides with full weight, which makes ties likelier than their 2^-d and takes the signal from
/// them: here every outcome has probability 2·2^-d·p, 2^-d or 2·2^-d·(1−p), so ε is the same, and B is
/// smaller by the factor 1 + C(d,d/2)/2^d.
///
/// B·t has mean x: of d uniform signs, the mean agreement with the majority is Π (2i−1)/2i over 1 ≤ i ≤
/// ⌊d/2⌋. And t is uniform up to turning it round, so E[t_j t_k] = 0 for j ≠ k: a combination a·(B·t) has
/// mean a·x and mean square B²|a|², whatever x is.
///
/// A corner is d bits, 1 for +, lowest first; the last byte's spare bits are 0.
/// tally: bit counters, Σ (ones in a corner)² (16 bytes)
class SignVectorChannel {
  public:
    /// d ≥ 1.
    SignVectorChannel(std::size_t d, double epsilon);

    [[nodiscard]] std::size_t size() const noexcept { return counters_.bits(); }
    /// Bytes of a corner and of a tally.
    [[nodiscard]] std::size_t width() const noexcept { return counters_.width(); }
    [[nodiscard]] std::size_t tally_size() const noexcept { return counters_.size() + sizeof(Uint128); }
    /// B, to a relative error below 1e-12: what a coordinate of a corner stands for.
    [[nodiscard]] double magnitude() const noexcept { return magnitude_; }

    /// Draws a corner for a point of the grid, one cell ≤ steps a coordinate. The words drawn do not depend
    /// on the cells.
    void sample(std::span<const std::uint64_t> cells, std::uint64_t steps, BitSource& bits,
                MutableBytes sign_vector) const;
    /// The greatest probability of a corner: that of v's own side.
    [[nodiscard]] double max_probability() const;
    /// The exact probability of a corner, given that of + for each coordinate of v.
    [[nodiscard]] Exact probability(std::span<const Exact> plus, Bytes sign_vector) const;
    /// p/(1−p): a corner has its greatest probability where v is sure to be on its side, and its least where
    /// v is sure to be on the other.
    [[nodiscard]] Exact worst_ratio() const;

    [[nodiscard]] bool valid(Bytes sign_vector) const noexcept { return counters_.tidy(sign_vector.data()); }
    void accumulate(std::byte* tally, Bytes sign_vector) const noexcept;
    void merge(std::byte* tally, const std::byte* other) const noexcept;
    /// Whether n ≤ 2^40 corners can have led to this tally.
    [[nodiscard]] bool valid(std::uint64_t n, const std::byte* tally) const noexcept;
    /// The mean of each coordinate, on [−1,1], without bias: B·(2·share of ones − 1); n ≥ 1.
    [[nodiscard]] std::vector<double> means(std::uint64_t n, const std::byte* tally) const;
    /// Each mean within its range (the worst, times d), and the spread of the number of ones, which is that
    /// of d fair coins whatever the inputs are: turning a corner round leaves |ones − d/2| as it is. Products
    /// of single coordinates, which would be fair coins too, are not in the tally.
    [[nodiscard]] std::vector<Check> health(std::uint64_t n, const std::byte* tally) const;

  private:
    BitCounters counters_;
    std::uint64_t rare_;  // 1 − p = rare_ / 2^64
    double magnitude_;
};

}  // namespace ldp
