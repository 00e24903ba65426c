// The exact distributions of a report, or of a permanent response, under all inputs of a small mechanism.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/role/privacy_proof.hpp"

namespace ldp {

/// The random variable that is enumerated.
enum class ResponseKind {
    permanent,  ///< the permanent response, which covers all reports of a value
    report,     ///< one report: the permanent response, or the output of a second layer
};

/// The largest enumeration.
struct EnumerationLimits {
    std::uint64_t steps = std::uint64_t{1} << 20;          ///< sequences of outcomes of the randomizer
    std::uint64_t probabilities = std::uint64_t{1} << 21;  ///< inputs times outputs
};

/// Distributions of the public randomness and the response together, one for each input. Inputs with equal
/// distributions are one row. Outputs whose likelihood ratios between all inputs are equal, up to a relative 2^-48,
/// are one output: no divergence between inputs depends on which of them occurred. If there are two outputs, only
/// the two rows with the smallest and the largest probability of the first one are kept: all others are mixtures
/// of these.
class ReportLaws {
  public:
    /// Returns the number of rows.
    [[nodiscard]] std::size_t rows() const noexcept { return inputs_.size(); }
    /// Returns the number of outputs.
    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
    /// Returns the probabilities of all outputs.
    [[nodiscard]] std::span<const long double> row(std::size_t number) const noexcept {
        return std::span(probabilities_).subspan(number * outputs_, outputs_);
    }
    /// Returns an input with the distribution of a row.
    [[nodiscard]] const std::vector<Cell>& input(std::size_t number) const noexcept {
        return inputs_[number];
    }

  private:
    friend ReportLaws report_laws(const PrivacyProof&, ResponseKind, const EnumerationLimits&);
    std::size_t outputs_ = 0;
    std::vector<std::vector<Cell>> inputs_;
    std::vector<long double> probabilities_;
};

/// Runs the randomizer on all inputs, for all public randomness and all outcomes of its draws. The probabilities are
/// exact fractions, converted to long double. Can be interrupted. Throws Error (unsupported) if there are more steps or
/// probabilities than the limits, or if a draw has more outcomes than the limits allow.
[[nodiscard]] ReportLaws report_laws(const PrivacyProof& mechanism, ResponseKind response,
                                     const EnumerationLimits& limits = {});

}  // namespace ldp
