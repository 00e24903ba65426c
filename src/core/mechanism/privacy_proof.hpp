// That a randomizer keeps its ε, exactly.
#pragma once

#include "core/mechanism/local_randomizer.hpp"

namespace ldp {

class Exact;  // exact.hpp

/// A randomizer that tells the exact probabilities of what it draws.
class PrivacyProof : public LocalRandomizer {
  public:
    /// The probability that an input gives a permanent response under an public randomness.
    [[nodiscard]] virtual Exact probability(Input input, Bytes public_randomness, Bytes permanent) const = 0;
    /// The worst likelihood ratio over all inputs and permanent responses, or a bound of it, by the symmetry
    /// argued where it is implemented. The promise is worst_ratio() ≤ exp(epsilon()). Where delta() is not 0
    /// there may be no such ratio: Error (unsupported).
    [[nodiscard]] virtual Exact worst_ratio() const = 0;
    /// Where delta() is not 0: the greatest Σ max(0, p − e^ε·q) over all permanent responses, p and q being
    /// their probabilities under two inputs, or a bound of it. The promise is then worst_delta() ≤ delta().
    [[nodiscard]] virtual double worst_delta() const { return 0; }
    /// The probability that instantaneous_response() makes a payload of a permanent response.
    [[nodiscard]] virtual Exact instantaneous_probability(Bytes public_randomness, Bytes permanent,
                                                          Bytes payload) const;
    /// As worst_ratio(), of one report: over all inputs and payloads, under any public randomness. The
    /// promise is first_report_ratio() ≤ exp(first_epsilon()).
    [[nodiscard]] virtual Exact first_report_ratio() const;

  protected:
    using LocalRandomizer::LocalRandomizer;
};

}  // namespace ldp
