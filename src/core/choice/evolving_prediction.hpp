// Predicted errors and costs of a spec for people who report in every round. Keys of responses follow from
// the rounding code of the client, errors from the closed-form variances of the mechanisms. No report is
// drawn.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/choice/value_stream.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// Predicted error of the estimates of a round, and predicted ε of a person. Errors of a mean are in the
/// attribute's unit; those of shares are root mean squares over the values. The estimates are compared with
/// the means and shares of the people who report.
struct ProtocolPrediction {
    double error = 0;            ///< root mean square over the rounds
    double noise = 0;            ///< the part from the randomizer
    double rounding = 0;         ///< the part that differs between people: rounded and substituted values
    double bias = 0;             ///< the part that more people do not reduce
    std::vector<double> errors;  ///< of each predicted round; NaN if no person reports
    double spent_mean = 0;       ///< ε of a person after the last round
    double spent_of_95 = 0;      ///< ε that 95 of 100 people do not exceed
    double spent_most = 0;       ///< the bound of ε for all values in these rounds
    /// Share of people who had a value for which the budget had no response left. Of a series: share of
    /// people whose value changes more often than the spec allows.
    double ended = 0;
};

/// Who reports in which round, for reports without memory.
enum class Participation {
    every_round,  ///< every person in every round
    one_round,    ///< every person in one round, which is assigned in advance; the rounds share the people
};

/// The keys of responses of some people in all rounds, from the client's rounding under random α and from the
/// public randomness. They do not depend on ε.
class KeyPaths {
  public:
    /// `spec` is one of memoized responses with one attribute.
    KeyPaths(const Spec& spec, const Mechanism& mechanism, const ValueStream& stream);

    /// Returns the number of people; a person of a stream of the same people counts twice, with independent
    /// randomness.
    [[nodiscard]] std::size_t rows() const noexcept { return distinct_.size(); }
    [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }
    [[nodiscard]] std::uint32_t key(std::size_t row, std::size_t round) const noexcept {
        return keys_[row * rounds_ + round];
    }
    /// Returns the index of the key in the order of first appearance.
    [[nodiscard]] std::uint32_t order(std::size_t row, std::size_t round) const noexcept {
        return order_[row * rounds_ + round];
    }
    /// Returns the different keys of a person in the order of first appearance.
    [[nodiscard]] std::span<const std::uint32_t> distinct(std::size_t row) const noexcept {
        return distinct_[row];
    }
    /// Whether keys have distances. Otherwise the nearest response is the first one.
    [[nodiscard]] bool distances() const noexcept { return distances_; }
    /// Returns the number of keys that the share of people does not exceed, in ascending order.
    [[nodiscard]] const std::vector<std::uint64_t>& counts() const noexcept { return counts_; }

  private:
    std::size_t rounds_;
    bool distances_;
    std::vector<std::uint32_t> keys_, order_;
    std::vector<std::vector<std::uint32_t>> distinct_;
    std::vector<std::uint64_t> counts_;
};

/// Throws Error (unsupported) unless the spec can be predicted: one number whose mean is estimated, or one
/// category with at most max_items values.
void check_predictable(const Spec& spec, const Mechanism& mechanism);
inline constexpr std::uint64_t max_items = 65536;

/// Predicts memoized responses whose keys are known. `mechanism` may have another ε than the spec of the
/// keys. `rounds` are the rounds that are predicted, from 0.
[[nodiscard]] ProtocolPrediction predict_memoized(const Mechanism& mechanism, const Spec& spec,
                                                  const KeyPaths& paths, const ValueStream& stream,
                                                  std::span<const std::size_t> rounds);

/// Predicts a spec: memoized responses, a series, or reports without memory. Throws Error (unsupported) as
/// check_predictable(), or if a series has fewer rounds than the stream.
[[nodiscard]] ProtocolPrediction predict_protocol(const Spec& spec, const ValueStream& stream,
                                                  Participation participation = Participation::every_round);
/// Predicts a spec for some rounds only.
[[nodiscard]] ProtocolPrediction predict_protocol(const Spec& spec, const ValueStream& stream,
                                                  Participation participation,
                                                  std::span<const std::size_t> rounds);

/// Returns about `most` rounds of a stream at equal distances.
[[nodiscard]] std::vector<std::size_t> some_rounds(std::size_t rounds, std::size_t most);

}  // namespace ldp
