#include <algorithm>
#include <array>

#include "core/base/interrupt.hpp"
#include "core/base/unknown.hpp"
#include "core/math/haar_tree.hpp"
#include "core/models/contingency.hpp"

namespace ldp {

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Number of levels of an attribute's coefficients that are used, from the root down: groups of 1/16. Finer
/// levels add little, since their coefficients concern few people and have the same noise.
constexpr unsigned most_levels = 4;

/// The mean of fewer reports has no usable sample variance, since two or three reports may agree by chance.
constexpr double fewest_reports = 4;

/// The estimates of an attribute from its own coefficients.
struct Margin {
    std::vector<unsigned> level;  // of each coefficient
    Vector details;
    Matrix covariance;  // of the coefficients
    Vector masses;      // share of the values below the node of each coefficient

    [[nodiscard]] Eigen::Index count() const { return details.size(); }
    /// Returns products of two coefficients, corrected for noise.
    [[nodiscard]] Matrix products() const { return details * details.transpose() - covariance; }
    /// Returns the number of coefficients on the first levels.
    [[nodiscard]] Eigen::Index within(unsigned levels) const {
        return std::ranges::lower_bound(level, levels) - level.begin();
    }
};

/// Uses the levels down to the first one without reports.
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

/// The table of an attribute's groups from its coefficients.
struct ReportSegments {
    Groups groups;
    Matrix of_coefficients;  // weight of each coefficient in the share of each group

    ReportSegments(const Margin& margin, unsigned levels) {
        const Eigen::Index count = margin.within(levels);
        const auto segments = static_cast<std::size_t>(count) + 1;
        // The tree over segments has the upper nodes of the tree over values.
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

/// Returns the finest of up to `levels` levels with two groups significantly greater than zero.
ReportSegments finest(const Margin& margin, unsigned levels) {
    ReportSegments found(margin, levels);
    while (found.groups.shares.size() < 2 && levels > 1) found = ReportSegments(margin, --levels);
    return found;
}

/// The measured interactions of two attributes.
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
        Eigen::Index row, column;  // coefficients of the two attributes
    };

    [[nodiscard]] std::size_t cell(Eigen::Index r, Eigen::Index c) const {
        return static_cast<std::size_t>(r + 1) * both_.sizes[1] + static_cast<std::size_t>(c + 1);
    }
    /// Returns the difference between a coefficient and that of independent attributes.
    [[nodiscard]] double interaction(const CoefficientIndex& at) const {
        return both_.values[cell(at.row, at.column)] - a_.details[at.row] * b_.details[at.column];
    }
    [[nodiscard]] bool same_question(const CoefficientIndex& x, const CoefficientIndex& y) const {
        const auto level = [](const Margin& margin, Eigen::Index detail) {
            return margin.level[static_cast<std::size_t>(detail)];
        };
        return level(a_, x.row) == level(a_, y.row) && level(b_, x.column) == level(b_, y.column);
    }
    /// Returns the covariance of interactions of independent attributes. Products of an attribute's
    /// coefficients are corrected for noise.
    [[nodiscard]] Matrix covariance(std::span<const CoefficientIndex> places) const;
    [[nodiscard]] double chance() const;
    /// Returns the largest number of levels of each attribute whose coefficients were all reported.
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

// Returns the p-value of the locally most powerful test (cf. Goeman, van de Geer, van Houwelingen 2006). The
// alternative is that each cell deviates from independence by a fraction of its share. A square is therefore
// weighted by its node's share of the values, divided by the square of its variance.
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

    // The squared contingency is a quadratic form of interactions: K ⊗ L.
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

    // Its derivatives by the coefficients of the pair, and by those of each attribute.
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
    // The coefficients of one level query are reported by the same people.
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
