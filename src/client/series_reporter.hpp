// Reports of one person's series. The state is the last value and the current round.
#pragma once

#include "client/reporter.hpp"
#include "core/mechanism/longitudinal/series.hpp"

namespace ldp {

/// Reports one person's values in the rounds of a series, alone or as the drawn part of a record. Each response
/// is drawn once, when the last round that it covers is over. Therefore rounds must be reported in ascending
/// order, each at most once.
///
/// An omitted round takes the preceding value, and rounds before the first report take its value. Responses
/// due in omitted rounds are sent with the next report, so that all people send the same number of responses.
///
/// Under a spec with "evolving", the ledger has one response, the whole series, from the first report on. If
/// reports have a signal of spent budgets, the signal is "not spent" in all of them, so that it costs
/// nothing.
class SeriesReporter final : public Reporter {
  public:
    /// Restores the state in the store. If the store is empty, stores the public randomness: `drawn`, or a new
    /// one if it is empty. Throws Error (environment) if the state does not fit the collection's spec. The
    /// spec's mechanism must be one for series, or a record whose part under `drawn` is a series.
    SeriesReporter(Collection collection, Store& store, BitSource& bits, std::vector<std::byte> drawn = {});

    /// Implements Reporter::report. Throws Error (invalid_value) if the series does not have the round or has
    /// passed it, and Error (unsupported) if the round is empty; after an error nothing has changed.
    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;

    [[nodiscard]] StateDelta unsaved() override;
    void commit(std::int32_t round) override;
    void undo() override { restore(before_); }
    void rollback() override { restore(saved_); }
    [[nodiscard]] std::span<const PermanentResponse> ledger() const override;
    [[nodiscard]] bool pays_for_signal() const noexcept override { return false; }
    [[nodiscard]] bool reports_series() const noexcept override { return true; }

    [[nodiscard]] const SeriesState& series_state() const noexcept { return standing_; }

  private:
    struct SavedSeries {
        SeriesState standing;
        std::size_t responses = 0;
    };
    void restore(const SavedSeries& saved);
    void load(Memory memory);
    [[nodiscard]] bool advance(SeriesState& series_state, Cell value, BitSource& bits,
                               MutableBytes payload) const;

    Collection collection_;
    const SeriesRandomizer* series_;  ///< null in a record
    const SeriesParts* parts_;        ///< null without a record
    std::uint32_t rounds_;
    std::size_t attribute_ = 0;
    std::vector<std::byte> public_;
    std::byte signal_{};  ///< the permanent bit of a budget that is not spent, if reports have a signal
    SeriesState standing_;
    std::vector<PermanentResponse> responses_;  ///< under "evolving": the series, once it has begun
    SavedSeries before_, saved_;                ///< the state before the latest report, and as stored
    std::vector<std::byte> progress_;           ///< buffer of unsaved()
};

/// Returns the round of a report. Throws Error (unsupported) if it is empty, and Error (invalid_value) unless
/// it is from 1 to `rounds`.
[[nodiscard]] std::uint32_t round_of_series(std::uint32_t rounds, std::optional<std::int32_t> round);

}  // namespace ldp
