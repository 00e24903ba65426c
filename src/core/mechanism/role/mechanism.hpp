// A mechanism implements five interfaces: LocalRandomizer for clients, Aggregator for servers, Planner for
// the choice of a mechanism, PrivacyProof for audits, and Forgery for the effect of forged reports. Functions
// must take the interface that they need. Optional features are capabilities, see capability.hpp.
#pragma once

#include "core/mechanism/role/aggregator.hpp"
#include "core/mechanism/role/forgery.hpp"
#include "core/mechanism/role/planner.hpp"
#include "core/mechanism/role/privacy_proof.hpp"

namespace ldp {

/// All five interfaces under one parameter block. registry.hpp builds instances from a block or from
/// settings.
class Mechanism : public PrivacyProof, public Aggregator, public Planner, public Forgery {
  public:
    /// Returns 0 for categories and the width of the range for numbers.
    [[nodiscard]] std::vector<double> key_spans(Bytes public_randomness) const override;
    /// Returns whether permanent_response() can produce these permanent_size() bytes under valid public
    /// randomness. Not for series, whose responses no client stores.
    [[nodiscard]] virtual bool valid_permanent(Bytes public_randomness, Bytes permanent) const;
    /// Both follow from n_variance().
    [[nodiscard]] double expected_variance(std::size_t attribute) const override;
    [[nodiscard]] double expected_variance_of_part(std::size_t attribute, double part) const override;
    /// Computes the variance from n_variance(). The variance of a frequency depends on the value's share
    /// only. The variance of a mean is the average over the users.
    [[nodiscard]] double n_variance_of(std::size_t attribute, std::size_t item,
                                       std::span<const double> shares) const override;
    /// Returns the largest bias that a share of forged reports causes in an attribute's natural estimate, in
    /// its own units. For a series, the round with the largest bias counts. NaN if the reports do not carry
    /// the attribute.
    [[nodiscard]] Interval promised_bias(std::size_t attribute, double share) const;
    /// Returns the largest change by one forged report, times the number of reports.
    [[nodiscard]] double promised_influence(std::size_t attribute) const;
    /// Returns the contributions to an attribute's natural estimate. For a series, these are the
    /// contributions to several rounds. Whatever the share of forged reports, one of these rounds has the
    /// largest bias, or, in a long series, nearly the largest one.
    [[nodiscard]] virtual std::vector<std::vector<Contribution>> promised_contributions(
        std::size_t attribute) const;

  protected:
    using PrivacyProof::PrivacyProof;
};

}  // namespace ldp
