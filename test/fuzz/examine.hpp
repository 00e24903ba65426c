// What must hold of any bytes: that they are refused with an error that helps, or else do all that a report
// or summary does, the same way twice, wherever they lie.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "core/base/error.hpp"
#include "core/summary/batch.hpp"
#include "fuzz_target.hpp"

namespace ldp::fuzz {

/// The mechanism of a block; null if it is refused.
[[nodiscard]] std::unique_ptr<const Mechanism> loaded(Bytes bytes, Kind kind);
/// Whether the bytes are taken as a report, as a server takes them; then they are counted, merged and asked
/// about.
bool examine_report(Bytes bytes);
/// The same of a batch, whose reports count as they do one by one.
bool examine_batch(Bytes bytes);
/// The same of a summary.
bool examine_summary(Bytes bytes);

/// Runs an action that may throw an Error of these kinds, which says what to do. Whether it threw none.
template <class Action>
bool refused(std::initializer_list<ErrorCode> kinds, Action action) {
    try {
        action();
        return false;
    } catch (const Error& error) {
        need(std::ranges::find(kinds, error.code()) != kinds.end(), "an error of another kind");
        need(error.what()[0] != '\0', "an error without a message");
        need(!error.detail().empty() || !error.hint().empty(), error.what());
        return true;
    }
}

}  // namespace ldp::fuzz
