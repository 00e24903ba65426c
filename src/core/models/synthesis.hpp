// Synthetic records from a model.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "core/models/graphical_model.hpp"

namespace ldp {

/// Draws records clique by clique along a model's tree. Independent draws would add sampling noise. Instead,
/// every cell of the first clique gets its share of a block's records, rounded up or down at random. Every
/// cell of a later clique gets its share of the records that agree in its separator (systematic sampling;
/// McKenna et al. 2019 use a similar rounding). The records therefore have the tables of the model's cliques
/// up to rounding.
class Synthesis {
  public:
    /// Number of records that are allocated together; it also bounds the memory use.
    static constexpr std::size_t block = std::size_t{1} << 16;

    /// Draws records of this number of attributes. The model must outlive the object. Error (unsupported) if
    /// the model lacks an attribute.
    Synthesis(const Model& model, std::size_t attributes);

    [[nodiscard]] std::size_t attributes() const noexcept { return attributes_; }

    /// Writes `count` ≤ `block` rows to the start of `values`, row after row, with one value per attribute:
    /// attributes() · count numbers.
    void draw(std::size_t count, BitSource& bits, std::span<std::uint32_t> values) const;

  private:
    /// The cells of a clique, grouped by the cells of the separator, with cumulative sums of their shares.
    struct CliqueCells {
        const Clique* clique;
        std::vector<std::size_t> begin;  ///< of each separator's cell, in `cells`; and the end
        std::vector<std::uint32_t> cells;
        std::vector<double> sums;  ///< cumulative within the cells of a separator's cell, inclusive
    };

    std::vector<CliqueCells> parts_;
    std::size_t attributes_;
};

/// Returns the number at this fraction (0 to below 1) of a bin. It stays below the upper end, however narrow
/// the bin is.
[[nodiscard]] double number_in_bin(double low, double high, double part) noexcept;

}  // namespace ldp
