#include "core/mechanism/circular/ring_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/mechanism/ordered/split_people.hpp"

namespace ldp {

namespace {

class RingNoise final : public WholeFunctionNoise {
  public:
    RingNoise(const RingChannel& channel, std::uint64_t n, std::vector<double> shares)
        : WholeFunctionNoise(shares.size()),
          channel_(channel),
          n_(static_cast<double>(n)),
          shares_(std::move(shares)) {
        shares_[0] += shares_.back();
        shares_.pop_back();
        law_ = channel_.law(shares_);
    }

    double of(std::span<const double> function) const override {
        const std::vector<double> terms = channel_.terms(function.first(channel_.points()));
        double sum = 0;
        for (std::size_t i = 0; i < shares_.size(); ++i)
            sum += law_[i] * terms[i] * terms[i] - shares_[i] * function[i] * function[i];
        return std::max(sum, 0.0);
    }

    TruthCurve curve(std::size_t first, std::size_t end, Target target) const override;

  private:
    RingChannel channel_;
    double n_;
    std::vector<double> shares_, law_;
};

/// The smallest distance of two different terms: the estimate moves in steps of it.
double step_of(std::vector<double> terms) {
    constexpr double equal = 1e-9;
    std::ranges::sort(terms);
    const double least = equal * std::max(std::abs(terms.front()), std::abs(terms.back()));
    double step = HUGE_VAL;
    for (std::size_t i = 1; i < terms.size(); ++i)
        if (terms[i] - terms[i - 1] > least) step = std::min(step, terms[i] - terms[i - 1]);
    return std::isinf(step) ? 0 : step;
}

TruthCurve RingNoise::curve(std::size_t first, std::size_t end, Target target) const {
    const std::size_t points = channel_.points();
    end = std::min(end, points);
    if (first >= end) return {};  // only the end of the range, which is the lower end
    std::vector<double> function(points), below(points + 1);
    std::fill(function.begin() + static_cast<std::ptrdiff_t>(first),
              function.begin() + static_cast<std::ptrdiff_t>(end), 1);
    std::partial_sum(shares_.begin(), shares_.end(), below.begin() + 1);
    const std::vector<double> terms = channel_.terms(function);
    const SplitPeople split(below, first, end, n_);
    std::vector<double> inside(points), outside(points);
    for (std::size_t point = 0; point < points; ++point) {
        const auto parts = split.between(point, point + 1);
        inside[point] = parts.inside;
        outside[point] = parts.outside;
    }
    inside = channel_.law(inside);
    outside = channel_.law(outside);
    CumulantsAtTruths cumulants(n_);
    cumulants.add(n_, step_of(terms) / n_, [&](double truth) {
        CumulantsAtTruths::StepMoments moments{};
        for (std::size_t out = 0; out < points; ++out) {
            const double chance = std::lerp(outside[out], inside[out], truth);
            moments.first += chance * terms[out];
            moments.second += chance * terms[out] * terms[out];
            moments.third += chance * terms[out] * terms[out] * terms[out];
        }
        return moments;
    });
    return cumulants.curve(target, 0);
}

}  // namespace

std::unique_ptr<const OrderedNoise> noise_on_ring(const RingChannel& channel, std::uint64_t n,
                                                  std::vector<double> shares) {
    return std::make_unique<RingNoise>(channel, n, std::move(shares));
}

}  // namespace ldp
