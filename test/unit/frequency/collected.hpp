// Summaries of people whose shares are known, and how far what is found is from these.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "support.hpp"

namespace ldp::test {

using Distribution = std::vector<double>;

/// Reports about `people` draws from a distribution.
inline OwnedSummary collect(const Mechanism& m, const Distribution& truth, std::size_t people,
                            BitSource& bits) {
    Distribution cumulated(truth.size());
    std::partial_sum(truth.begin(), truth.end(), cumulated.begin());
    OwnedSummary summary(m);
    for (std::size_t i = 0; i < people; ++i) {
        // Evenly spread over the distribution, so that the truth among those who report is the truth.
        const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(people);
        const auto at = std::ranges::lower_bound(cumulated, u) - cumulated.begin();
        const auto value = std::min<Cell>(static_cast<Cell>(at), truth.size() - 1);
        summary.add(m.perturb(std::vector<Cell>{value}, bits));
    }
    return summary;
}

inline Distribution zipf(std::size_t k, double exponent) {
    Distribution f(k);
    for (std::size_t v = 0; v < k; ++v) f[v] = std::pow(static_cast<double>(v + 1), -exponent);
    const double sum = std::accumulate(f.begin(), f.end(), 0.0);
    for (double& x : f) x /= sum;
    return f;
}

inline double sum_of(const Distribution& f) {
    return static_cast<double>(std::accumulate(f.begin(), f.end(), 0.0L));
}

inline double squared_error(const Distribution& f, const Distribution& truth) {
    double sum = 0;
    for (std::size_t v = 0; v < f.size(); ++v) sum += (f[v] - truth[v]) * (f[v] - truth[v]);
    return sum / static_cast<double>(f.size());
}

inline PureProtocol protocol_of(const Mechanism& m) {
    return dynamic_cast<const FrequencyOracle&>(m).protocol();
}

inline Distribution frequencies(const OwnedSummary& summary) {
    Distribution f;
    for (const Estimate& e : summary.estimate(Quantity::frequencies)) f.push_back(e.value);
    return f;
}

}  // namespace ldp::test
