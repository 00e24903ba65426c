// A mechanism is one object in four roles. Who needs one of them asks for that one: a device for a
// LocalRandomizer, a server for an Aggregator, a choice among mechanisms for a Planner, an audit for a
// PrivacyProof. What only some mechanisms can do stands beside those: see capability.hpp.
#pragma once

#include "core/mechanism/aggregator.hpp"
#include "core/mechanism/planner.hpp"
#include "core/mechanism/privacy_proof.hpp"

namespace ldp {

/// All of it under one parameter block. Built by registry.hpp, from a block or from settings.
class Mechanism : public PrivacyProof, public Aggregator, public Planner {
  public:
    /// Categories have no distance between them, numbers have theirs.
    [[nodiscard]] std::vector<double> key_spans(Bytes public_randomness) const override;
    /// Whether permanent_response() can have drawn these permanent_size() bytes under public randomness that
    /// is valid. Not of series, whose answers no client remembers.
    [[nodiscard]] bool valid_permanent(Bytes public_randomness, Bytes permanent) const;
    /// From n_variance().
    [[nodiscard]] double promised_variance(std::size_t attribute) const override;

  protected:
    using PrivacyProof::PrivacyProof;
};

}  // namespace ldp
