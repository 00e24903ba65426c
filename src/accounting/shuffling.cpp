#include "accounting/shuffling.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <optional>

#include "accounting/binomial_window.hpp"
#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/base/unknown.hpp"

namespace ldp {

namespace {

/// Below the least, e^ε₀ − 1 is not known well enough.
constexpr double least_epsilon = 1e-9, largest_epsilon = 300;
constexpr std::uint64_t most_people = 1'000'000'000;

enum class RoundingDirection { down, up };

/// Of c fair coins, the chance of t − 1 heads and that of t or more, while c and t go up step by step.
class FairTail {
  public:
    static constexpr double negligible = 1e-280;

    /// `otherwise` stands for the chance of t − 1 heads where it is below 1e-280.
    FairTail(std::uint64_t c, double t, double otherwise)
        : coins_(static_cast<double>(c)), heads_(t), below_(otherwise) {
        const BinomialWindow law = binomial_window(c, 1, negligible);
        auto heads = static_cast<double>(law.first);
        for (const double probability : law.probabilities) {
            if (heads == t - 1) below_ = probability;
            if (heads >= t) tail_ += probability;
            ++heads;
        }
        fresh_ = tail_;
    }
    void toss() noexcept {
        tail_ += below_ / 2;
        below_ *= (coins_ + 1) / (2 * (coins_ + 2 - heads_));
        ++coins_;
    }
    void raise_threshold() noexcept {
        below_ *= (coins_ - heads_ + 1) / heads_;
        tail_ = std::max(0.0, tail_ - below_);
        ++heads_;
    }
    [[nodiscard]] double threshold() const noexcept { return heads_; }
    [[nodiscard]] double below() const noexcept { return below_; }
    [[nodiscard]] double tail() const noexcept { return tail_; }
    /// Whether the tail has shrunk so far that rounding errors of its beginning begin to show.
    [[nodiscard]] bool faded() const noexcept { return tail_ < fresh_ / 16; }

  private:
    double coins_, heads_, below_, tail_ = 0, fresh_;
};

/// The server's observation: the numbers of reports of kind 0 and of kind 1. Each of the other people sends
/// each of the two kinds with probability r. The person's own report is one of the two with probability s,
/// and then the one of the person's value with odds e^ε₀.
///
/// The clones of theorem 3.1 have 2r = e^{−ε₀} and s = 1. Randomized response among three values has
/// r = 1/(e^ε₀ + 2) and s = (e^ε₀ + 1)r, if all others have the third value.
class Crowd {
  public:
    /// `odds` are 2r/(1 − 2r); tails of at most `cut` are left out.
    Crowd(double epsilon, std::uint64_t others, double odds, double own, double cut)
        : epsilon_(epsilon), own_(own), cut_(cut), law_(binomial_window(others, odds, cut)) {}

