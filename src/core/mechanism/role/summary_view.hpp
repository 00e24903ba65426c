// A non-owning view of the counts of a summary.
#pragma once

#include <cstdint>

#include "core/base/bytes.hpp"
#include "core/format/rounds.hpp"

namespace ldp {

class Mechanism;

/// The number of reports and the state that they were counted in.
struct Counts {
    std::uint64_t n;
    Bytes state;
};

/// Reports that one mechanism counted: all reports of a summary, or the reports about one part of a record.
/// The mechanism and the bytes must outlive the view.
struct SummaryView : Counts {
    const Mechanism* mechanism;
    Rounds rounds = Rounds::unrecorded();
    /// For a part of a record: the share of the record's reports that are about the part. With the target
    /// `sample`, the other people who reported add the sampling error of the part, times 1 − drawn.
    double drawn = 1;
};

}  // namespace ldp
