// What a server has counted, as a mechanism sees it.
#pragma once

#include <cstdint>

#include "core/base/bytes.hpp"
#include "core/format/rounds.hpp"

namespace ldp {

class Mechanism;

/// How many reports, and the state that they were counted in.
struct Counts {
    std::uint64_t n;
    Bytes state;
};

/// Reports that one mechanism counted: those of a summary, or the ones in it that are about one attribute. It
/// owns nothing; mechanism and bytes must outlive it.
struct SummaryView : Counts {
    const Mechanism* mechanism;
    Rounds rounds = Rounds::untold();
};

}  // namespace ldp
