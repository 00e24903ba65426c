#include <algorithm>
#include <array>

#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/models/contingency.hpp"
#include "core/tables/pooled.hpp"

namespace ldp {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// An attribute as a side of a pair's table.
struct Side {
    const Groups& groups;
    double noise;    ///< of one value's share in the pooled margin, equal for all values
    double own;      ///< weight of the pair's tables in the margin
    double repeats;  ///< sampling variance of the other tables' part, relative to one person
    double squares;  ///< the same including noise proportional to the shares, for mean squares

    [[nodiscard]] Vector even() const { return groups.members / groups.members.sum(); }
    /// Returns the deviation of the shares from even ones.
    [[nodiscard]] Vector contrast() const { return groups.shares - even(); }
};

// Covariance terms of the interaction D = X − p qᵀ. X is a table with margins p and q, centred over all
// values; p and q are pooled over more tables. The covariance is a sum of products P ⊗ Q with one matrix of
// each side:
//   0  the centring matrix, the covariance of the noise of a table's cells;
//   1  the outer product of the margin's contrast, which multiplies the margin's errors;
//   2  the centred covariance of sampling, and of noise proportional to the shares.
using Parts = std::array<Matrix, 3>;
using Coefficients = std::array<std::array<double, 3>, 3>;

/// Returns the terms with row i scaled by scale[i].
Parts parts(const Side& side, const Vector& scale) {
    const Vector even = side.even(), contrast = side.contrast();
    Parts all;
    all[0] = Matrix(side.groups.members.asDiagonal()) - even * even.transpose() * side.groups.members.sum();
    all[1] = contrast * contrast.transpose();
    all[2] = Matrix(side.groups.shares.asDiagonal()) - even * side.groups.shares.transpose() -
             side.groups.shares * even.transpose() + even * even.transpose();
    for (Matrix& part : all) part = scale.asDiagonal() * part * scale.asDiagonal();
    return all;
}

/// Returns the covariance of D for independent attributes. Squared contrasts are corrected for noise.
Coefficients errors(const Side& a, const Side& b, double noise, const Table& table) {
    // Variances for mean squares and for squared means.
    const double n = 1 / table.people, square = n + table.held, none = 1 - a.own - b.own;
    return {{{noise - a.noise * b.noise, a.noise, 0},
             {b.noise, 2 * square * a.own * b.own - n * none * none - a.repeats - b.repeats,
              square * b.own * (b.own - 2) + b.squares},
             {0, square * a.own * (a.own - 2) + a.squares, square}}};
}

/// Traces of the parts of a side, and of the products of two and of three of them.
struct Traces {
    std::array<double, 3> one;
    std::array<std::array<double, 3>, 3> two;
    std::array<std::array<std::array<double, 3>, 3>, 3> three;

    explicit Traces(const Parts& parts) {
        for (std::size_t i = 0; i < 3; ++i) {
            one[i] = parts[i].trace();
            for (std::size_t k = 0; k < 3; ++k) {
                const Matrix product = parts[i] * parts[k];
                two[i][k] = product.trace();
                for (std::size_t m = 0; m < 3; ++m)
                    three[i][k][m] = product.cwiseProduct(parts[m].transpose()).sum();
            }
        }
    }
};

/// Returns the first three cumulants of the sum of squares of an error with this covariance.
std::array<double, 3> cumulants(const Coefficients& weights, const Traces& a, const Traces& b) {
    const auto each = [](auto visit) {
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) visit(i, j);
    };
    std::array<double, 3> found{};
    each([&](std::size_t i, std::size_t j) {
        if (weights[i][j] == 0) return;
        found[0] += weights[i][j] * a.one[i] * b.one[j];
        each([&](std::size_t k, std::size_t l) {
            if (weights[k][l] == 0) return;
            const double weight = weights[i][j] * weights[k][l];
            found[1] += 2 * weight * a.two[i][k] * b.two[j][l];
            each([&](std::size_t m, std::size_t n) {
                if (weights[m][n] != 0)
                    found[2] += 8 * weight * weights[m][n] * a.three[i][k][m] * b.three[j][l][n];
            });
        });
    });
    return found;
}

