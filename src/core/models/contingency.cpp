#include "core/models/contingency.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/unknown.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A value forms its own group if its share is this many standard errors above 0 and it is among the largest.
constexpr double significant_errors = 2;
constexpr std::size_t most_values = 64;

/// Returns the mutual information in bits of the table p qᵀ + d, with negative cells set to 0.
double information_of(const Matrix& d, const Vector& p, const Vector& q) {
    Matrix table = (d + p * q.transpose()).cwiseMax(0);
    table /= table.sum();
    const Vector rows = table.rowwise().sum(), columns = table.colwise().sum();
    double sum = 0;
    for (Eigen::Index i = 0; i < table.rows(); ++i)
        for (Eigen::Index j = 0; j < table.cols(); ++j)
            if (table(i, j) > 0) sum += table(i, j) * std::log2(table(i, j) / (rows[i] * columns[j]));
    return std::max(0.0, sum);
}

}  // namespace

Groups grouped(const Table& margin) {
    const std::size_t k = margin.shares.size();
    std::vector<std::size_t> order(k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t u, std::size_t v) { return margin.shares[u] > margin.shares[v]; });
    // The merged group must also be significantly greater than zero; otherwise it takes in the rarest of the
    // other values.
    const auto significant = [&](double share, std::size_t values) {
        return share > significant_errors * std::sqrt(margin.variance * static_cast<double>(values));
    };
    std::size_t alone = 0;
    while (alone < std::min(k, most_values - 1) && significant(margin.shares[order[alone]], 1)) ++alone;
    double rest = 0;
    for (std::size_t i = alone; i < k; ++i) rest += margin.shares[order[i]];
    while (alone > 0 && alone < k && !significant(rest, k - alone)) rest += margin.shares[order[--alone]];

    Groups groups{.of = std::vector<std::size_t>(k, alone), .members = {}, .shares = {}};
    groups.members = groups.shares = Vector::Zero(static_cast<Eigen::Index>(alone + (alone < k)));
    for (std::size_t i = 0; i < alone; ++i) groups.of[order[i]] = i;
    for (std::size_t v = 0; v < k; ++v) {
        const auto group = static_cast<Eigen::Index>(groups.of[v]);
        groups.members[group] += 1;
        groups.shares[group] += margin.shares[v];
    }
    return groups;
}

double chance_above(double sum, const std::array<double, 3>& cumulants) {
    // From this number of degrees of freedom on, χ² is approximately normal, and incomplete gamma functions
    // do not converge.
    constexpr double many = 1e8;
    const auto [mean, variance, third] = cumulants;
    if (!(variance > 0)) return 1;  // there is no error
    const double degrees_of_freedom = 8 * variance * variance * variance / (third * third);
    if (!(degrees_of_freedom <= many)) return std::erfc((sum - mean) / std::sqrt(2 * variance)) / 2;
    const double point = degrees_of_freedom + (sum - mean) * std::sqrt(2 * degrees_of_freedom / variance);
    return point <= 0 ? 1 : chi_square_above(degrees_of_freedom, point);
}

double Contingency::squared() const {
    return (rows.cwiseSqrt().cwiseInverse().asDiagonal() * interaction *
            columns.cwiseSqrt().cwiseInverse().asDiagonal())
        .squaredNorm();
}

void tell(Association& found, const Contingency& table, double critical_value) {
    const auto values = static_cast<double>(std::min(table.rows.size(), table.columns.size()));
    const double raw = table.squared(), squared = raw - table.spurious_mean;
    // The variance is a constant plus a multiple of the estimand, so that the interval is that of Wilson
    // (1927).
    const double slope = raw > 0 ? table.linear_variance / raw : 0;
    const double middle = squared + critical_value * critical_value * slope / 2;
    const double half =
        critical_value *
        std::sqrt(std::max(
            0.0, table.spurious_variance + slope * (squared + critical_value * critical_value * slope / 4)));
    const double error = std::sqrt(table.spurious_variance + slope * std::max(0.0, squared));
    const auto v = [&](double contingency) {
        return std::sqrt(std::clamp(contingency / (values - 1), 0.0, 1.0));
    };
    found.cramers_v = v(squared);
    found.v_interval = {v(middle - half), v(middle + half)};
    const double information =
        squared > 0 ? information_of(std::sqrt(squared / raw) * table.interaction, table.rows, table.columns)
                    : 0;
    // Under weak dependence, the information is half of the contingency, in natural units.
    const double bits = squared > 0 && information > 0 ? information / squared : 0.5 / std::log(2.0);
    found.information = {information, bits * error};
}

}  // namespace ldp
