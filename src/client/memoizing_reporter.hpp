// Reports of one person with changing values, from memoized permanent responses.
#pragma once

#include <map>

#include "client/reporter.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/format/budget_terms.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/spent_signal.hpp"

namespace ldp {

/// Reports one person's records under a spec with "evolving". A permanent response is drawn once for each
/// key, the randomizer's input for a rounded record, and reused when the key occurs again. The ledger is the
/// list of permanent responses.
class MemoizingReporter final : public Reporter {
  public:
    /// Restores the state in the store. If the store is empty, draws and stores the person's public
    /// randomness and the offsets of the rounding. Throws Error (environment) if the state does not fit the
    /// collection's spec. `drawn` is the public randomness of the mechanism if it was drawn before.
    MemoizingReporter(Collection collection, Store& store, BitSource& bits,
                      std::vector<std::byte> drawn = {});

    /// Implements Reporter::report. Under "when_spent": "stop" there is no report, with the origin `silent`,
    /// from the first record on that needs a response beyond the budget.
    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;

    [[nodiscard]] StateDelta unsaved() override;
    void commit(std::int32_t round) override;
    void undo() override { restore(before_); }
    void rollback() override { restore(saved_); }
    [[nodiscard]] std::span<const PermanentResponse> ledger() const override { return responses_; }

  private:
    struct Snapshot {
        std::size_t responses = 0;
        std::vector<RoundingState> rounding_states;
        bool spent = false;
    };
    void restore(const Snapshot& snapshot);
    [[nodiscard]] const PermanentResponse& nearest(std::span<const Cell> key) const;
    void load(Memory memory);

    Collection collection_;
    const SeriesParts* series_;  ///< null unless other parts of the record are series
    Rounding rounding_;
    std::uint64_t max_responses_;

    std::vector<std::byte> public_;      ///< public randomness of the mechanism
    std::vector<std::uint64_t> alphas_;  ///< offsets of the rounding
    std::vector<double> spans_;          ///< ranges of the entries of a key
    std::vector<RoundingState> rounding_states_;
    BudgetTerms budget_;
    std::optional<SpentSignal> signal_;  ///< empty if reports have none
    std::byte signal_bits_[2] = {};      ///< permanent bits of a budget that is not spent, and of a spent one
    bool spent_ = false;                 ///< whether a value needed a response after the budget was spent
    std::vector<PermanentResponse> responses_;
    std::map<std::vector<Cell>, std::size_t> index_;  ///< indexes of `responses_` by key
    Snapshot before_, saved_;                         ///< the latest report; what the store does not know
    std::vector<std::byte> progress_;                 ///< what unsaved() shows
};

}  // namespace ldp
