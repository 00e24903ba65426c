// Check of a spec whose reports may not be estimable, if the check is expensive.
#pragma once

#include "core/mechanism/capability.hpp"

namespace ldp {

/// Capability of mechanisms whose parameters may not permit any estimate. Clients skip the check: the server
/// makes it before it publishes the spec, and reports are private in any case.
class Estimable : public Capability {
  public:
    static constexpr const char* offers = "whether reports can be estimated";

    /// Throws Error (invalid_spec) if the reports do not permit an estimate.
    virtual void check_estimates() const = 0;
};

/// Makes the check for any mechanism before a spec is published; reports of all other mechanisms are
/// estimable.
inline void check_estimates(const Mechanism& mechanism) {
    if (const auto* estimable = find_capability<Estimable>(mechanism)) estimable->check_estimates();
}

}  // namespace ldp
