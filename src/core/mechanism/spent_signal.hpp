// The signal of a spent budget: one bit in each report that says whether the person's budget was spent
// before, so that a response was repeated in place of a new one. The bit is randomized and memoized in both
// states: a person draws one permanent bit for "not spent" and one for "spent". The state changes at most
// once.
//
// In a report the bit is the byte behind the payload, 0 or 1. In a summary the number of ones is behind the
// state, 8 bytes; in that of a record, those of each part follow. Mechanisms know neither.
#pragma once

#include <optional>

#include "core/channel/binary.hpp"
#include "core/format/budget_terms.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// Randomized response of the state of a budget, at this ε. No other channel of one bit has a smaller
/// variance at a share of 0. With q = P(1 | not spent), n·Var is (1 − q)/(q·(e^ε − 1)²), which decreases in
/// q. The largest q is 1/(e^ε + 1), that of this channel.
class SpentSignal {
  public:
    explicit SpentSignal(double epsilon) : channel_(1, epsilon) {}

    /// Draws the permanent bit of a state.
    [[nodiscard]] std::byte draw(bool spent, BitSource& bits) const {
        return static_cast<std::byte>(channel_.sample(spent ? 1 : 0, bits));
    }
    /// Returns the probability of this bit in the state.
    [[nodiscard]] Exact probability(bool spent, bool bit) const;
    /// Returns the probability of a 1 in the state as a floating-point number.
    [[nodiscard]] double share_of_ones(bool spent) const noexcept {
        return static_cast<double>(channel_.weight(spent ? 1 : 0, 1)) / static_cast<double>(channel_.total());
    }
    /// Returns the likelihood ratio of the two states, which is at most e^ε.
    [[nodiscard]] Exact worst_ratio() const;

  private:
    BinaryChannel channel_;
};

/// Returns the ε of the signal: that of one report about one part of a record. The error of the share is then
/// about that of a mean in units of its range.
[[nodiscard]] double signal_epsilon(const Mechanism& mechanism);

/// Whether reports of the mechanism have a signal.
[[nodiscard]] inline bool has_signal(const LocalRandomizer& mechanism) noexcept {
    return budget_terms(mechanism.block()).has_signal();
}
/// Returns the number of bytes of a report behind its block.
[[nodiscard]] inline std::size_t sent_size(const LocalRandomizer& mechanism) noexcept {
    return mechanism.payload_size() + (has_signal(mechanism) ? 1 : 0);
}
/// Returns the number of bytes of a summary behind its counts and rounds.
[[nodiscard]] std::size_t counted_size(const Mechanism& mechanism) noexcept;
/// Whether a client can have made these bytes of a report behind its block.
[[nodiscard]] bool valid_sent(const Mechanism& mechanism, Bytes sent) noexcept;
/// Returns the number of reports whose bit is 1; nothing if reports have no signal. The state of the view is
/// that of a whole summary, which the numbers follow.
[[nodiscard]] std::optional<std::uint64_t> spent_ones(const SummaryView& view) noexcept;
/// The same for the reports about a part of a record; of all reports if the parts are not counted.
[[nodiscard]] std::optional<std::uint64_t> spent_ones(const SummaryView& view, std::size_t part) noexcept;
/// Whether the numbers of a whole summary are possible.
[[nodiscard]] bool valid_ones(const SummaryView& view);
/// Adds the bytes of one summary behind its counts and rounds to those of another.
void merge_counted(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept;

}  // namespace ldp
