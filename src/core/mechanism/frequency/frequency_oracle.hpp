// The common part of frequency oracles: a report supports a set of values, the true one with probability p
// and any other with probability q. Estimates depend on the number of supporting reports.
#pragma once

#include <optional>

#include "core/mechanism/frequency/pure_protocol.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// Sums over the reports of the number of values that a report supports.
struct SupportSums {
    double sum = 0;
    double sum_of_squares = 0;
    bool independent = false;  ///< whether a report supports each value independently of the others
};

/// A mechanism over {0..k−1} each of whose reports carries information about every value.
class ValueOracle : public Mechanism, public Significance {
  public:
    static constexpr const char* offers = "the share of every value";

    std::vector<std::uint64_t> cells() const final { return {k_}; }
    std::span<const Quantity> answers() const noexcept final;
    /// Returns n·Var of the noise of Σ weights·shares, with one weight per value, for these shares, which sum to 1.
    /// Every person has one report. Empty if the covariance of different values' errors is unknown.
    [[nodiscard]] virtual std::optional<double> n_variance_of_sum(std::span<const double> /*weights*/,
                                                                  std::span<const double> /*shares*/) const {
        return {};
    }

  protected:
    ValueOracle(const Header& header, Bytes block, std::uint64_t k) : Mechanism(header, block), k_(k) {}

    [[nodiscard]] std::uint64_t domain() const noexcept { return k_; }

  private:
    std::uint64_t k_;
};

/// A pure protocol. Mechanisms add their channel and the supports of their state.
class FrequencyOracle : public ValueOracle, public KnownErrors {
  public:
    static constexpr const char* offers = "frequencies by a frequency oracle";

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(domain())}, {"p", protocol().p}, {"q", protocol().q}};
    }

    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const final;
    double n_variance(double truth) const final { return protocol().n_variance(truth); }
    // Given its permanent response, the mean of a report is higher if the permanent response supports the
    // value, by the second layer's p − q, which cancels. The covariance of two reports with one permanent
    // response is therefore the variance of the permanent response.
    double n_covariance(double truth) const final { return memoized_protocol().n_variance(truth); }
    double p_value(std::uint64_t n, const Estimate& estimate) const final;
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept final {
        const auto [p, q] = protocol();
        return {.n = n, .p = p, .q = q, .counts_people = target == Target::sample, .truths = possible_shares};
    }
    /// A report supports a value or not.
    std::vector<Contribution> contributions(const Question& question) const final;
    /// Tests the sum of all frequencies against 1, the smallest against 0 and the largest against 1, followed
    /// by the tests of the mechanism.
    std::vector<Check> health(const Counts& counts) const final;

    /// Returns the exact p and q of the sampler.
    [[nodiscard]] virtual PureProtocol protocol() const noexcept = 0;
    /// Returns p and q of permanent responses if there is a second layer.
    [[nodiscard]] virtual PureProtocol memoized_protocol() const noexcept { return protocol(); }
    /// Returns the number of supporting reports of each value.
    [[nodiscard]] virtual std::vector<std::uint64_t> supports(Bytes state) const = 0;
    /// Returns the number of supporting reports of one value without computing the others.
    [[nodiscard]] virtual std::uint64_t support(Bytes state, Cell value) const = 0;
    /// Moments of linear combinations. For Σ g·share and Σ h·share with g and h adding up to 0, n·Cov with the
    /// target population is exactly even·Σ gh + held·Σ f·gh − Σ fg·Σ fh. f are the true shares.
    struct ContrastMoments {
        double even, held;
    };
    /// Returns the moments; empty if they are unknown.
    [[nodiscard]] virtual std::optional<ContrastMoments> contrasts() const noexcept { return {}; }
    /// Returns the same moments of estimates from permanent responses alone, if there is a second layer. They
    /// determine the covariance of two reports of one permanent response.
    [[nodiscard]] virtual std::optional<ContrastMoments> memoized_contrasts() const noexcept {
        return contrasts();
    }

  protected:
    using ValueOracle::ValueOracle;

    /// Returns n_variance_of_sum() if contrasts() applies to these weights, whatever their sum.
    [[nodiscard]] double n_variance_by_moments(std::span<const double> weights,
                                               std::span<const double> shares) const;
    /// The moments of reports that support one value each.
    [[nodiscard]] static constexpr ContrastMoments of_one_value(const PureProtocol& protocol) noexcept {
        const double gap = protocol.p - protocol.q;
        return {protocol.q / (gap * gap), 1 / gap};
    }
    /// The moments of reports that support each value independently of the others.
    [[nodiscard]] static constexpr ContrastMoments of_bits(const PureProtocol& protocol) noexcept {
        const double gap = protocol.p - protocol.q;
        return {protocol.q * (1 - protocol.q) / (gap * gap), (1 - 2 * protocol.q) / gap};
    }
    /// Returns sums of the number of supported values if that number varies, with a mean and variance as for
    /// independent values. Empty if it is fixed, since the frequencies then add up to a constant.
    [[nodiscard]] virtual std::optional<SupportSums> spread(const Counts&) const { return {}; }
    /// Returns the tests of the mechanism.
    [[nodiscard]] virtual std::vector<Check> own_checks(const Counts&) const { return {}; }
};

}  // namespace ldp
