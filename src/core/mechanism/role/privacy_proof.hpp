// Exact verification of a randomizer's ε.
#pragma once

#include <optional>

#include "core/mechanism/role/local_randomizer.hpp"

namespace ldp {

class Exact;        // exact.hpp
struct ChannelLaw;  // channel_law.hpp

/// A randomizer whose output probabilities can be computed exactly.
class PrivacyProof : public LocalRandomizer {
  public:
    /// Returns the probability of a permanent response given an input and public randomness.
    [[nodiscard]] virtual Exact probability(Input input, Bytes public_randomness, Bytes permanent) const = 0;
    /// Returns the largest likelihood ratio over all inputs and permanent responses, or an upper bound.
    /// Implementations may use symmetries, which they state. A correct randomizer has worst_ratio() ≤
    /// exp(epsilon()). If delta() is not 0, the ratio may be infinite: Error (unsupported).
    [[nodiscard]] virtual Exact worst_ratio() const = 0;
    /// Returns the structure from which worst_ratio(), first_report_ratio() or worst_delta() follow.
    [[nodiscard]] virtual ChannelLaw channel_law() const = 0;
    /// If delta() is not 0: returns the largest Σ max(0, p − e^ε·q) over all pairs of inputs, or an upper
    /// bound. The sum runs over all permanent responses, and p and q are their probabilities under the two
    /// inputs. A correct randomizer has worst_delta() ≤ delta().
    [[nodiscard]] virtual double worst_delta() const { return 0; }
    /// Returns the probability that instantaneous_response() turns the permanent response into this payload.
    [[nodiscard]] virtual Exact instantaneous_probability(Bytes public_randomness, Bytes permanent,
                                                          Bytes payload) const;
    /// Returns the probability of the permanent response in a valid payload, given an input and the public randomness in
    /// the payload. A payload of a second layer has the form of a permanent response, and is taken for one. Returns
    /// nothing for a series, whose payload does not show the response. By default, a payload is the public randomness,
    /// followed by the response.
    [[nodiscard]] virtual std::optional<Exact> shown_probability(Input input, Bytes payload) const;
    /// Returns the largest likelihood ratio of one report over all inputs and payloads, for any public
    /// randomness. A correct randomizer has first_report_ratio() ≤ exp(report_epsilon()).
    [[nodiscard]] virtual Exact first_report_ratio() const;

  protected:
    using LocalRandomizer::LocalRandomizer;
};

}  // namespace ldp
