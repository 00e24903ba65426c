// The common part of oracles whose values own sets of outputs that form a symmetric design: all sets have the
// same size, and any two sets have the same number of common outputs. A report is an output of the true
// value's set with exp(ε) times the weight of any other output. Shared by hadamard and projective, which add
// the design.
//
// payload: an output · state: reports per output
#pragma once

#include "core/base/exact.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/frequency/counters.hpp"

namespace ldp {

/// The parameters of a symmetric design.
struct Design {
    std::uint64_t outputs;  ///< K
    std::uint64_t owned;    ///< c: number of outputs in a set
    std::uint64_t shared;   ///< c₂: number of outputs that two sets have in common
};

/// The channel of values that own `owned` of `outputs` outputs. It first draws a side with its exact weight,
/// then one of the side's outputs uniformly. Outputs have high or low parts of total · common.
class IncidenceChannel {
  public:
    IncidenceChannel(double epsilon, std::uint64_t outputs, std::uint64_t owned);

    /// Draws whether the output is one of the value's own.
    [[nodiscard]] bool draw_side(BitSource& bits) const { return bits.chance(inside_, total_); }
    /// Returns the probability of `own` outputs of the value's set and `others` outside. A long double
    /// represents the weights exactly.
    [[nodiscard]] double chance(std::uint64_t own, std::uint64_t others) const noexcept;
    [[nodiscard]] Exact probability(bool own) const;
    /// Returns the largest likelihood ratio. If two sets differ, some output has the high weight under one
    /// value and the low one under another. There are no other weights, and all values have the same total.
    [[nodiscard]] Exact worst_ratio() const;
    [[nodiscard]] ChannelLaw channel_law() const;

  private:
    // The sizes of the two sides, divided by their common factor to save random bits.
    std::uint64_t common_;
    Odds odds_;
    std::uint64_t inside_;  // weight of the value's own side
    std::uint64_t total_;
};

/// Returns tests for the counters of such a channel that hold for all values: the probability of an output is
/// at most the probability for its owners, and at least the probability for the others.
[[nodiscard]] std::vector<Check> checks_of_outputs(const Counts& counts, const IncidenceChannel& channel,
                                                   std::uint64_t outputs);

/// The design may have more sets than values. Spare sets belong to no value, so that their counts are known
/// to be noise.
class Incidence : public CountingOracle {
  public:
    void permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                            MutableBytes permanent) const final;
    PureProtocol protocol() const noexcept final;
    std::vector<std::uint64_t> supports(Bytes state) const final;
    /// Reads all counters. Mechanisms that can list the outputs of a value read fewer.
    std::uint64_t support(Bytes state, Cell value) const override;
    double max_probability(Bytes) const final { return likely(); }
    Exact probability(Input input, Bytes public_randomness, Bytes permanent) const final;
    Exact worst_ratio() const final { return channel_.worst_ratio(); }
    ChannelLaw channel_law() const final;

  protected:
    Incidence(const Header& header, Bytes block, std::uint64_t k, const Design& design);

    /// Returns the probability of an output that the value owns.
    [[nodiscard]] double likely() const noexcept { return channel_.chance(1, 0); }
    /// Returns the probability of `own` outputs that the value owns and `others` that it does not own.
    [[nodiscard]] double chance(std::uint64_t own, std::uint64_t others) const noexcept {
        return channel_.chance(own, others);
    }
    std::vector<Check> own_checks(const Counts& counts) const override;

    /// Draws a uniform output of the value's set, or outside of it. The number of random words must not
    /// depend on the value.
    [[nodiscard]] virtual std::uint64_t draw(std::uint64_t value, bool inside, BitSource& bits) const = 0;
    [[nodiscard]] virtual bool owns(std::uint64_t value, std::uint64_t output) const noexcept = 0;
    /// Returns the number of reports in each set; the sets of the values come first. With invalid counters,
    /// the sums may overflow.
    [[nodiscard]] virtual std::vector<std::uint64_t> tally(Bytes state) const = 0;

  private:
    Design design_;
    IncidenceChannel channel_;
};

}  // namespace ldp
