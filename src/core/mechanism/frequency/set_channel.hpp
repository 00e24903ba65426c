// PrivSet (Wang, Huang, Nie, Wang, Xu, Yang 2018): an output is a set of w of the d items. Sets that contain an item
// of the person are e = exp(ε) times as probable as others.
#pragma once

#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// The channel for people with exactly m of d = k + m items: their labels, filled up with dummies.
///
/// The sampler draws the first of the person's items, in ascending order, that the output contains. Given that the
/// i-th is the first (i = 0 … m−1), the output has w−1 of the d−i−1 later and foreign items, any of them with the
/// same probability. If it contains none, it has w of the k foreign items.
class SetChannel {
  public:
    /// Requires 1 ≤ own ≤ labels and 1 ≤ size ≤ labels. Error (invalid_spec) if a probability is too small for the
    /// exact weights.
    SetChannel(std::uint64_t labels, std::uint64_t own, std::uint64_t size, double epsilon);

    [[nodiscard]] std::uint64_t items() const noexcept { return k_ + m_; }
    [[nodiscard]] std::uint64_t own() const noexcept { return m_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return w_; }

    /// Return the probability that the output contains an item of the person (p), or a given foreign item (q).
    [[nodiscard]] double p() const noexcept { return p_; }
    [[nodiscard]] double q() const noexcept { return q_; }
    /// Return the probability that it contains two given items: at least one of them of the person, or none.
    [[nodiscard]] double own_pair() const noexcept { return own_pair_; }
    [[nodiscard]] double foreign_pair() const noexcept { return foreign_pair_; }

    /// Draws an output for a person with these m items, in ascending order. All people make the same number of draws.
    [[nodiscard]] std::vector<bool> sample(std::span<const Cell> own, BitSource& bits) const;
    /// Returns the probability of an output whose first item of the person is the i-th; m if it contains none.
    [[nodiscard]] Exact probability(std::size_t first) const;
    /// Returns the largest ratio of two such probabilities.
    [[nodiscard]] Exact worst_ratio() const;
    /// Returns the law of the outputs by the first item of the person.
    [[nodiscard]] ChannelLaw channel_law() const;
    /// Returns the largest probability of an output; it may round to 0 for very large sets.
    [[nodiscard]] double max_probability() const;

    /// The probabilities of any output size, without exact weights.
    struct SetProbabilities {
        double p, q;
        double none;  ///< that the output has no item of the person
    };
    [[nodiscard]] static SetProbabilities probabilities(std::uint64_t labels, std::uint64_t own,
                                                        std::uint64_t size, double epsilon) noexcept;

  private:
    /// Returns P(first = i) / P(none) if all outputs have the same probability.
    [[nodiscard]] Exact even_odds(std::size_t first) const;

    std::uint64_t k_, m_, w_;
    std::vector<std::uint64_t> sums_;  ///< cumulative weights of the first item, then of none
    double p_, q_, own_pair_, foreign_pair_;
};

}  // namespace ldp
