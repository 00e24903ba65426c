#include "core/mechanism/error_law.hpp"

#include <algorithm>
#include <cmath>

#include "core/math/statistics.hpp"
#include "core/math/tails.hpp"

namespace ldp {

namespace {

/// Above this standard deviation of a count the normal law's error is below a twentieth of it.
constexpr double normal_from = 10;

/// Truths as shares of the way from one end to the other.
class CountInterval {
  public:
    CountInterval(const ErrorLaw& law, std::int64_t count, double error)
        : law_(law), count_(count), error_(error) {}

    /// The least share under which so many are not too rare, and the greatest under which so few are not.
    [[nodiscard]] Interval operator()() const {
        return {end([&](double share) { return !rare(more(share)); }),
                1 - end([&](double rest) { return !rare(1 - more(1 - rest)); })};
    }

  private:
    [[nodiscard]] bool rare(double chance) const { return !(chance >= error_); }
    /// The chance of more than were counted, and half that of as many.
    [[nodiscard]] double more(double share) const {
        if (!law_.counts_people)
            return upper_tail(count_, {law_.n, std::lerp(law_.q, law_.p, share)}, {0, 0});
        const auto holders = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(law_.n)));
        return upper_tail(count_, {holders, law_.p}, {law_.n - holders, law_.q});
    }
    /// The least share that holds, where all above it do; 1 if none does.
    template <class Holds>
    [[nodiscard]] double end(Holds holds) const {
        const auto n = static_cast<double>(law_.n);
        const double steps = law_.counts_people ? n : 0x1p40;
        double below = -1, above = steps;
        while (above - below > 1) {
            const double middle = std::floor((below + above) / 2);
            (holds(middle / steps) ? above : below) = middle;
        }
        return above / steps;
    }

    const ErrorLaw& law_;
    std::int64_t count_;
    double error_;
};

/// Of all shares from which the estimate is no further than so many standard errors, each taken at the share
/// (Wilson 1927).
Interval score_interval(const Estimate& estimate, double reach, double people) {
    const auto [value, error] = estimate;
    const double at = std::clamp(value, 0.0, 1.0), per = reach * reach / people;
    const double noise = std::max(0.0, reach * reach * error * error - per * at * (1 - at));
    const double half = value + per / 2;
    const double root = std::sqrt(std::max(0.0, half * half - (1 + per) * (value * value - noise)));
    const double low = (half - root) / (1 + per), high = (half + root) / (1 + per);
    return {low > 0 && value > 0 ? low : std::min(0.0, value - std::sqrt(noise)),
            high < 1 && value < 1 ? high : std::max(1.0, value + std::sqrt(noise))};
}

}  // namespace

Interval interval(const Estimate& estimate, double reach, const ErrorLaw& law) {
    const auto [value, plain] = estimate;
    const double error = std::hypot(plain, std::sqrt(law.unseen));
    const double far = law.freedom > 0 ? student_reach(reach, law.freedom) : reach;
    const Interval normal{value - far * error, value + far * error};
    if (law.people > 0 && !std::isnan(error)) return score_interval({value, error}, far, law.people);
    const double length = law.truths.upper - law.truths.lower, slope = law.p - law.q;
    const auto n = static_cast<double>(law.n);
    const double share = (value - law.truths.lower) / length;
    if (law.n == 0 || !(n * slope * error / length < normal_from)) return normal;
    const auto count = static_cast<std::int64_t>(std::llround(n * (law.q + share * slope)));
    const auto [low, high] = CountInterval(law, count, one_sided(reach))();
    return {std::min(value, std::lerp(law.truths.lower, law.truths.upper, low)),
            std::max(value, std::lerp(law.truths.lower, law.truths.upper, high))};
}

}  // namespace ldp
