#include "core/joint/association.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/joint/pooled.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A value stands for itself if its share is this many standard errors from 0, and among the largest.
constexpr double told_from_nobody = 2;
constexpr std::size_t most_values = 64;

/// An attribute's values in groups: those that stand for themselves, and the others as one.
struct Values {
    std::vector<std::size_t> group;  ///< of every value
    Vector members;                  ///< of every group
    Vector shares;                   ///< of every group, positive
    double k;                        ///< values in all
};

Values grouped(const Table& margin) {
    const std::size_t k = margin.shares.size();
    std::vector<std::size_t> order(k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t u, std::size_t v) { return margin.shares[u] > margin.shares[v]; });
    // What is left over must be told from nobody as well, or takes in the rarest of the others.
    const auto told = [&](double share, std::size_t values) {
        return share > told_from_nobody * std::sqrt(margin.variance * static_cast<double>(values));
    };
    std::size_t alone = 0;
    while (alone < std::min(k, most_values - 1) && told(margin.shares[order[alone]], 1)) ++alone;
    double rest = 0;
    for (std::size_t i = alone; i < k; ++i) rest += margin.shares[order[i]];
    while (alone > 0 && alone < k && !told(rest, k - alone)) rest += margin.shares[order[--alone]];

    Values values{.group = std::vector<std::size_t>(k, alone),
                  .members = {},
                  .shares = {},
                  .k = static_cast<double>(k)};
    const auto groups = static_cast<Eigen::Index>(alone + (alone < k));
    values.members = values.shares = Vector::Zero(groups);
    for (std::size_t i = 0; i < alone; ++i) values.group[order[i]] = i;
    for (std::size_t v = 0; v < k; ++v) {
        const auto group = static_cast<Eigen::Index>(values.group[v]);
        values.members[group] += 1;
        values.shares[group] += margin.shares[v];
    }
    return values;
}

/// What is known of an attribute as a side of a pair's table.
struct Side {
    const Values& values;
    double noise;    ///< of one value's share in the pooled margin
    double own;      ///< weight of the pair's tables in it
    double repeats;  ///< sampling variance of the others' part, in units of that of one person

    [[nodiscard]] Vector even() const { return values.members / values.k; }
    /// How the shares depart from even ones.
    [[nodiscard]] Vector contrast() const { return values.shares - even(); }
};

// Errors of the interaction D = X − p qᵀ of a table X with margins p and q, where X is centred over all
// values and p, q are pooled over more tables, are sums of products P ⊗ Q, of one matrix of each side:
//   0  the centring, which is the covariance of the noise of a table's cells;
//   1  the contrast of the margin with itself: what the margin's errors are multiplied by;
//   2  the centred covariance of sampling.
using Parts = std::array<Matrix, 3>;
using Coefficients = std::array<std::array<double, 3>, 3>;

/// The parts where row i counts scale[i] times.
Parts parts(const Side& side, const Vector& scale) {
    const Vector even = side.even(), contrast = side.contrast();
    Parts all;
    all[0] = Matrix(side.values.members.asDiagonal()) - even * even.transpose() * side.values.k;
    all[1] = contrast * contrast.transpose();
    all[2] = Matrix(side.values.shares.asDiagonal()) - even * side.values.shares.transpose() -
             side.values.shares * even.transpose() + even * even.transpose();
    for (Matrix& part : all) part = scale.asDiagonal() * part * scale.asDiagonal();
    return all;
}

/// The covariance of D where the two are independent: the squares of the contrasts, which noise makes too
/// large, made good for it.
Coefficients errors(const Side& a, const Side& b, double noise, double people) {
    const double n = 1 / people, none = 1 - a.own - b.own;
    return {{{noise - a.noise * b.noise, a.noise, 0},
             {b.noise, n * (2 * a.own * b.own - none * none) - a.repeats - b.repeats,
              n * b.own * (b.own - 2) + b.repeats},
             {0, n * a.own * (a.own - 2) + a.repeats, n}}};
}

