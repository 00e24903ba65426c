// The proof of ε by enumeration: inputs × outputs of a small mechanism, in exact fractions.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "../../src/core/exact.hpp"
#include "support.hpp"

namespace ldp::test {

using Wide = boost::multiprecision::cpp_bin_float_100;

inline constexpr double epsilons[] = {0.001, 0.01, 0.5, 1, 2, 4, 10, 20};

/// ε minus the log of a ratio, in 100 digits: a promise is kept if it is not negative.
[[nodiscard]] Wide margin(double epsilon, const Exact& ratio);

/// The ratio a mechanism claims is at most exp(ε), and no more than `waste` of ε is left unused.
void check_worst_ratio(const Mechanism& m, double waste = 1e-9);

/// All inputs against all memos, under each of so many users' enrolments (which are public): probabilities
/// sum to 1. Returns the worst ratio.
[[nodiscard]] Exact worst_of_all(const Mechanism& m, int users = 10);

/// The worst ratio of all is the one the mechanism claims.
void prove(const Mechanism& m, int users = 10);

/// The same of the reports that a second layer makes of the memos: of their probabilities over both layers,
/// and what one report claims.
void prove_first_report(const Mechanism& m, int users = 10);

/// Draws reports on one input and compares how often each came with the probabilities that prove()
/// enumerates: ties the randomiser as a whole to them. A false alarm has probability 1e-9.
void check_frequencies_of_reports(const Mechanism& m, Input input, std::uint64_t seed);
/// The same of what a second layer makes of one memo.
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
