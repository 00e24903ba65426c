// What the oracles share whose values own sets of outputs in the manner of a design: every set has as many of
// the outputs, any two sets have as many in common, and a report is an output of the true value's set with
// exp(ε) times the weight of any other. All of hadamard and projective but the design itself.
//
// payload: an output · state: reports per output
#pragma once

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/frequency/counters.hpp"

namespace ldp {

/// The numbers of a symmetric design.
struct Design {
    std::uint64_t outputs;  ///< K
    std::uint64_t owned;    ///< c: outputs of a set
    std::uint64_t shared;   ///< c₂: outputs that two sets have in common
};

/// The channel of values that own sets of `owned` among `outputs` outputs: first a side by its exact weight,
/// then one of its outputs, all alike, which have high or low parts of total · common each.
class IncidenceChannel {
  public:
    IncidenceChannel(double epsilon, std::uint64_t outputs, std::uint64_t owned);

    /// Whether the output is to be one of the value's own.
    [[nodiscard]] bool draw_side(BitSource& bits) const { return bits.chance(inside_, total_); }
    /// The probability of so many outputs that the value owns and so many that it does not. A long double
    /// holds the weights as they are.
    [[nodiscard]] double chance(std::uint64_t own, std::uint64_t others) const noexcept;
    [[nodiscard]] Exact probability(bool own) const;
    /// Where two sets differ, some output has the high weight under one value and the low one under another;
    /// there are no other weights, and all values have the same total.
    [[nodiscard]] Exact worst_ratio() const;

  private:
    // The two sides' sizes in lowest terms: what they have in common takes no room in the random word.
    std::uint64_t common_;
    Odds odds_;
    std::uint64_t inside_;  // weight of the value's own side
    std::uint64_t total_;
};

/// Statistics of a state of so many counters that such a channel follows whatever the values are: an output
/// is never likelier than to those who own it, nor rarer than to the others.
[[nodiscard]] std::vector<Check> checks_of_outputs(const Counts& counts, const IncidenceChannel& channel,
                                                   std::uint64_t outputs);

/// The design may have more sets than there are values. The spare ones belong to nobody, so that what falls
/// on them is known to be chance.
class Incidence : public CountingOracle {
  public:
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    PureProtocol protocol() const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    std::uint64_t support(Bytes state, Cell value) const final;
    double max_probability(Bytes) const final { return likely(); }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final { return channel_.worst_ratio(); }

  protected:
    Incidence(const Header& header, Bytes block, std::uint64_t k, const Design& design);

    /// The probability of an output that the value owns.
    [[nodiscard]] double likely() const noexcept { return channel_.chance(1, 0); }
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
    IncidenceChannel channel_;
};

}  // namespace ldp