/// The sum of squares of an error with this covariance: its first three cumulants.
std::array<double, 3> cumulants(const Coefficients& weights, const Parts& a, const Parts& b) {
    const auto each = [](auto visit) {
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) visit(i, j);
    };
    std::array<double, 3> found{};
    each([&](std::size_t i, std::size_t j) {
        if (weights[i][j] == 0) return;
        found[0] += weights[i][j] * a[i].trace() * b[j].trace();
        each([&](std::size_t k, std::size_t l) {
            if (weights[k][l] == 0) return;
            const Matrix left = a[i] * a[k], right = b[j] * b[l];
            const double weight = weights[i][j] * weights[k][l];
            found[1] += 2 * weight * left.trace() * right.trace();
            each([&](std::size_t m, std::size_t n) {
                if (weights[m][n] != 0)
                    found[2] += 8 * weight * weights[m][n] * left.cwiseProduct(a[m].transpose()).sum() *
                                right.cwiseProduct(b[n].transpose()).sum();
            });
        });
    });
    return found;
}

/// The chance of a sum of weighted χ² above this, by the law of a single one, moved and scaled, with its
/// first three cumulants.
double chance_above(double sum, const std::array<double, 3>& cumulants) {
    const auto [mean, variance, third] = cumulants;
    const double freedom = 8 * variance * variance * variance / (third * third);
    const double point = freedom + (sum - mean) * std::sqrt(2 * freedom / variance);
    return point <= 0 ? 1 : chi_square_above(freedom, point);
}

/// The variance of the mean squared contingency, but for its quadratic part: of its derivatives by the cells
/// of D, and by the margins in its denominators.
double linear_variance(const Matrix& d, const Side& a, const Side& b, double noise, double people) {
    const Vector &p = a.values.shares, &q = b.values.shares;
    const Matrix by_cell = 2 * p.cwiseInverse().asDiagonal() * d * q.cwiseInverse().asDiagonal();
    const Vector by_p =
        -(by_cell.cwiseProduct(d) / 2).rowwise().sum().cwiseQuotient(p) - by_cell * b.contrast();
    const Vector by_q = -(by_cell.cwiseProduct(d) / 2).colwise().sum().transpose().cwiseQuotient(q) -
                        by_cell.transpose() * a.contrast();
    const Matrix left = parts(a, Vector::Ones(p.size()))[0], right = parts(b, Vector::Ones(q.size()))[0];
    const Matrix table = d + p * q.transpose();
    const Matrix influence = (by_cell.colwise() + (by_p + by_cell * (b.contrast() - q))).rowwise() +
                             (by_q + by_cell.transpose() * (a.contrast() - p)).transpose();
    const double mean = influence.cwiseProduct(table).sum();
    const double sampling = influence.cwiseProduct(influence).cwiseProduct(table).sum() - mean * mean;
    return std::max(0.0, sampling) / people + noise * (left * by_cell * right).cwiseProduct(by_cell).sum() +
           a.noise * by_p.dot(left * by_p) + b.noise * by_q.dot(right * by_q);
}

/// In bits, of the table p qᵀ + d, in which what is negative is nobody.
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

/// The interaction of two attributes' groups.
Matrix interaction(const Table& table, const Side& a, const Side& b) {
    Matrix cells = Matrix::Zero(a.values.members.size(), b.values.members.size());
    std::size_t cell = 0;
    for (const std::size_t row : a.values.group)
        for (const std::size_t column : b.values.group)
            cells(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) += table.shares[cell++];
    const Vector rows = cells.rowwise().sum(), columns = cells.colwise().sum();
    return cells - rows * b.even().transpose() - a.even() * columns.transpose() +
           a.even() * b.even().transpose() - a.contrast() * b.contrast().transpose();
}

