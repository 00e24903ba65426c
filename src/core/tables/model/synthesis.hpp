// Made-up records that are spread as a model says.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "core/tables/model/graphical_model.hpp"

namespace ldp {

/// Draws records clique by clique along a model's tree. Not each for itself, which would add the noise of a
/// sample: of the records of a block, every cell of the first clique gets its share, rounded up or down at
/// random, and so does every cell of a later one among the records that agree in its separator (systematic
/// sampling; McKenna et al. 2019 round likewise). So the tables of a model's cliques are those of the
/// records, but for roundings.
class Synthesis {
  public:
    /// Records that are spread together; also a bound of the memory that making them takes.
    static constexpr std::size_t block = std::size_t{1} << 16;

    /// Of records of so many attributes. The model must outlive it. Throws Error (unsupported) if it does not
    /// know one of them.
    Synthesis(const Model& model, std::size_t attributes);

    [[nodiscard]] std::size_t attributes() const noexcept { return attributes_; }

    /// Begins `values`, row after row, with a value of each attribute: attributes() · count numbers. At most
    /// `block` rows.
    void draw(std::size_t count, BitSource& bits, std::span<std::uint32_t> values) const;

  private:
    /// Of a clique: its cells by what they are in the separator, with running sums of their shares.
    struct CliqueCells {
        const Clique* clique;
        std::vector<std::size_t> begin;  ///< of each separator's cell, in `cells`; and the end
        std::vector<std::uint32_t> cells;
        std::vector<double> sums;  ///< up to and with a cell, from its separator's first on
    };

    std::vector<CliqueCells> parts_;
    std::size_t attributes_;
};

/// The number in a bin that is this part of the way, from 0 to below 1, from its lower end to its upper one,
/// which it stays below however narrow the bin is.
[[nodiscard]] double number_in_bin(double low, double high, double part) noexcept;

}  // namespace ldp
