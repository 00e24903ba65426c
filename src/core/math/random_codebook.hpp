// A random codebook: codewords whose coordinates are independent and nearly normal. The codebook follows from a seed, in
// integers only, so that every device and every server has the same one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ldp {

/// The codewords of a dimension. Coordinate j of codeword i is an entry of a table of 4096 integers: the means of 4096
/// equally probable parts of the normal distribution, times 1024 and rounded. Its index is 12 bits of the j/4-th word
/// of the codeword, those from bit 16·(j mod 4) on. The words of all codewords are the output of SplitMix64 for the seed
/// (Steele, Lea, Flood 2014, doi:10.1145/2660193.2660195), ⌈dimensions/4⌉ words for each codeword.
///
/// The means of the parts, instead of their medians, give the tails of the table the means of the normal tails. The
/// expectation of an inner product of selected codewords then hardly depends on the direction: by at most 2·10⁻⁵ of its
/// value if at least 1.5 % of the codewords are selected.
class Codebook {
  public:
    static constexpr std::size_t entries = 4096;
    static constexpr std::int32_t most = 3829;  ///< the largest entry of the table

    explicit Codebook(std::size_t dimensions) noexcept
        : dimensions_(dimensions), words_((dimensions + 3) / 4), table_(table()), packed_(packed()) {}

    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
    /// Returns the table in ascending order; it is symmetric.
    [[nodiscard]] static const std::array<std::int16_t, entries>& table() noexcept;
    /// Return the mean square and the mean fourth power of the entries.
    [[nodiscard]] static double mean_square() noexcept;
    [[nodiscard]] static double mean_fourth_power() noexcept;

    /// Writes the coordinates of a codeword.
    void codeword(std::uint64_t seed, std::uint64_t index,
                  std::span<std::int16_t> coordinates) const noexcept;
    /// Writes the inner product of a vector with each of the first codewords. The coordinates of the vector must be
    /// below 2^20 in size.
    void products(std::uint64_t seed, std::span<const std::int32_t> vector,
                  std::span<std::int64_t> products) const noexcept;

    /// The sum and the sum of squares of a coordinate over codewords.
    struct CoordinateSums {
        std::int64_t sum = 0;
        std::uint64_t squares = 0;
    };
    /// The largest number of codewords that add() takes.
    static constexpr std::size_t most_at_once = 1024;
    /// Adds four coordinates, of the word with this number in each codeword, over codewords. `starts` has start() of
    /// each codeword.
    void add(std::span<const std::uint64_t> starts, std::size_t word,
             std::span<CoordinateSums, 4> sums) const noexcept;
    /// Returns the state of the generator before the first word of a codeword.
    [[nodiscard]] std::uint64_t start(std::uint64_t seed, std::uint64_t index) const noexcept {
        return seed + step * (index * words_);
    }
    /// Returns the number of words of a codeword.
    [[nodiscard]] std::size_t words() const noexcept { return words_; }

  private:
    /// An entry plus `offset`, and its square above them: both are added in one step.
    using Packed = std::array<std::uint64_t, entries>;
    static constexpr unsigned square_from = 28;
    static constexpr std::int64_t offset = 4096;
    [[nodiscard]] static const Packed& packed() noexcept;

    static constexpr std::uint64_t step = 0x9E3779B97F4A7C15;

    /// Returns the word with this number after a state of the generator.
    [[nodiscard]] static std::uint64_t word(std::uint64_t start, std::size_t number) noexcept {
        std::uint64_t z = start + step * (number + 1);
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    [[nodiscard]] std::int16_t entry(std::uint64_t word, unsigned place) const noexcept {
        return table_[word >> 16 * place & (entries - 1)];
    }

    std::size_t dimensions_, words_;
    const std::array<std::int16_t, entries>& table_;
    const Packed& packed_;
};

/// Expectations over the k largest of `number` independent normal variables.
struct LargestNormals {
    double sum = 0;            ///< of their sum
    double squares = 0;        ///< of the sum of their squares
    double fourth_powers = 0;  ///< of the sum of their fourth powers

    /// Requires 0 < k < number. The results are rounded to 40 significant bits.
    [[nodiscard]] static LargestNormals of(std::uint64_t number, std::uint64_t k) noexcept;
};

}  // namespace ldp
