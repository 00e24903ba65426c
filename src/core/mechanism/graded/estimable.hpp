// Whether the reports under a spec could be estimated, where that takes long to find out.
#pragma once

#include "core/mechanism/capability.hpp"

namespace ldp {

/// A mechanism whose parameters may leave nothing to estimate. Devices do not look: the server that publishes
/// the spec has looked, and reports are private either way.
class Estimable : public Capability {
  public:
    static constexpr const char* offers = "whether reports can be estimated";

    /// Throws Error (invalid_spec) if no estimate could be made of the reports.
    virtual void check_estimates() const = 0;
};

/// The same, of any mechanism: of the others every report can be estimated. Before a spec is published.
inline void check_estimates(const Mechanism& mechanism) {
    if (const auto* estimable = find_capability<Estimable>(mechanism)) estimable->check_estimates();
}

}  // namespace ldp
