// What is fed with hostile bytes, one file each. A target returns, whatever the bytes are: that they are
// refused is no fault. It throws Broken, or is stopped by a sanitiser, where something else happens.
#pragma once

#include <span>
#include <stdexcept>

#include "core/base/bytes.hpp"

namespace ldp::fuzz {

struct Broken : std::logic_error {
    using std::logic_error::logic_error;
};
inline void need(bool met, const char* what) {
    if (!met) throw Broken(what);
}

bool report(Bytes bytes);    ///< bytes as a report
bool batch(Bytes bytes);     ///< bytes as a batch of reports
bool summary(Bytes bytes);   ///< bytes as a summary, and every query on it
bool packed(Bytes bytes);    ///< bytes as a state that another server sends
bool forged(Bytes bytes);    ///< choices of a block with wrong parts, of a report, a batch and a summary
bool spec(Bytes bytes);      ///< text as a spec
bool question(Bytes bytes);  ///< text as a planning target
bool csv(Bytes bytes);       ///< text as a CSV file
bool memory(Bytes bytes);    ///< choices of what a person's store remembers, near to what it may
bool state(Bytes bytes);     ///< choices of damage to a client's state file

struct Target {
    const char* name;
    bool (*run)(Bytes);  ///< whether anything of it was taken
    int cases;           ///< of a short run: a second or two under sanitisers
};
inline constexpr Target targets[] = {{"report", report, 16000},    {"batch", batch, 16000},
                                     {"summary", summary, 16000},  {"packed", packed, 6000},
                                     {"forged", forged, 8000},     {"spec", spec, 4000},
                                     {"question", question, 4500}, {"csv", csv, 4000},
                                     {"memory", memory, 2000},     {"state", state, 200}};

}  // namespace ldp::fuzz
