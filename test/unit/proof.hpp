// The proof of ε by enumeration, as an audit makes it, and what is checked beside it.
#pragma once

#include "core/proof/audit.hpp"
#include "support.hpp"

namespace ldp::test {

inline constexpr double epsilons[] = {0.001, 0.01, 0.5, 1, 2, 4, 10, 20};

/// The ratio a mechanism claims is at most exp(ε), and no more than `waste` of ε is left unused.
void check_worst_ratio(const Mechanism& m, double waste = 1e-9);

/// All inputs and all draws of the randomizer, under every public randomness if there are at most 64
/// values, otherwise under this number of users. The probabilities are the stated ones and sum to 1.
/// Returns the worst ratio.
[[nodiscard]] Exact worst_of_all(const Mechanism& m, std::uint64_t users = 10);

/// The worst ratio of all is the one the mechanism claims.
void prove(const Mechanism& m, std::uint64_t users = 10);

/// The same where ε holds except with probability δ. The largest Σ max(0, p − e^ε·q) over all pairs of
/// inputs is at most the claimed δ, and close to it. Returns it.
[[nodiscard]] double prove_but_for_delta(const Mechanism& m);

/// The same of the permanent responses and of the reports that a second layer makes of them.
void prove_two_layers(const Mechanism& m, std::uint64_t users = 10);

/// Draws reports on one input and compares how often each came with the probabilities that prove()
/// enumerates: ties the randomizer as a whole to them. A false alarm has probability 1e-9.
void check_frequencies_of_reports(const Mechanism& m, Input input, std::uint64_t seed);
/// The same of what a second layer makes of one permanent response.
void check_frequencies_of_responses(const Mechanism& m, Input input, std::uint64_t seed);

/// Gives below() every value in turn; a sampler that asks for anything else fails.
class Enumerated final : public BitSource {
  public:
    std::uint64_t next = 0;
    std::uint64_t word() override { throw std::logic_error("a word was asked for"); }
    std::uint64_t below(std::uint64_t bound) override {
        BOOST_REQUIRE_LT(next, bound);
        return next;
    }
};

/// A channel's sampler gives each output as often as its weights say, over all values of its random word.
template <class Channel>
void drive(const Channel& channel) {
    Enumerated bits;
    for (std::uint64_t in = 0; in < channel.inputs(); ++in) {
        std::vector<std::uint64_t> counts(channel.outputs());
        for (bits.next = 0; bits.next < channel.total(); ++bits.next) ++counts.at(channel.sample(in, bits));
        for (std::uint64_t out = 0; out < channel.outputs(); ++out)
            BOOST_REQUIRE_EQUAL(counts[out], channel.weight(in, out));
    }
}

}  // namespace ldp::test
