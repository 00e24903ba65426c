// Verification of ε: by enumeration of all inputs and outcomes of the randomizer if they are few, else by the
// worst case of the mechanism's proof.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/mechanism/role/privacy_proof.hpp"
#include "core/proof/explore.hpp"

namespace ldp {

/// Two inputs and an output that is more probable under one of them.
struct Distinction {
    std::vector<Cell> likelier, rarer;
    std::vector<std::byte> public_randomness, output;
    Exact most, least;  ///< the output's probabilities under the two inputs

    [[nodiscard]] bool bounded() const { return !least.is_zero(); }
    /// Requires bounded().
    [[nodiscard]] Exact ratio() const { return most / least; }
};

/// The guarantee for all permanent responses of a key, or for one report.
struct Promise {
    double epsilon;     ///< the guaranteed ε
    Exact claimed;      ///< the worst ratio, or a bound of it, by the mechanism's proof
    Distinction worst;  ///< the worst one found; only after an enumeration
};

/// The guarantee for a mechanism with a δ. Instead of ratios, it bounds Σ max(0, p − e^ε·q) over all outputs,
/// where p and q are an output's probabilities under two inputs.
struct ApproximatePromise {
    double epsilon, delta;              ///< the guaranteed ε and δ
    double claimed;                     ///< the worst sum, or a bound of it, by the mechanism's proof
    std::vector<Cell> likelier, rarer;  ///< the inputs of the worst sum; only after an enumeration
    double worst = 0;                   ///< the worst sum, to 1e-15 and rounded upwards
};

/// The enumerated laws under one public randomness, by input.
struct EnumeratedLaws {
    std::vector<std::byte> public_randomness;
    std::vector<Outcomes> permanent;
    std::vector<Outcomes> report;  ///< through both layers; empty if a report is its permanent response
};

/// The extent and the results of an audit.
struct Audit {
    /// Whether all inputs and outputs were enumerated. If they are too many, only the claimed values are
    /// known.
    bool enumerated = false;
    bool every_public_randomness = false;  ///< else a sample; 1 for a mechanism without public randomness
    std::uint64_t public_randomness = 0, inputs = 0,
                  outputs = 0;      ///< outputs: the largest number for one public randomness
    std::uint64_t steps = 0;        ///< number of enumerated sequences of outcomes
    bool sums_to_one = true;        ///< the stated probabilities, for each input, exactly
    bool sampler_as_stated = true;  ///< the randomizer has the stated probabilities, exactly
    Promise permanent{};
    /// Through both layers; empty if a report is its permanent response.
    std::optional<Promise> report;
    /// Of the permanent bit of the signal of a spent budget: its inputs are 0, not spent, and 1, spent. It is
    /// always enumerated.
    std::optional<Promise> signal;
    /// Of the bit of the signal in one report; empty if it is the permanent bit.
    std::optional<Promise> signal_of_report;
    /// The laws of both bits, by state.
    EnumeratedLaws signal_laws;
    /// The enumerated laws, if AuditLimits::keep_laws is set.
    std::vector<EnumeratedLaws> laws;
    /// Instead of both, for a mechanism with a δ.
    std::optional<ApproximatePromise> approximate;

    /// Whether all results satisfy the guarantee.
    [[nodiscard]] bool kept() const;
};

struct AuditLimits {
    std::uint64_t steps = std::uint64_t{1} << 19;  ///< largest number of sequences of outcomes
    std::uint64_t every = 64;                      ///< public randomness, if there are no more
    std::uint64_t sample = 10;                     ///< public randomness, if there are more
    bool keep_laws = false;                        ///< return all laws, which can take 200 MB
};

/// Audits a mechanism. `bits` draws the sample of public randomness. `progress` is called with the number of
/// finished inputs and the number of all inputs.
[[nodiscard]] Audit audit(const PrivacyProof& mechanism, BitSource& bits, const AuditLimits& limits = {},
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace ldp
