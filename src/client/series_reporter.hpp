// Reports of one person's series. The state is the last value and the current round.
#pragma once

#include "client/reporter.hpp"
#include "core/mechanism/longitudinal/series.hpp"

namespace ldp {

/// Reports one person's values in the rounds of a series. Each response is drawn once, when the last round
/// that it covers is over. Therefore rounds must be reported in ascending order, each at most once.
///
/// An omitted round takes the preceding value, and rounds before the first report take its value. Responses
/// due in omitted rounds are sent with the next report, so that all people send the same number of responses.
class SeriesReporter final : public Reporter {
  public:
    /// Restores the state in the store. If the store is empty, draws and stores the public randomness. Throws
    /// Error (environment) if the state does not fit the collection's spec. The spec's mechanism must be one
    /// for series.
    SeriesReporter(Collection collection, Store& store, BitSource& bits);

    /// Implements Reporter::report. Throws Error (invalid_value) if the series does not have the round or has
    /// passed it, and Error (unsupported) if the round is empty; after an error nothing has changed.
    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;

    [[nodiscard]] StateDelta unsaved() override;
    void commit(std::int32_t) override { before_ = saved_ = standing_; }
    void undo() override { standing_ = before_; }
    void rollback() override { standing_ = saved_; }
    [[nodiscard]] std::span<const PermanentResponse> ledger() const override;

    [[nodiscard]] const SeriesState& series_state() const noexcept { return standing_; }

  private:
    Collection collection_;
    const SeriesRandomizer& series_;
    std::vector<std::byte> public_;
    SeriesState standing_, before_, saved_;  ///< current, before the latest report, and as stored
    std::vector<std::byte> course_;          ///< buffer of unsaved()
};

}  // namespace ldp