/// Returns the first-order variance of the mean squared contingency, from its derivatives by the cells of D
/// and by the margins in its denominators.
double linear_variance(const Matrix& d, const Side& a, const Side& b, double noise, const Table& measured) {
    const Vector &p = a.groups.shares, &q = b.groups.shares;
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
    // Constants do not affect the squares, which are taken about the mean over all cells.
    const Vector rows = a.even(), columns = b.even();
    const Matrix off = influence.array() - rows.dot(influence * columns);
    const double held = off.cwiseProduct(off).cwiseProduct(table).sum();
    return std::max(0.0, sampling) / measured.people + std::max(0.0, held) * measured.held +
           noise * (left * by_cell * right).cwiseProduct(by_cell).sum() + a.noise * by_p.dot(left * by_p) +
           b.noise * by_q.dot(right * by_q);
}

/// Returns the interaction of two attributes' groups.
Matrix interaction(const Table& table, const Side& a, const Side& b) {
    Matrix cells = Matrix::Zero(a.groups.members.size(), b.groups.members.size());
    std::size_t cell = 0;
    for (const std::size_t row : a.groups.of)
        for (const std::size_t column : b.groups.of)
            cells(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) += table.shares[cell++];
    const Vector rows = cells.rowwise().sum(), columns = cells.colwise().sum();
    return cells - rows * b.even().transpose() - a.even() * columns.transpose() +
           a.even() * b.even().transpose() - a.contrast() * b.contrast().transpose();
}

Association associated(const Table& table, const Side& a, const Side& b, double critical_value) {
    Association found{.first = table.attributes[0],
                      .second = table.attributes[1],
                      .cramers_v = unknown,
                      .v_interval = {unknown, unknown},
                      .information = {unknown, unknown},
                      .p_value = unknown,
                      .adjusted = unknown,
                      .people = 0};
    const Vector &p = a.groups.shares, &q = b.groups.shares;
    if (std::min(p.size(), q.size()) < 2) return found;
    const Matrix d = interaction(table, a, b);
    const double noise = flat_noise_of(table);
    const Coefficients weights = errors(a, b, noise, table);

    // Scaled so that the noise is equal in each direction.
    const Vector scale = a.groups.members.cwiseSqrt().cwiseInverse();
    const Vector other = b.groups.members.cwiseSqrt().cwiseInverse();
    found.p_value = chance_above((scale.asDiagonal() * d * other.asDiagonal()).squaredNorm(),
                                 cumulants(weights, Traces(parts(a, scale)), Traces(parts(b, other))));

    const Vector root = p.cwiseSqrt().cwiseInverse(), column_root = q.cwiseSqrt().cwiseInverse();
    const auto spurious = cumulants(weights, Traces(parts(a, root)), Traces(parts(b, column_root)));
    tell(found, {p, q, d, spurious[0], spurious[1], linear_variance(d, a, b, noise, table)}, critical_value);
    return found;
}

/// Returns whether a measured table has a weight in the pair.
bool holds(const Pooled& pair, std::size_t number) {
    return std::ranges::find(pair.weights, number, &std::pair<std::size_t, double>::first) !=
           pair.weights.end();
}

}  // namespace

std::vector<Association> associated(std::span<const Table> tables, double critical_value) {
    const std::vector<std::uint64_t> sizes = sizes_in(tables);
    std::vector<Pooled> margins(sizes.size());
    std::vector<Groups> groups(sizes.size());
    for (std::size_t a = 0; a < sizes.size(); ++a) {
        margins[a] = pooled(tables, {&a, 1});
        if (sizes[a] > 0) groups[a] = grouped(margins[a].table);
    }
    const auto side = [&](std::size_t a, const Pooled& pair) {
        Side found{groups[a], flat_noise_of(margins[a].table), 0, 0, 0};
        for (const auto& [number, weight] : margins[a].weights)
            if (holds(pair, number))
                found.own += weight;
            else {
                found.squares += weight * weight * (1 / tables[number].people + tables[number].held);
                found.repeats += weight * weight / tables[number].people;
            }
        return found;
    };
    std::vector<Association> found;
    for (const auto& [set, indexes] : sets_of(tables, 2)) {
        check_interrupt();
        const Pooled pair = pooled(tables, set, indexes);
        found.push_back(associated(pair.table, side(set[0], pair), side(set[1], pair), critical_value));
        for (const auto& [number, weight] : pair.weights) found.back().people += tables[number].people;
    }
    return found;
}

}  // namespace ldp
