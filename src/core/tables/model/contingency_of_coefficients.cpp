#include <algorithm>
#include <array>

#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/math/haar_tree.hpp"
#include "core/tables/model/contingency.hpp"

namespace ldp {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Levels of an attribute's details that are looked at, from the root down: those of 16 stretches. Finer ones
/// tell hardly more, since the details of few people are small, and their noise is that of any other.
constexpr unsigned most_levels = 4;

/// The mean of fewer reports has no variance that they tell: two or three may say the same by chance.
constexpr double fewest_reports = 4;

/// An attribute as its own details tell it.
struct Margin {
    std::vector<unsigned> level;  // of each detail
    Vector details;
    Matrix covariance;  // of these
    Vector masses;      // of the stretch that each detail halves, its part of the values

    [[nodiscard]] Eigen::Index count() const { return details.size(); }
    /// Products of two details without what noise adds to them.
    [[nodiscard]] Matrix products() const { return details * details.transpose() - covariance; }
    /// How many details the first levels have.
    [[nodiscard]] Eigen::Index within(unsigned levels) const {
        return std::ranges::lower_bound(level, levels) - level.begin();
    }
};

/// As far down as every level was asked about.
Margin margin_of(const Details& alone) {
    const HaarTree tree(alone.sizes[0]);
    Margin margin;
    for (unsigned l = 0; l < most_levels && l + 1 < tree.levels().size(); ++l) {
        const std::size_t first = tree.levels()[l], end = tree.levels()[l + 1];
        if (alone.reports[first] < fewest_reports) break;
        margin.level.insert(margin.level.end(), end - first, l);
    }
    const auto count = static_cast<Eigen::Index>(margin.level.size());
    margin.details = Eigen::Map<const Vector>(alone.values.data() + 1, count);
    margin.masses = Vector(count);
    margin.covariance = Matrix::Zero(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const auto cell = static_cast<std::size_t>(i) + 1;
        margin.masses[i] = static_cast<double>(tree.reach(cell)) / static_cast<double>(tree.size());
        for (Eigen::Index j = 0; j < count; ++j)
            if (margin.level[cell - 1] == margin.level[static_cast<std::size_t>(j)])
                margin.covariance(i, j) =
                    ((i == j ? alone.squares[cell] : 0) - margin.details[i] * margin.details[j]) /
                    (alone.reports[cell] - 1);
    }
    return margin;
}

/// The table of an attribute's groups as its details make it.
struct ReportSegments {
    Groups groups;
    Matrix of_coefficients;  // what each detail adds to the share of each group

    ReportSegments(const Margin& margin, unsigned levels) {
        const Eigen::Index count = margin.within(levels);
        const auto segments = static_cast<std::size_t>(count) + 1;
        // The tree over stretches has the nodes of the one over values, from the root as far down.
        const HaarTree tree(segments);
        Table table{{0}, {segments}, {}, 0, 0};
        Matrix parts(count + 1, count);
        for (std::size_t s = 0; s < segments; ++s) {
            std::vector<double> inside(segments), coefficients(segments);
            inside[s] = 1;
            tree.forward(inside, coefficients);
            const auto row = static_cast<Eigen::Index>(s);
            parts.row(row) = Eigen::Map<const Vector>(coefficients.data() + 1, count);
            table.shares.push_back(coefficients[0] + parts.row(row).dot(margin.details.head(count)));
        }
        table.variance =
            std::max(0.0, (parts * margin.covariance.topLeftCorner(count, count)).cwiseProduct(parts).sum() /
                              static_cast<double>(segments));
        groups = grouped(table);
        of_coefficients.setZero(groups.shares.size(), count);
        for (std::size_t s = 0; s < segments; ++s)
            of_coefficients.row(static_cast<Eigen::Index>(groups.of[s])) +=
                parts.row(static_cast<Eigen::Index>(s));
    }
};

/// The finest of up to so many levels in which two groups are told.
ReportSegments finest(const Margin& margin, unsigned levels) {
    ReportSegments found(margin, levels);
    while (found.groups.shares.size() < 2 && levels > 1) found = ReportSegments(margin, --levels);
    return found;
}

/// What was asked about two attributes at once.
class Interactions {
  public:
    Interactions(const Details& both, const Margin& rows, const Margin& columns)
        : both_(both), a_(rows), b_(columns) {
        for (Eigen::Index r = 0; r < a_.count(); ++r)
            for (Eigen::Index c = 0; c < b_.count(); ++c)
                if (both.reports[cell(r, c)] >= fewest_reports) asked_.push_back({r, c});
    }

