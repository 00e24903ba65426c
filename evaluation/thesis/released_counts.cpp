#include "released_counts.hpp"

#include <algorithm>
#include <cmath>

namespace evaluation {

namespace {

constexpr std::uint64_t device_buckets = 2;
constexpr double device_report_epsilon = 0.2, assumed_share = 0.4;

/// The number of buckets with the least variance (Arcolezi et al. 2023).
std::uint64_t best_buckets(double epsilon, double report_epsilon) {
    const double a = std::exp(epsilon), b = std::exp(report_epsilon);
    const double root =
        std::pow(a, 4) - 14 * a * a - 12 * std::pow(a * b, 2) + 12 * a * b + 12 * std::pow(a, 3) * b + 1;
    const double best = (std::sqrt(root) - a * a + 6 * a - 6 * b + 1) / (6 * (a - b));
    return best > 2 ? static_cast<std::uint64_t>(std::lround(best)) : 2;
}

/// Mixes a person's hash function and a value.
std::uint64_t hash(std::uint64_t function, std::uint64_t value) {
    std::uint64_t mixed = function + (value + 1) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

}  // namespace

ResponseChain::ResponseChain(double buckets, double epsilon, double report_epsilon) {
    const double a = std::exp(epsilon), b = std::exp(report_epsilon), others = buckets - 1;
    keep = a / (a + others);
    other = (1 - keep) / others;
    keep_again = (other - b * keep) / (b * (others * other - keep) - others * keep + other);
    other_again = (1 - keep_again) / others;
}

ReleasedCounts::ReleasedCounts(std::size_t attributes, double epsilon)
    : form_(attributes, epsilon),
      device_(device_buckets, epsilon, device_report_epsilon),
      buckets_(best_buckets(epsilon, assumed_share * epsilon)),
      server_(static_cast<double>(buckets_), epsilon, assumed_share * epsilon) {}

double ReleasedCounts::Device::report(const ReleasedCounts& counts, std::span<const double> record,
                                      std::size_t value, ldp::BitSource& bits) {
    const bool hashed = hash(function_, value) % device_buckets != 0;
    std::optional<bool>& first = buckets_[hashed ? 1 : 0];
    if (!first) first = uniform(bits) > counts.device_.keep ? !hashed : hashed;
    const bool bucket = uniform(bits) > counts.device_.keep_again ? !*first : *first;
    const auto known = records_.find(bucket);
    if (known != records_.end()) return known->second;
    const ldp::HaarTree& tree = counts.form_.tree();
    const std::size_t last = record.size() - 1;
    std::vector<double> leaves(tree.size()), coefficients(tree.size());
    std::ranges::copy(record, leaves.begin());
    leaves[last] = bucket ? 1 : -1;
    tree.forward(leaves, coefficients);
    counts.form_.perturb(coefficients, bits);
    tree.inverse(coefficients, leaves);
    return records_[bucket] = std::round((leaves[last] + 1) / 2);
}

void ReleasedCounts::count(const Device& device, double found, std::span<double> counts) const {
    for (std::size_t v = 0; v < counts.size(); ++v)
        if (static_cast<double>(hash(device.function(), v) % buckets_) == found) ++counts[v];
}

std::vector<double> ReleasedCounts::shares(std::vector<double> counts, double n) const {
    const double base = 1 / static_cast<double>(buckets_), layer = server_.keep_again - server_.other_again;
    double sum = 0;
    for (double& count : counts) {
        const double share =
            (count / n - base * layer - server_.other_again) / ((server_.keep - base) * layer);
        count = std::max(share, 0.0);
        sum += count;
    }
    for (double& count : counts) count = sum > 0 ? count / sum : 0;
    return counts;
}

}  // namespace evaluation
