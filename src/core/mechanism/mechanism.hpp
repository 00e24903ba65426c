// A mechanism is one object in five roles. Who needs one of them asks for that one: a device for a
// LocalRandomizer, a server for an Aggregator, a choice among mechanisms for a Planner, an audit for a
// PrivacyProof, and who fears forgers for what a Forgery can do. What only some mechanisms can do stands
// beside those: see capability.hpp.
#pragma once

#include "core/mechanism/aggregator.hpp"
#include "core/mechanism/forgery.hpp"
#include "core/mechanism/planner.hpp"
#include "core/mechanism/privacy_proof.hpp"

namespace ldp {

/// All of it under one parameter block. Built by registry.hpp, from a block or from settings.
class Mechanism : public PrivacyProof, public Aggregator, public Planner, public Forgery {
  public:
    /// Categories have no distance between them, numbers have theirs.
    [[nodiscard]] std::vector<double> key_spans(Bytes public_randomness) const override;
    /// Whether permanent_response() can have drawn these permanent_size() bytes under public randomness that
    /// is valid. Not of series, whose answers no client remembers.
    [[nodiscard]] bool valid_permanent(Bytes public_randomness, Bytes permanent) const;
    /// From n_variance().
    [[nodiscard]] double promised_variance(std::size_t attribute) const override;
    [[nodiscard]] double promised_variance_of_part(double part) const override;
    /// From n_variance(): an oracle's depends on a value's own share alone, a mean's is that of each person,
    /// added up.
    [[nodiscard]] double n_variance_of(std::size_t attribute, std::size_t item,
                                       std::span<const double> shares) const override;
    /// How far this share of forgers moves an attribute's natural answer at most, in its own units; of a
    /// series the round's that they move furthest. NaN where nothing is told of the attribute.
    [[nodiscard]] Interval promised_bias(std::size_t attribute, double share) const;
    /// How far one forged report moves it, times the number of reports.
    [[nodiscard]] double promised_influence(std::size_t attribute) const;

  protected:
    using PrivacyProof::PrivacyProof;

  private:
    [[nodiscard]] std::vector<Contribution> promised_contributions(std::size_t attribute) const;
};

}  // namespace ldp