    [[nodiscard]] Association associated(double critical_value) const;

  private:
    struct CoefficientIndex {
        Eigen::Index row, column;  // details of either attribute
    };

    [[nodiscard]] std::size_t cell(Eigen::Index r, Eigen::Index c) const {
        return static_cast<std::size_t>(r + 1) * both_.sizes[1] + static_cast<std::size_t>(c + 1);
    }
    /// How a detail differs from that of independent attributes.
    [[nodiscard]] double interaction(const CoefficientIndex& at) const {
        return both_.values[cell(at.row, at.column)] - a_.details[at.row] * b_.details[at.column];
    }
    [[nodiscard]] bool same_question(const CoefficientIndex& x, const CoefficientIndex& y) const {
        const auto level = [](const Margin& margin, Eigen::Index detail) {
            return margin.level[static_cast<std::size_t>(detail)];
        };
        return level(a_, x.row) == level(a_, y.row) && level(b_, x.column) == level(b_, y.column);
    }
    /// The covariance of interactions where the two are independent. Products of an attribute's details are
    /// made good for what noise adds to them.
    [[nodiscard]] Matrix covariance(std::span<const CoefficientIndex> places) const;
    [[nodiscard]] double chance() const;
    /// The most levels of each attribute of which all details are told.
    [[nodiscard]] std::pair<unsigned, unsigned> levels() const;
    [[nodiscard]] Contingency contingency(const ReportSegments& rows, const ReportSegments& columns) const;

