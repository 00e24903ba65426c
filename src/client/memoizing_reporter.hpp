// Reports of one person whose values change, from answers that are kept: how much the values move, how they
// are rounded, whether they were answered before, and what a new answer costs.
#pragma once

#include <map>

#include "client/reporter.hpp"
#include "core/spec/evolving_options.hpp"

namespace ldp {

/// One person's memory under a spec with "evolving". An answer, the permanent randomized response, is drawn
/// once for each key (what the randomizer sees of a rounded record) and repeated whenever the key comes
/// again; the ledger is the list of the answers.
class MemoizingReporter final : public Reporter {
  public:
    /// Goes on with what the store remembers. If that is nothing, draws and stores what the person keeps for
    /// ever: the public randomness and the offsets of the rounding. Throws Error (environment) if it does not
    /// fit the collection's spec.
    MemoizingReporter(Collection collection, Store& store, BitSource& bits);

    /// Throws Error (spent), and nothing changes, if the record needs a new answer, the budget is spent, and
    /// the spec says "refuse".
    [[nodiscard]] Reported report(std::span<const Value> record, std::optional<std::int32_t> round,
                                  BitSource& bits) override;

    [[nodiscard]] Notes unsaved() override;
    void commit(std::int32_t round) override;
    void undo() override { restore(before_); }
    void rollback() override { restore(saved_); }
    [[nodiscard]] std::span<const Answer> ledger() const override { return answers_; }

  private:
    struct Checkpoint {
        std::size_t answers = 0;
        std::vector<Course> courses;
    };
    void restore(const Checkpoint& checkpoint);
    [[nodiscard]] const Answer& nearest(std::span<const Cell> key) const;
    void load(Memory memory);

    Collection collection_;
    Rounding rounding_;
    std::uint64_t most_answers_;

    std::vector<std::byte> public_;      ///< the mechanism's
    std::vector<std::uint64_t> alphas_;  ///< the rounding's
    std::vector<double> spans_;          ///< of the entries of a key
    std::vector<Course> courses_;
    std::vector<Answer> answers_;
    std::map<std::vector<Cell>, std::size_t> index_;  ///< of answers, by key
    Checkpoint before_, saved_;                       ///< the latest report; what the store does not know
    std::vector<std::byte> course_;                   ///< what unsaved() shows
};

}  // namespace ldp