Association associated(const Table& table, const Side& a, const Side& b, double reach) {
    Association found{.first = table.attributes[0],
                      .second = table.attributes[1],
                      .cramers_v = unknown,
                      .v_interval = {unknown, unknown},
                      .information = {unknown, unknown},
                      .p_value = unknown,
                      .adjusted = unknown,
                      .people = 0};
    const Vector &p = a.values.shares, &q = b.values.shares;
    const auto values = static_cast<double>(std::min(p.size(), q.size()));
    if (values < 2) return found;
    const Matrix d = interaction(table, a, b);
    const double noise = noise_of(table);
    const Coefficients weights = errors(a, b, noise, table.people);

    // Scaled so that noise is the same in each direction.
    const Vector scale = a.values.members.cwiseSqrt().cwiseInverse();
    const Vector other = b.values.members.cwiseSqrt().cwiseInverse();
    found.p_value = chance_above((scale.asDiagonal() * d * other.asDiagonal()).squaredNorm(),
                                 cumulants(weights, parts(a, scale), parts(b, other)));

    const Vector root = p.cwiseSqrt().cwiseInverse(), column_root = q.cwiseSqrt().cwiseInverse();
    const auto spurious = cumulants(weights, parts(a, root), parts(b, column_root));
    const double raw = (root.asDiagonal() * d * column_root.asDiagonal()).squaredNorm();
    const double contingency = raw - spurious[0];
    // The variance is a constant and a multiple of the contingency, so that an interval is Wilson's (1927).
    const double slope = raw > 0 ? linear_variance(d, a, b, noise, table.people) / raw : 0;
    const double middle = contingency + reach * reach * slope / 2;
    const double half =
        reach * std::sqrt(std::max(0.0, spurious[1] + slope * (contingency + reach * reach * slope / 4)));
    const double error = std::sqrt(spurious[1] + slope * std::max(0.0, contingency));
    const auto v = [&](double squared) { return std::sqrt(std::clamp(squared / (values - 1), 0.0, 1.0)); };
    found.cramers_v = v(contingency);
    found.v_interval = {v(middle - half), v(middle + half)};
    const double information = contingency > 0 ? information_of(std::sqrt(contingency / raw) * d, p, q) : 0;
    // Weak dependence has half its contingency as information, in natural units.
    const double bits = contingency > 0 && information > 0 ? information / contingency : 0.5 / std::log(2.0);
    found.information = {information, bits * error};
    return found;
}

/// Whether a measured table had a say.
bool holds(const Pooled& pair, std::size_t number) {
    return std::ranges::find(pair.weights, number, &std::pair<std::size_t, double>::first) !=
           pair.weights.end();
}

/// Holm's: the p-values in ascending order, each times as many as are not below it.
void adjust(std::vector<Association>& all) {
    std::vector<Association*> order;
    for (Association& one : all)
        if (!std::isnan(one.p_value)) order.push_back(&one);
    std::ranges::stable_sort(order, {}, &Association::p_value);
    double least = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i]->adjusted = least =
            std::max(least, std::min(1.0, order[i]->p_value * static_cast<double>(order.size() - i)));
}

}  // namespace

std::vector<Association> associations(std::span<const Table> tables, double confidence) {
    const double reach = ldp::reach(confidence);
    const std::vector<std::uint64_t> sizes = sizes_in(tables);
    std::vector<Pooled> margins(sizes.size());
    std::vector<Values> values(sizes.size());
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        margins[a] = pooled(tables, {&a, 1});
        if (sizes[a] > 0) values[a] = grouped(margins[a].table);
    }
    const auto side = [&](std::size_t a, const Pooled& pair) {
        Side found{values[a], noise_of(margins[a].table), 0, 0};
        for (const auto& [number, weight] : margins[a].weights)
            if (holds(pair, number))
                found.own += weight;
            else
                found.repeats += weight * weight / tables[number].people;
        return found;
    };
    std::vector<Association> found;
    for (std::size_t a = 0; a < sizes.size(); ++a)
        for (std::size_t b = a + 1; b < sizes.size(); ++b) {
            check_interrupt();
            const std::size_t both[] = {a, b};
            const Pooled pair = pooled(tables, both);
            if (pair.weights.empty()) continue;
            found.push_back(associated(pair.table, side(a, pair), side(b, pair), reach));
            for (const auto& [number, weight] : pair.weights) found.back().people += tables[number].people;
        }
    adjust(found);
    return found;
}

std::vector<std::vector<std::size_t>> learnt_views(std::span<const Association> found, std::size_t attributes,
                                                   double significance) {
    if (!(significance >= 0 && significance <= 1))
        raise(ErrorCode::invalid_value, "the significance of a pair must be between 0 and 1",
              "Found " + shortest(significance) + ".", "0.05 is usual.");
    std::vector<std::vector<std::size_t>> views, pairs;
    std::vector<bool> paired(attributes);
    for (const Association& one : found)
        if (one.adjusted < significance) {
            pairs.push_back({one.first, one.second});
            paired[one.first] = paired[one.second] = true;
        }
    for (std::size_t a = 0; a < attributes; ++a)
        if (!paired[a]) views.push_back({a});
    views.insert(views.end(), pairs.begin(), pairs.end());
    return views;
}

}  // namespace ldp