    /// The smallest δ at this ε, rounded to this side. It is the divergence Σ max(0, P − e^ε·Q) between the
    /// observations under the two values.
    ///
    /// Let N reports be of either kind, x of them of kind 0. The likelihood ratio grows with x, so the
    /// divergence is a sum over x ≥ t. Let c = N − 1, b = P(t − 1 of c fair coins) and T = P(t or more of
    /// them). The person's own report is among the N with probability a, and not with probability o. Then the
    /// divergence is a(αb − γT) − oγ(T + b/2). Here α = p − e^ε·q, β = e^ε·p − q, γ = e^ε − 1, p/q = e^ε₀ and
    /// p + q = 1.
    [[nodiscard]] double divergence(double epsilon, RoundingDirection rounding) const {
        const double q = 1 / (1 + std::exp(epsilon_)), gamma = std::expm1(epsilon);
        const double alpha = q * std::exp(epsilon) * std::expm1(epsilon_ - epsilon);
        const double beta = q * std::expm1(epsilon_ + epsilon);
        const std::size_t size = law_.probabilities.size();
        const double steps =
            static_cast<double>(size) + 64 * std::sqrt(static_cast<double>(law_.first + size));
        const double error = (rounding == RoundingDirection::up ? 1 : -1) * (steps + 64) * 0x1p-46;
        double sum = rounding == RoundingDirection::up ? cut_ : -cut_;
        std::optional<FairTail> fair;
        Work work;
        for (std::size_t i = 0; i < size; ++i, work.done(4)) {
            const std::uint64_t c = law_.first + i;
            const auto both = static_cast<double>(c + 1);
            const double among = own_ * law_.probabilities[i];
            const double apart = i + 1 < size ? (1 - own_) * law_.probabilities[i + 1] : 0;
            const double turn = both * (beta + gamma * apart / among / 2) / (alpha + beta);
            const double threshold = std::min(std::floor(turn) + 1, both);
            if (fair) {
                fair->toss();
                while (fair->threshold() < threshold) fair->raise_threshold();
            }
            if (!fair || fair->faded())
                fair.emplace(c, threshold, rounding == RoundingDirection::up ? FairTail::negligible : 0);
            const double gain = among * alpha * fair->below();
            const double loss = gamma * (among * fair->tail() + apart * (fair->tail() + fair->below() / 2));
            sum += std::max(0.0, gain * (1 + error) - loss * (1 - error));
        }
        return sum;
    }

    /// Where the divergence comes down to δ; of the two ends between which that is, the one on the safe side.
    [[nodiscard]] double epsilon_at(double delta, RoundingDirection rounding) const {
        const auto excess = [&](double epsilon) {
            return std::log(std::max(divergence(epsilon, rounding) / delta, 1e-12));
        };
        const double most = excess(0);
        if (most <= 0) return 0;
        std::uintmax_t steps = 200;
        const auto [low, high] =
            boost::math::tools::toms748_solve(excess, 0.0, epsilon_, most, excess(epsilon_),
                                              boost::math::tools::eps_tolerance<double>(27), steps);
        return rounding == RoundingDirection::up ? high : low;
    }

  private:
    double epsilon_, own_, cut_;
    BinomialWindow law_;  ///< how many of the others are of either kind
};

double closed_form(double epsilon, double n, double delta) {
    const double spread = std::log(4 / delta);
    if (epsilon > std::log(n / (16 * spread))) return unknown;
    const double all = 8 * std::sqrt(std::exp(epsilon) * spread / n) + 8 * std::exp(epsilon) / n;
    return std::log1p(-std::expm1(-epsilon) / (1 + std::exp(-epsilon) / (1 + all)) * all);
}

}  // namespace

Shuffled shuffled(double epsilon, std::uint64_t n, double delta) {
    if (!(epsilon >= least_epsilon && epsilon <= largest_epsilon))
        raise(ErrorCode::invalid_value, "epsilon must be at least 1e-9 and at most 300",
              "Found " + shortest(epsilon) + ".",
              "A bound for a larger epsilon is also valid for a smaller one.");
    if (n < 1 || n > most_people)
        raise(ErrorCode::invalid_value, "reports of 1 to " + grouped(most_people) + " people can be shuffled",
              "Found " + grouped(n) + ".",
              "A bound for fewer people is also valid for more people; use the largest number.");
    if (!(delta >= 1e-100 && delta < 1))
        raise(ErrorCode::invalid_value, "delta must be at least 1e-100 and below 1",
              "Found " + shortest(delta) + ".",
              "Delta is the probability with which the bound may not hold. A usual value is far below 1/n, "
              "such as 1e-9.");
    const double cut = delta * 0x1p-40, other = 1 / (std::exp(epsilon) + 2);
    const Crowd clones(epsilon, n - 1, 1 / std::expm1(epsilon), 1, cut);
    const Crowd thirds(epsilon, n - 1, 2 * std::exp(-epsilon), (std::exp(epsilon) + 1) * other, cut);
    return {clones.epsilon_at(delta, RoundingDirection::up),
            closed_form(epsilon, static_cast<double>(n), delta),
            thirds.epsilon_at(delta, RoundingDirection::down), delta};
}

}  // namespace ldp