    const Details& both_;
    const Margin &a_, &b_;
    std::vector<CoefficientIndex> asked_;
};

Matrix Interactions::covariance(std::span<const CoefficientIndex> places) const {
    const Matrix a = a_.products(), b = b_.products();
    const auto count = static_cast<Eigen::Index>(places.size());
    Matrix all(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
        for (Eigen::Index j = 0; j <= i; ++j) {
            const CoefficientIndex &x = places[static_cast<std::size_t>(i)],
                                   &y = places[static_cast<std::size_t>(j)];
            const double rows = a_.covariance(x.row, y.row), columns = b_.covariance(x.column, y.column);
            const double row = a(x.row, y.row), column = b(x.column, y.column);
            double sum = rows * column + row * columns + rows * columns;
            if (same_question(x, y)) {
                const std::size_t at = cell(x.row, x.column);
                sum += ((i == j ? both_.squares[at] : 0) - row * column) / (both_.reports[at] - 1);
            }
            all(i, j) = all(j, i) = sum;
        }
    return all;
}

// Each square counts as its expectation would have it if all that is known is that people differ from
// independent ones in any cell by a part of its share: by its node's share of the values, over the square of
// its variance, which is the locally most powerful test (cf. Goeman, van de Geer, van Houwelingen 2006).
double Interactions::chance() const {
    const auto count = static_cast<Eigen::Index>(asked_.size());
    Vector weights(count), interactions(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const CoefficientIndex& at = asked_[static_cast<std::size_t>(i)];
        weights[i] =
            std::sqrt(a_.masses[at.row] * b_.masses[at.column]) / both_.variances[cell(at.row, at.column)];
        interactions[i] = interaction(at);
    }
    weights /= weights.maxCoeff();
    const Matrix error = weights.asDiagonal() * covariance(asked_) * weights.asDiagonal();
    const Matrix square = error * error;
    return chance_above(weights.cwiseProduct(interactions).squaredNorm(),
                        {error.trace(), 2 * error.squaredNorm(), 8 * square.cwiseProduct(error).sum()});
}

std::pair<unsigned, unsigned> Interactions::levels() const {
    std::pair<unsigned, unsigned> best{0, 0};
    Eigen::Index most = 0;
    for (unsigned a = 1; a <= most_levels; ++a)
        for (unsigned b = 1; b <= most_levels; ++b) {
            const Eigen::Index rows = a_.within(a), columns = b_.within(b);
            const auto inside = std::ranges::count_if(
                asked_, [&](const CoefficientIndex& at) { return at.row < rows && at.column < columns; });
            if (inside == rows * columns && inside > most) {
                most = inside;
                best = {a, b};
            }
        }
    return best;
}

Contingency Interactions::contingency(const ReportSegments& rows, const ReportSegments& columns) const {
    const Matrix &left = rows.of_coefficients, &right = columns.of_coefficients;
    const Vector &p = rows.groups.shares, &q = columns.groups.shares;
    const Vector alpha = a_.details.head(left.cols()), beta = b_.details.head(right.cols());
    std::vector<CoefficientIndex> places;
    Matrix details(left.cols(), right.cols());
    for (Eigen::Index r = 0; r < details.rows(); ++r)
        for (Eigen::Index c = 0; c < details.cols(); ++c) {
            places.push_back({r, c});
            details(r, c) = interaction(places.back());
        }
    Contingency all{p, q, left * details * right.transpose(), 0, 0, 0};

    // The squared contingency as a quadratic form of interactions: K ⊗ L.
    const Matrix k = left.transpose() * p.cwiseInverse().asDiagonal() * left;
    const Matrix l = right.transpose() * q.cwiseInverse().asDiagonal() * right;
    const auto count = static_cast<Eigen::Index>(places.size());
    Matrix form(count, count);
    for (Eigen::Index i = 0; i < count; ++i)
        for (Eigen::Index j = 0; j < count; ++j) {
            const CoefficientIndex &x = places[static_cast<std::size_t>(i)],
                                   &y = places[static_cast<std::size_t>(j)];
            form(i, j) = k(x.row, y.row) * l(x.column, y.column);
        }
    const Matrix noise = covariance(places) * form;
    all.spurious_mean = noise.trace();
    all.spurious_variance = 2 * noise.cwiseProduct(noise.transpose()).sum();

    // Its derivatives by the details of both, and by those of either.
    const Matrix by_cell =
        2 * p.cwiseInverse().asDiagonal() * all.interaction * q.cwiseInverse().asDiagonal();
    const Matrix squares = by_cell.cwiseProduct(all.interaction) / 2;
    const Matrix by_detail = left.transpose() * by_cell * right;
    const Vector by_alpha = -left.transpose() * squares.rowwise().sum().cwiseQuotient(p) - by_detail * beta;
    const Vector by_beta = -right.transpose() * squares.colwise().sum().transpose().cwiseQuotient(q) -
                           by_detail.transpose() * alpha;
    const auto of_margin = [](const Vector& by, const Margin& margin) {
        return by.dot(margin.covariance.topLeftCorner(by.size(), by.size()) * by);
    };
    double variance = of_margin(by_alpha, a_) + of_margin(by_beta, b_);
    // The details of one question are told by the same people.
    std::array<std::array<double, 3>, std::size_t{most_levels} * most_levels> questions{};
    for (const CoefficientIndex& at : places) {
        const std::size_t cell = this->cell(at.row, at.column);
        auto& [mean, square, reports] = questions[a_.level[static_cast<std::size_t>(at.row)] * most_levels +
                                                  b_.level[static_cast<std::size_t>(at.column)]];
        const double by = by_detail(at.row, at.column);
        mean += by * both_.values[cell];
        square += by * by * both_.squares[cell];
        reports = both_.reports[cell];
    }
    for (const auto& [mean, square, reports] : questions)
        if (reports > 0) variance += (square - mean * mean) / (reports - 1);
    all.linear_variance = std::max(0.0, variance);
    return all;
}

Association Interactions::associated(double critical_value) const {
    Association found{.first = both_.attributes[0],
                      .second = both_.attributes[1],
                      .cramers_v = unknown,
                      .v_interval = {unknown, unknown},
                      .information = {unknown, unknown},
                      .p_value = unknown,
                      .adjusted = unknown,
                      .people = both_.people};
    if (asked_.empty()) return found;
    found.p_value = chance();
    const auto [first, second] = levels();
    const ReportSegments rows = finest(a_, first), columns = finest(b_, second);
    if (std::min(rows.groups.shares.size(), columns.groups.shares.size()) > 1)
        tell(found, contingency(rows, columns), critical_value);
    return found;
}

}  // namespace

std::vector<Association> associated(std::span<const Details> details, double critical_value) {
    std::vector<std::pair<std::size_t, Margin>> margins;
    for (const Details& one : details)
        if (one.attributes.size() == 1) margins.emplace_back(one.attributes[0], margin_of(one));
    const auto margin = [&](std::size_t attribute) {
        const auto found = std::ranges::find(margins, attribute, &std::pair<std::size_t, Margin>::first);
        return found == margins.end() ? nullptr : &found->second;
    };
    std::vector<Association> found;
    for (const Details& both : details) {
        if (both.attributes.size() != 2) continue;
        check_interrupt();
        const Margin *rows = margin(both.attributes[0]), *columns = margin(both.attributes[1]);
        if (rows != nullptr && columns != nullptr)
            found.push_back(Interactions(both, *rows, *columns).associated(critical_value));
    }
    std::ranges::sort(found, {}, [](const Association& one) { return std::pair(one.first, one.second); });
    return found;
}

}  // namespace ldp
