// The rounds of a series that forged reports bias most.
#pragma once

#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// Capability of series whose rounds differ in what forged reports can do to their estimates.
class ExposedRounds : public Capability {
  public:
    static constexpr const char* offers = "the rounds that forged reports bias most";

    /// Returns some rounds, as attributes from 0. Whatever the share of forged reports, one of these rounds
    /// has the largest bias.
    [[nodiscard]] virtual std::vector<std::size_t> exposed_rounds() const = 0;
};

}  // namespace ldp
