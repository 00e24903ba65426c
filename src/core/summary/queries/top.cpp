#include "core/summary/queries/top.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

// Returns the sort key of an estimate. NaN cannot be sorted and gets the last key.
double rank_key(const Estimate& estimate) {
    return std::isnan(estimate.value) ? -std::numeric_limits<double>::infinity() : estimate.value;
}

// Returns the indexes of the largest estimates.
std::vector<std::uint32_t> largest(const std::vector<Estimate>& estimates, std::size_t limit) {
    std::vector<std::uint32_t> order(estimates.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(limit, order.size()));
    Work work;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        work.done();
        const double of_a = rank_key(estimates[a]), of_b = rank_key(estimates[b]);
        return of_a != of_b ? of_a > of_b : a < b;
    };
    std::nth_element(order.begin(), end, order.end(), before);
    std::sort(order.begin(), end, before);
    order.erase(end, order.end());
    return order;
}

// Computes the p-values of sorted estimates. Each costs at least a microsecond. An oracle's estimate is
// linear in a count, and values held by no person share the few counts within some √(nq) of nq. Each run of
// equal estimates is therefore computed once. Repeated reports count as a smaller number of independent
// reports.
class PValues {
  public:
    explicit PValues(const SummaryView& part)
        : significance_(capability<Significance>(*part.mechanism)),
          n_(static_cast<std::uint64_t>(
              std::max(1.0, std::floor(static_cast<double>(part.n) / repetition_of_nothing(part))))) {}

    double operator()(const Estimate& estimate) {
        if (std::isnan(estimate.value)) return 1;
        if (estimate.value != last_.value || estimate.standard_error != last_.standard_error) {
            last_ = estimate;
            p_value_ = significance_.p_value(n_, estimate);
            work_.done(steps);
        }
        return p_value_;
    }

  private:
    static constexpr std::size_t steps = 1000;  // cost of a p-value
    static constexpr double none = unknown;     // equals no estimate

    const Significance& significance_;
    std::uint64_t n_;
    Estimate last_{none, none};
    double p_value_ = 1;
    Work work_;
};

}  // namespace

Control control_named(std::string_view name) {
    if (name == "bonferroni") return Control::bonferroni;
    if (name == "benjamini_hochberg") return Control::benjamini_hochberg;
    raise(ErrorCode::invalid_value, "unknown adjustment of p-values \"" + std::string(name) + "\"", {},
          "Valid adjustments are bonferroni and benjamini_hochberg.");
}

void adjust(std::vector<double>& p_values, std::size_t tested, Control control) {
    const auto hypotheses = static_cast<double>(tested);
    double least = 1;
    Work work;
    for (std::size_t i = p_values.size(); i-- > 0; work.done()) {
        if (control == Control::bonferroni)
            p_values[i] = std::min(1.0, hypotheses * p_values[i]);
        else
            p_values[i] = least = std::min(least, hypotheses * p_values[i] / static_cast<double>(i + 1));
    }
}

std::vector<Ranked> top(const SummaryView& view, std::size_t limit, Target target, Control control,
                        std::size_t attribute) {
    // If the p-value needs a standard error, it is that of the target sample.
    const std::vector<Estimate> sample = estimate(view, {Quantity::frequencies, Target::sample, attribute});
    PValues p_value(part(view, attribute == only_attribute ? 0 : attribute));
    std::vector<Ranked> ranking;
    const std::vector<std::uint32_t> shown = largest(sample, limit);
    ranking.reserve(shown.size());
    Work work;
    for (const std::uint32_t value : shown) {
        work.done();
        ranking.push_back({value, sample[value], p_value(sample[value])});
    }

    // Bonferroni uses each p-value alone; Benjamini and Hochberg compare it with all larger ones.
    std::vector<double> p_values;
    if (control == Control::bonferroni) {
        p_values.reserve(ranking.size());
        for (const Ranked& ranked : ranking) p_values.push_back(ranked.p_value);
    } else {
        p_values.reserve(sample.size());
        std::vector<Estimate> all = sample;
        std::ranges::sort(all, [&](const Estimate& a, const Estimate& b) {
            work.done();
            return rank_key(a) > rank_key(b);
        });
        for (const Estimate& estimate : all) {
            work.done();
            p_values.push_back(p_value(estimate));
        }
    }
    // P-values of a pure protocol are already sorted. With different standard errors they need not be.
    if (!std::ranges::is_sorted(p_values))
        std::ranges::sort(p_values, [&](double a, double b) {
            work.done();
            return a < b;
        });
    check_interrupt();
    std::vector<double> adjusted = p_values;
    adjust(adjusted, sample.size(), control);
    for (Ranked& ranked : ranking) {
        work.done(std::bit_width(p_values.size()));
        const auto found = std::ranges::lower_bound(p_values, ranked.p_value);
        ranked.p_value = adjusted[static_cast<std::size_t>(found - p_values.begin())];
    }

    if (target != Target::sample) {
        const std::vector<Estimate> wider = estimate(view, {Quantity::frequencies, target, attribute});
        for (Ranked& ranked : ranking) ranked.estimate = wider[ranked.value];
    }
    return ranking;
}

}  // namespace ldp
