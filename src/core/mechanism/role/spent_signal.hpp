// The signal of a spent budget: one bit in each report. It states whether the budget of the person was spent
// before the report, so that an earlier response was repeated instead of a new one. The bit is randomized and
// memoized in both states: a person draws one permanent bit for "not spent" and one for "spent". The state
// changes at most once. In a mechanism with two layers, the bit also has two layers: each report contains a
// second randomized response of the permanent bit. Otherwise, the change of the bit would reveal that a value
// had no response of its own.
//
// In a report, the bit is the byte after the payload, 0 or 1. In a summary, the number of ones follows the
// state (8 bytes). In the summary of a record, the number for each part follows. The code of mechanisms uses
// neither the bit nor the numbers.
#pragma once

#include <optional>

#include "core/channel/binary.hpp"
#include "core/format/budget_terms.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/summary_view.hpp"

namespace ldp {

/// Randomized response of the state of a budget. No other channel of one bit has a smaller variance at a share
/// of 0. With q = P(1 | not spent), n·Var is (1 − q)/(q·(e^ε − 1)²), which decreases in q. The largest q is
/// 1/(e^ε + 1), which this channel has.
class SpentSignal {
  public:
    /// `epsilon` is the ε of the permanent bit, and `report_epsilon` is the ε of the bit of one report. If
    /// they are equal, there is one layer.
    SpentSignal(double epsilon, double report_epsilon);
    /// The signal of a mechanism's reports: it has the ε of a report about one part of a record, and the same
    /// number of layers. The error of the share is then about the error of a mean in units of its range.
    explicit SpentSignal(const Mechanism& mechanism);

    /// Returns the ε of the permanent bits of a person, however often they are sent.
    [[nodiscard]] double epsilon() const noexcept { return epsilon_; }
    /// Returns the ε of the bit of one report.
    [[nodiscard]] double report_epsilon() const noexcept { return report_epsilon_; }
    /// Returns the ε of the second layer: the bits of one report under two permanent bits; infinite in one layer.
    [[nodiscard]] double second_epsilon() const noexcept;

    /// Draws the permanent bit of a state.
    [[nodiscard]] std::byte draw(bool spent, BitSource& bits) const {
        return static_cast<std::byte>(kept_.sample(spent ? 1 : 0, bits));
    }
    /// Makes the bit of a report from the permanent bit.
    [[nodiscard]] std::byte send(std::byte permanent, BitSource& bits) const {
        return sent_ ? static_cast<std::byte>(sent_->sample(std::to_integer<std::uint64_t>(permanent), bits))
                     : permanent;
    }
    /// Returns the probability of this permanent bit in the state.
    [[nodiscard]] Exact probability(bool spent, bool bit) const;
    /// Returns the probability of this bit in a report, in the state.
    [[nodiscard]] Exact report_probability(bool spent, bool bit) const;
    /// Returns the probability of a 1 in a report, in the state, as a floating-point number.
    [[nodiscard]] double share_of_ones(bool spent) const noexcept;
    /// Returns the likelihood ratio of the two states by the permanent bit, which is at most e^ε.
    [[nodiscard]] Exact worst_ratio() const;
    /// Returns the likelihood ratio of the two states by the bit of one report.
    [[nodiscard]] Exact report_ratio() const;

  private:
    double epsilon_, report_epsilon_;
    BinaryChannel kept_;
    std::optional<SymmetricChannel> sent_;  ///< empty in one layer
};

/// Returns the ε of the permanent bits of the signal, which a person pays once: the ε of a part of a record.
[[nodiscard]] double signal_epsilon(const Mechanism& mechanism);
/// Returns the ε of the bit in one report.
[[nodiscard]] double signal_report_epsilon(const Mechanism& mechanism);
/// Whether the bits of two mechanisms have the same probabilities.
[[nodiscard]] bool equal_signals(const Mechanism& one, const Mechanism& other);

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
/// Returns the number of reports whose bit is 1; nothing if reports have no signal. The view must contain the
/// state of a whole summary, which the numbers follow.
[[nodiscard]] std::optional<std::uint64_t> spent_ones(const SummaryView& view) noexcept;
/// Returns the number for the reports about a part of a record. If parts are not counted, returns the number
/// for all reports.
[[nodiscard]] std::optional<std::uint64_t> spent_ones(const SummaryView& view, std::size_t part) noexcept;
/// Whether the numbers of a whole summary are possible.
[[nodiscard]] bool valid_ones(const SummaryView& view);
/// Adds the bytes behind the counts and rounds of one summary to the same bytes of another summary.
void merge_counted(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept;

}  // namespace ldp
