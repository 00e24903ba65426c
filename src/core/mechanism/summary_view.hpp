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

/// Reports that one mechanism counted: all reports of a summary, or those about one attribute. The mechanism
/// and the bytes must outlive the view.
struct SummaryView : Counts {
    const Mechanism* mechanism;
    Rounds rounds = Rounds::untold();
};

}  // namespace ldp
