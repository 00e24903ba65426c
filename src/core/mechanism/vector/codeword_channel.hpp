// A point of a ball as one of M random codewords, those near its direction with a higher probability. This is subset
// selection among the codewords (Isik et al. 2023, arXiv:2306.04924), and close to the mechanism PrivUnit for the sphere
// (Bhowmick et al. 2018, arXiv:1812.00984; Asi, Feldman, Talwar 2022, arXiv:2205.02466), whose variance is the limit for
// many codewords.
//
// The k codewords with the largest inner products with x are e^ε times as probable as the others. A report is the seed of
// the codebook and the number of a codeword, so that its probabilities are two integer weights, whatever the codewords
// are. A point with |x| < 1 stands for x/|x| or −x/|x| with probabilities (1 ± |x|)/2; the order of the codewords is then
// reversed. A row of probabilities is therefore a mixture of two rows with these weights.
//
// By symmetry, the expectation of the codeword is m·x, where m follows from the k largest of M normal variables.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/bytes.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/math/random_codebook.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

class CodewordChannel {
  public:
    static constexpr std::uint64_t most_codewords = 4096;

    /// The number of codewords, and of those with the higher weight.
    struct CodewordCounts {
        std::uint64_t codewords, near;
    };
    /// Returns the design with the smallest variance: with 256 codewords, or with 1024 or 4096 if these reduce the
    /// variance by more than 4 %.
    [[nodiscard]] static CodewordCounts best(std::size_t dimensions, double epsilon);

    /// Requires 1 ≤ near < codewords ≤ most_codewords.
    CodewordChannel(std::size_t dimensions, const CodewordCounts& design, double epsilon);

    [[nodiscard]] const Codebook& codebook() const noexcept { return codebook_; }
    [[nodiscard]] std::uint64_t codewords() const noexcept { return design_.codewords; }
    [[nodiscard]] std::uint64_t near() const noexcept { return design_.near; }
    [[nodiscard]] const Odds& worst_ratio() const noexcept { return odds_; }
    /// Returns the law of the codewords, for points of length 1. Other points mix two of these rows.
    [[nodiscard]] ChannelLaw channel_law() const;

    /// A point as integers, and its length as a share of the ball's radius.
    struct Point {
        std::span<const std::int32_t> coordinates;
        double length;  ///< 0 to 1
    };
    /// Draws the number of a codeword. The instructions and random words do not depend on the point.
    [[nodiscard]] std::uint64_t sample(std::uint64_t seed, const Point& point, BitSource& bits) const;
    [[nodiscard]] Exact probability(std::uint64_t seed, const Point& point, std::uint64_t number) const;
    /// Returns the largest probability of a codeword.
    [[nodiscard]] double max_probability() const noexcept;

    // Moments of a coordinate of the codeword drawn, for coordinates with the variance 1.

    /// Returns m, the expectation of the codeword along x for a point of length 1.
    [[nodiscard]] double mean() const noexcept { return moments_.sum; }
    /// Return the mean square and the mean fourth power along x. They are 1 and 3 in the directions at right angles.
    [[nodiscard]] double mean_square() const noexcept { return moments_.squares; }
    [[nodiscard]] double mean_fourth_power() const noexcept { return moments_.fourth_powers; }

  private:
    /// Writes a number for each codeword. They are different, and descend with the inner product.
    void order(std::uint64_t seed, const Point& point, std::span<std::uint64_t> keys) const noexcept;
    /// Returns the probability, in units of 2^-64, that the order is reversed.
    [[nodiscard]] static std::uint64_t reversal(const Point& point) noexcept;

    Codebook codebook_;
    CodewordCounts design_;
    Odds odds_;
    LargestNormals moments_;
};

}  // namespace ldp
