// What a client remembers of one person whose values change, and the order in which it uses it: how much the
// values move, how they are rounded, whether they were answered before, and what a new answer costs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "client/collection.hpp"
#include "client/store.hpp"
#include "core/spec/evolving.hpp"

namespace ldp {

/// Where a report's answer comes from.
enum class Origin {
    drawn,    ///< drawn for it, at a cost
    kept,     ///< kept from an earlier report
    nearest,  ///< kept of the nearest value that has one, because the budget is spent
    silent,   ///< none: nothing was due yet, the value is kept for what will be
};

/// What a person has spent: a number of answers at ε each, whose cost adds up.
struct Spent {
    std::uint64_t answers;
    double epsilon;   ///< of each
    double sum;       ///< of all, for certain
    double advanced;  ///< of all but for a probability of delta; see advanced_composition
    double delta;
    /// The better figure of the two.
    [[nodiscard]] double least() const noexcept { return advanced < sum ? advanced : sum; }
};

/// The cost of a ledger whose answers all belong to one spec; δ in (0, 1). Throws Error (invalid_value).
[[nodiscard]] Spent spent(std::span<const Answer> ledger, double delta);

/// One person's memory under a spec with evolving(). An answer is drawn once for each key (what the
/// randomiser sees of a rounded record) and repeated whenever the key comes again; the ledger is the list of
/// the answers.
///
/// It changes in memory first. Whoever queues the reports writes unsaved() in the same append, and then calls
/// saved(); or goes back to a checkpoint, as if what came after had never been asked.
class Diary {
  public:
    /// Goes on with what the store remembers. If that is nothing, draws and stores what the person keeps for
    /// ever: the enrolment and the offsets of the rounding. Throws Error (environment) if it does not fit the
    /// collection's spec.
    Diary(const Collection& collection, Store& store, BitSource& bits);

    struct Entry {
        Report report;
        std::size_t coefficients;  ///< as in Encoded
        Origin origin;
    };
    /// The report of a record that was placed. Throws Error (spent), and nothing changes, if it needs a new
    /// answer, the budget is spent, and the spec says "refuse".
    [[nodiscard]] Entry answer(std::span<const double> positions, BitSource& bits);

    /// All that the store does not know yet; valid until the next call.
    [[nodiscard]] Notes unsaved();
    void saved(std::int32_t round);

    struct Checkpoint {
        std::size_t answers;
        std::vector<Course> courses;
    };
    [[nodiscard]] Checkpoint checkpoint() const { return {answers_.size(), courses_}; }
    /// Back to a checkpoint, which must not be older than what was saved.
    void restore(const Checkpoint& checkpoint);
    /// Back to what the store knows.
    void restore() { restore(saved_); }

    /// All answers, in the order in which they were drawn.
    [[nodiscard]] std::span<const Answer> ledger() const noexcept { return answers_; }

  private:
    [[nodiscard]] const Answer& nearest(std::span<const Cell> key) const;
    void load(Memory memory);

    Collection collection_;
    Rounding rounding_;
    std::uint64_t most_answers_;

    std::vector<std::byte> enrolment_;   ///< the mechanism's
    std::vector<std::uint64_t> alphas_;  ///< the rounding's
    std::vector<double> spans_;          ///< of the entries of a key
    std::vector<Course> courses_;
    std::vector<Answer> answers_;
    std::map<std::vector<Cell>, std::size_t> index_;  ///< of answers, by key
    Checkpoint saved_;
    std::vector<std::byte> course_;  ///< what unsaved() shows
};

}  // namespace ldp
