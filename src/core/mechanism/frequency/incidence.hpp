// What the oracles share whose values own sets of outputs in the manner of a design: every set has as many of
// the outputs, any two sets have as many in common, and a report is an output of the true value's set with
// exp(ε) times the weight of any other. All of hadamard and projective but the design itself.
//
// payload: an output · state: reports per output
#pragma once

#include "core/channel/odds.hpp"
#include "core/mechanism/frequency/counters.hpp"

namespace ldp {

/// The numbers of a symmetric design.
struct Design {
    std::uint64_t outputs;  ///< K
    std::uint64_t owned;    ///< c: outputs of a set
    std::uint64_t shared;   ///< c₂: outputs that two sets have in common
};

/// The design may have more sets than there are values. The spare ones belong to nobody, so that what falls
/// on them is known to be chance.
class Incidence : public CountingOracle {
  public:
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    PureProtocol protocol() const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    std::uint64_t support(Bytes state, Cell value) const final;
    double likeliest(Bytes) const final { return likely(); }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final;

  protected:
    Incidence(const Header& header, Bytes block, std::uint64_t k, const Design& design);

    /// Probabilities of an output that the value owns, and of one that it does not.
    [[nodiscard]] double likely() const noexcept;
    [[nodiscard]] double unlikely() const noexcept;
    std::vector<Check> own_checks(const Counts& counts) const override;

    /// A uniform output of the value's set, or of those outside it. The number of draws must not depend on
    /// the value.
    [[nodiscard]] virtual std::uint64_t draw(std::uint64_t value, bool inside, BitSource& bits) const = 0;
    [[nodiscard]] virtual bool owns(std::uint64_t value, std::uint64_t output) const noexcept = 0;
    /// How many reports fall into each set, those of the values first. Of arbitrary counters, the sums may
    /// wrap around.
    [[nodiscard]] virtual std::vector<std::uint64_t> tally(Bytes state) const = 0;

  private:
    Design design_;
    // The two sides' sizes in lowest terms: what they have in common takes no room in the random word.
    std::uint64_t common_;
    Odds odds_;
    std::uint64_t inside_;  // weight of the value's own side
    std::uint64_t total_;
};

}  // namespace ldp
