// What the frequency oracles share: a report supports a set of values, the true one with probability p and
// any other with probability q, and everything about a value follows from how many reports support it.
#pragma once

#include <optional>

#include "core/mechanism/capability.hpp"
#include "core/mechanism/error_law.hpp"
#include "core/mechanism/frequency/pure_protocol.hpp"

namespace ldp {

/// How many values the reports of a summary support, added up over its reports.
struct SupportSums {
    double sum = 0;
    double sum_of_squares = 0;
    bool independent = false;  ///< whether a report supports each value independently of the others
};

/// A mechanism over {0..k−1} each of whose reports tells of every value.
class ValueOracle : public Mechanism, public Significance {
  public:
    static constexpr const char* offers = "the share of every value";

    std::vector<std::uint64_t> cells() const final { return {k_}; }
    std::span<const Quantity> answers() const noexcept final;

  protected:
    ValueOracle(const Header& header, Bytes block, std::uint64_t k) : Mechanism(header, block), k_(k) {}

    [[nodiscard]] std::uint64_t domain() const noexcept { return k_; }

  private:
    std::uint64_t k_;
};

/// Oracles of whose estimates any sum has an error that is known.
class Contrasts : public Capability {
  public:
    static constexpr const char* offers = "how sure sums of shares are";

    /// The shares that are estimated add up to 1. Of Σ g·share and Σ h·share, g and h adding up to 0, n·Cov
    /// against a population is even·Σ gh + held·Σ f·gh − Σ fg·Σ fh, f being the true shares; exact.
    struct ContrastMoments {
        double even, held;
    };
    [[nodiscard]] virtual ContrastMoments contrasts() const noexcept = 0;
};

/// A pure protocol. A mechanism adds its channel and how its state counts support.
class FrequencyOracle : public ValueOracle, public KnownErrors {
  public:
    static constexpr const char* offers = "frequencies as a frequency oracle does";

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"domain", static_cast<double>(domain())}, {"p", protocol().p}, {"q", protocol().q}};
    }

    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const final;
    double n_variance(double truth) const final { return protocol().n_variance(truth); }
    // The mean of a report under its permanent response rises with whether the permanent response speaks for
    // the value, by the second layer's own p − q, which cancels: what two reports of one permanent response
    // share is the noise of the permanent response.
    double n_covariance(double truth) const final { return memoized_protocol().n_variance(truth); }
    double p_value(std::uint64_t n, const Estimate& estimate) const final;
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept final {
        const auto [p, q] = protocol();
        return {.n = n, .p = p, .q = q, .counts_people = target == Target::sample, .truths = possible_shares};
    }
    /// A report supports a value or not.
    std::vector<Contribution> contributions(const Question& question) const final;
    /// The sum of all frequencies against 1, the least against 0 and the greatest against 1, then what the
    /// mechanism adds.
    std::vector<Check> health(const Counts& counts) const final;

    /// p and q as the sampler realises them.
    [[nodiscard]] virtual PureProtocol protocol() const noexcept = 0;
    /// The same of permanent responses, where a second layer stands between them and what is sent.
    [[nodiscard]] virtual PureProtocol memoized_protocol() const noexcept { return protocol(); }
    /// For each value, how many reports support it.
    [[nodiscard]] virtual std::vector<std::uint64_t> supports(Bytes state) const = 0;
    /// The same of one value, without a look at the others.
    [[nodiscard]] virtual std::uint64_t support(Bytes state, Cell value) const = 0;
    /// n·Var of the noise of Σ weights·shares, one weight for each value, if these are the shares; nothing
    /// where it is not known how the errors of different values go together.
    [[nodiscard]] virtual std::optional<double> n_variance_of_sum(std::span<const double>,
                                                                  std::span<const double>) const {
        return {};
    }

  protected:
    using ValueOracle::ValueOracle;

    /// Where a report's number of supported values varies, as if it supported each by itself: the sums over
    /// the reports. Where it is fixed, the frequencies add up to a constant, and there is nothing to check.
    [[nodiscard]] virtual std::optional<SupportSums> spread(const Counts&) const { return {}; }
    /// Statistics of its own.
    [[nodiscard]] virtual std::vector<Check> own_checks(const Counts&) const { return {}; }
};

}  // namespace ldp
