// What a client remembers of one person under a mechanism of series: a value, and how far it has come.
#pragma once

#include <cstdint>
#include <vector>

#include "client/collection.hpp"
#include "client/store.hpp"
#include "core/mechanism/series.hpp"

namespace ldp {

/// One person's way through the rounds of a series. Every answer of theirs is drawn once, when its last round
/// is over, and never again: a round can be reported once and in order.
///
/// Rounds that are left out are taken to have had the value before them; those before the first report, its
/// value. Answers that were due in them are given with the next report, so that a person has as many as any
/// other, whenever they were online.
///
/// As a Diary, it changes in memory first: whoever queues the reports writes unsaved() in the same append, or
/// goes back to where it stood.
class Walk {
  public:
    /// Goes on with what the store remembers. If that is nothing, draws and stores the enrolment. Throws
    /// Error (environment) if it does not fit the collection's spec, whose mechanism is one of series.
    Walk(Collection collection, Store& store, BitSource& bits);

    /// The reports that are due when the person holds `value`, a cell, in a round: none, one, or several
    /// after rounds that were left out. Throws Error (invalid_value), and nothing changes, if the series has
    /// no such round or has passed it.
    [[nodiscard]] std::vector<Report> go(std::int32_t round, Cell value, BitSource& bits);

    /// What the store does not know yet; valid until the next call.
    [[nodiscard]] Notes unsaved();

    [[nodiscard]] const Standing& standing() const noexcept { return standing_; }
    void restore(const Standing& standing) noexcept { standing_ = standing; }

  private:
    Collection collection_;
    const SeriesMechanism& series_;
    std::vector<std::byte> enrolment_;
    Standing standing_;
    std::vector<std::byte> course_;  ///< what unsaved() shows
};

}  // namespace ldp
