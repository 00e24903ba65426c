// Reports of one person's series: what their client remembers of it is a value, and how far it has come.
#pragma once

#include "client/reporter.hpp"
#include "core/mechanism/longitudinal/series.hpp"

namespace ldp {

/// One person's way through the rounds of a series. Every answer of theirs is drawn once, when its last round
/// is over, and never again: a round can be reported once and in order.
///
/// Rounds that are left out are taken to have had the value before them; those before the first report, its
/// value. Answers that were due in them are given with the next report, so that a person has as many as any
/// other, whenever they were online.
class SeriesReporter final : public Reporter {
  public:
    /// Goes on with what the store remembers. If that is nothing, draws and stores the public randomness.
    /// Throws Error (environment) if it does not fit the collection's spec, whose mechanism is one of series.
    SeriesReporter(Collection collection, Store& store, BitSource& bits);

    /// Throws Error (invalid_value), and nothing changes, if the series has no such round or has passed it,
    /// and Error (unsupported) if the round is not known.
    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;

    [[nodiscard]] Notes unsaved() override;
    void commit(std::int32_t) override { before_ = saved_ = standing_; }
    void undo() override { standing_ = before_; }
    void rollback() override { standing_ = saved_; }
    [[nodiscard]] std::span<const Answer> ledger() const override;

    [[nodiscard]] const SeriesState& series_state() const noexcept { return standing_; }

  private:
    Collection collection_;
    const SeriesRandomizer& series_;
    std::vector<std::byte> public_;
    SeriesState standing_, before_, saved_;  ///< now; before the latest report; as the store knows it
    std::vector<std::byte> course_;          ///< what unsaved() shows
};

}  // namespace ldp
