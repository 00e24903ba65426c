// The promise of ε, checked: by following the randomizer through all inputs and all outcomes where they are
// few, else by the worst case that the mechanism argues for.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/mechanism/privacy_proof.hpp"
#include "core/proof/explore.hpp"

namespace ldp {

/// Two inputs and something that comes out more often under one of them.
struct Distinction {
    std::vector<Cell> likelier, rarer;
    std::vector<std::byte> public_randomness, output;
    Exact most, least;  ///< the output's probability under either

    [[nodiscard]] bool bounded() const { return !least.is_zero(); }
    /// Of a bounded one.
    [[nodiscard]] Exact ratio() const { return most / least; }
};

/// What holds of one thing that is told: of all permanent responses that a key leads to, or of one report.
struct Promise {
    double epsilon;     ///< what is promised
    Exact claimed;      ///< the worst ratio, or a bound of it, by the mechanism's own argument
    Distinction worst;  ///< the worst that was found; of an enumeration only
};

/// The same where ε holds but for a probability of δ: nothing is said of ratios, but of Σ max(0, p − e^ε·q)
/// over all that can come out, p and q being its probabilities under two inputs.
struct ApproximatePromise {
    double epsilon, delta;              ///< what is promised
    double claimed;                     ///< the worst sum, or a bound of it, by the mechanism's own argument
    std::vector<Cell> likelier, rarer;  ///< the inputs that it is worst for; of an enumeration only
    double worst = 0;                   ///< theirs, to 1e-15 and rounded upwards
};

/// What was looked at, and found.
struct Audit {
    /// Whether all inputs and outputs were followed. If not, because they are too many, what is known are the
    /// claims.
    bool enumerated = false;
    bool every_public_randomness = false;  ///< else a sample of them; there is one if nobody draws any
    std::uint64_t public_randomness = 0, inputs = 0,
                  outputs = 0;      ///< outputs: the most under one public randomness
    std::uint64_t steps = 0;        ///< sequences of outcomes that were followed
    bool sums_to_one = true;        ///< the stated probabilities, for each input, exactly
    bool sampler_as_stated = true;  ///< the randomizer has the stated probabilities, exactly
    Promise permanent{};
    /// Through both layers; none where a report is its permanent response.
    std::optional<Promise> report;
    /// Instead of both, of a mechanism with a δ.
    std::optional<ApproximatePromise> approximate;

    /// Whether all that was looked at bears the promise out.
    [[nodiscard]] bool kept() const;
};

struct AuditLimits {
    std::uint64_t steps = std::uint64_t{1} << 19;  ///< sequences of outcomes to follow
    std::uint64_t every = 64;                      ///< public randomness, if there are no more
    std::uint64_t sample = 10;                     ///< public randomness, if there are more
};

/// `bits` draws the sample of public randomness; `progress`, if given, is told how many inputs are done, and
/// of how many.
[[nodiscard]] Audit audit(const PrivacyProof& mechanism, BitSource& bits, const AuditLimits& limits = {},
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

}  // namespace ldp
