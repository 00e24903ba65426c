#include "core/regression/logistic_fit.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr int most_steps = 200;
constexpr double longest_step = 2;    ///< change of a coefficient, in standardized units
constexpr double largest_slope = 30;  ///< with such coefficients, predictors separate the outcomes
constexpr double settled = 1e-10;
/// Prior precision in standardized units. It makes the errors of coefficients without information finite, but large.
constexpr double ridge = 1e-6;
/// A larger error, in log odds per standard deviation of a number or between two values, bounds nothing.
constexpr double widest_error = 5;
constexpr const char* unbounded =
    "the reports do not bound this coefficient: more reports are needed, fewer predictors, or predictors that do not "
    "separate the outcomes";

Index at_index(std::size_t i) noexcept {
    return static_cast<Index>(i);
}

/// The generalized inverse of the covariance of a report's shares in one table, for vectors that add up to 0.
class InverseCovariance {
  public:
    InverseCovariance(const OutcomeTable& table, const VectorXd& shares) : size_(shares.size()) {
        const Eigen::Map<const VectorXd> cells(table.cells.data(), size_);
        const double all = cells.sum();
        const VectorXd variances = table.even * cells + table.held * shares;
        weights_ = variances.cwiseInverse();
        basis_.resize(size_, 3);
        basis_ << cells / all, shares, VectorXd::Ones(size_);
        // The last term makes the matrix regular. It has no effect on vectors that add up to 0.
        const double total = variances.mean();
        Eigen::Matrix3d middle;
        middle << -(table.even * all + 1 - table.held), 1 - table.held, 0, 1 - table.held, -1, 0, 0, 0, total;
        weighted_ = weights_.asDiagonal() * basis_;
        const Eigen::Matrix3d squares = basis_.transpose() * weighted_;
        middle_ = (Eigen::Matrix3d::Identity() + middle * squares).partialPivLu().solve(middle);
    }
    [[nodiscard]] MatrixXd times(const MatrixXd& right) const {
        return weights_.asDiagonal() * right - weighted_ * (middle_ * (weighted_.transpose() * right));
    }

  private:
    Index size_;
    VectorXd weights_;
    Eigen::MatrixX3d basis_, weighted_;
    Eigen::Matrix3d middle_;
};

/// The estimating function of a group and its derivatives by the coefficients and the free shares of predictors.
struct GroupScore {
    VectorXd score;
    MatrixXd variance;    ///< of the score
    MatrixXd derivative;  ///< minus the derivative of the score
};

/// One group: its tables, standardized terms and the current distribution of predictors.
class GroupModel {
  public:
    GroupModel(const OutcomeGroup& group, MatrixXd design)
        : tables_(group.tables), design_(std::move(design)), spread_(design_.rows()), free_() {
        VectorXd sum = VectorXd::Zero(cells());
        double people = 0;
        for (const OutcomeTable& table : tables_) {
            people += table.people;
            for (Index x = 0; x < cells(); ++x)
                sum[x] += table.people * (shares_in(table)[2 * x] + shares_in(table)[2 * x + 1]);
        }
        constexpr double least = 1e-3;
        spread_ = (sum / people).cwiseMax(least);
        spread_ /= spread_.sum();
    }

    [[nodiscard]] Index cells() const noexcept { return design_.rows(); }

    /// Returns the shares of the cells at these coefficients and this distribution.
    [[nodiscard]] VectorXd shares(const VectorXd& beta, const VectorXd& spread) const {
        const VectorXd chance = chances(beta);
        VectorXd all(2 * cells());
        for (Index x = 0; x < cells(); ++x) {
            all[2 * x] = spread[x] * (1 - chance[x]);
            all[2 * x + 1] = spread[x] * chance[x];
        }
        return all;
    }

    /// Evaluates the estimating function. Shares of predictors that are 0, and would become negative, are fixed.
    [[nodiscard]] GroupScore score(const VectorXd& beta, bool with_derivative) {
        check_interrupt();
        const Index p = design_.cols(), unknowns = p + cells();
        const VectorXd chance = chances(beta);
        GroupScore all{VectorXd::Zero(unknowns), MatrixXd::Zero(unknowns, unknowns), MatrixXd()};
        if (with_derivative) all.derivative = MatrixXd::Zero(unknowns, unknowns);
        const MatrixXd slopes = derivatives(chance);
        const VectorXd pi = shares(beta, spread_);
        inverses_.clear();
        for (const OutcomeTable& table : tables_) {
            const InverseCovariance& inverse = inverses_.emplace_back(table, pi);
            const VectorXd residual = shares_in(table) - pi, pull = inverse.times(residual);
            const MatrixXd weighted = inverse.times(slopes);
            check_interrupt();
            all.score += table.people * (slopes.transpose() * pull);
            all.variance += table.people * (slopes.transpose() * weighted);
            if (with_derivative)
                all.derivative += table.people * curvature(table, chance, slopes, pi, weighted, pull);
        }
        choose_free(all.score.tail(cells()));
        return reduced(all);
    }

    /// Returns Σ people·rᵀV⁻r of the residuals, with V of the last score().
    [[nodiscard]] double misfit(const VectorXd& beta, const VectorXd& spread) const {
        const VectorXd pi = shares(beta, spread);
        double all = 0;
        for (std::size_t t = 0; t < tables_.size(); ++t) {
            const VectorXd residual = shares_in(tables_[t]) - pi;
            all += tables_[t].people * residual.dot(inverses_[t].times(residual).col(0));
        }
        return all;
    }

    /// Returns the distribution after a step of the free shares, without negative shares.
    [[nodiscard]] VectorXd moved(const VectorXd& step) const {
        VectorXd spread = spread_;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            spread[free_[i]] += step[at_index(i)];
            spread[reference_] -= step[at_index(i)];
        }
        spread = spread.cwiseMax(0);
        return spread / spread.sum();
    }
    [[nodiscard]] const VectorXd& spread() const noexcept { return spread_; }
    void set_spread(VectorXd spread) { spread_ = std::move(spread); }

  private:
    [[nodiscard]] static Eigen::Map<const VectorXd> shares_in(const OutcomeTable& table) {
        return {table.shares.data(), at_index(table.shares.size())};
    }
    [[nodiscard]] VectorXd chances(const VectorXd& beta) const {
        const VectorXd odds = design_ * beta;
        return odds.unaryExpr([](double one) { return 1 / (1 + std::exp(-one)); });
    }

    /// Returns ∂π by the coefficients, then by the shares of all combinations of predictors.
    [[nodiscard]] MatrixXd derivatives(const VectorXd& chance) const {
        const Index p = design_.cols();
        MatrixXd slopes = MatrixXd::Zero(2 * cells(), p + cells());
        for (Index x = 0; x < cells(); ++x) {
            const double slope = spread_[x] * chance[x] * (1 - chance[x]);
            slopes.row(2 * x).head(p) = -slope * design_.row(x);
            slopes.row(2 * x + 1).head(p) = slope * design_.row(x);
            slopes(2 * x, p + x) = 1 - chance[x];
            slopes(2 * x + 1, p + x) = chance[x];
        }
        return slopes;
    }

    /// Returns minus the derivative of DᵀV⁻r: DᵀV⁻D + DᵀV⁻(∂V)V⁻r − (∂D)ᵀV⁻r.
    [[nodiscard]] MatrixXd curvature(const OutcomeTable& table, const VectorXd& chance,
                                     const MatrixXd& slopes, const VectorXd& pi, const MatrixXd& weighted,
                                     const VectorXd& pull) const {
        const Index p = design_.cols();
        const Eigen::Map<const VectorXd> cells_of(table.cells.data(), pi.size());
        const VectorXd even = cells_of / cells_of.sum();
        const double rest = 1 - table.held, own = rest * even.dot(pull) - pi.dot(pull);
        const Eigen::RowVectorXd along = pull.transpose() * slopes;
        MatrixXd changed = (table.held * pull.array() + own).matrix().asDiagonal() * slopes;
        changed += (rest * even - pi) * along;
        MatrixXd all = weighted.transpose() * (slopes + changed);
        for (Index x = 0; x < cells(); ++x) {
            const double gap = pull[2 * x + 1] - pull[2 * x], slope = chance[x] * (1 - chance[x]);
            all.topLeftCorner(p, p) -=
                spread_[x] * slope * (1 - 2 * chance[x]) * gap * design_.row(x).transpose() * design_.row(x);
            const VectorXd mixed = slope * gap * design_.row(x).transpose();
            all.col(p + x).head(p) -= mixed;
            all.row(p + x).head(p) -= mixed.transpose();
        }
        return all;
    }

    /// The largest share follows from the others.
    void choose_free(const VectorXd& score) {
        spread_.maxCoeff(&reference_);
        free_.clear();
        for (Index x = 0; x < cells(); ++x)
            if (x != reference_ && (spread_[x] > 0 || score[x] > score[reference_])) free_.push_back(x);
    }
    [[nodiscard]] GroupScore reduced(const GroupScore& of) const {
        const Index p = design_.cols(), last = p + reference_;
        const auto count = at_index(free_.size());
        const auto at = [&](Index i) { return i < p ? i : p + free_[static_cast<std::size_t>(i - p)]; };
        const auto shrunk = [&](const MatrixXd& whole) {
            MatrixXd small(p + count, p + count);
            for (Index i = 0; i < p + count; ++i)
                for (Index k = 0; k < p + count; ++k) {
                    double one = whole(at(i), at(k));
                    if (i >= p) one -= whole(last, at(k));
                    if (k >= p) one -= whole(at(i), last);
                    if (i >= p && k >= p) one += whole(last, last);
                    small(i, k) = one;
                }
            return small;
        };
        GroupScore small{VectorXd(p + count), shrunk(of.variance), MatrixXd()};
        if (of.derivative.size() > 0) small.derivative = shrunk(of.derivative);
        for (Index i = 0; i < p + count; ++i) small.score[i] = of.score[at(i)] - (i < p ? 0 : of.score[last]);
        return small;
    }

    const std::vector<OutcomeTable>& tables_;
    MatrixXd design_;
    VectorXd spread_;
    std::vector<InverseCovariance> inverses_;  ///< of the tables, at the last score()
    std::vector<Index> free_;                  ///< combinations of predictors whose shares are free
    Index reference_ = 0;
};

/// The terms in units in which numbers have mean 0 and standard deviation 1.
class Standardized {
  public:
    Standardized(std::span<const OutcomeGroup> groups, std::span<const LogisticTerm> terms)
        : terms_(terms), center_(terms.size()), scale_(terms.size(), 1) {
        const bool centered = std::ranges::any_of(terms, &LogisticTerm::intercept);
        for (std::size_t j = 0; j < terms.size(); ++j) {
            if (!terms[j].number) continue;
            double weights = 0, sum = 0, squares = 0;
            for (const OutcomeGroup& group : groups) {
                double people = 0;
                for (const OutcomeTable& table : group.tables) people += table.people;
                for (std::size_t i = j; i < group.design.size(); i += terms.size()) {
                    weights += people;
                    sum += people * group.design[i];
                }
            }
            const double mean = weights > 0 ? sum / weights : 0;
            for (const OutcomeGroup& group : groups) {
                double people = 0;
                for (const OutcomeTable& table : group.tables) people += table.people;
                for (std::size_t i = j; i < group.design.size(); i += terms.size())
                    squares += people * square(group.design[i] - mean);
            }
            if (centered) center_[j] = mean;
            if (squares > 0) scale_[j] = std::sqrt(squares / weights);
        }
    }
    [[nodiscard]] MatrixXd design(const OutcomeGroup& group) const {
        const std::size_t p = terms_.size(), rows = group.design.size() / p;
        MatrixXd all(at_index(rows), at_index(p));
        for (std::size_t x = 0; x < rows; ++x)
            for (std::size_t j = 0; j < p; ++j)
                all(at_index(x), at_index(j)) = (group.design[x * p + j] - center_[j]) / scale_[j];
        return all;
    }
    /// Returns the matrix from standardized coefficients to those of the terms.
    [[nodiscard]] MatrixXd units() const {
        const std::size_t p = terms_.size();
        MatrixXd all = MatrixXd::Zero(at_index(p), at_index(p));
        for (std::size_t j = 0; j < p; ++j) {
            all(at_index(j), at_index(j)) = 1 / scale_[j];
            for (std::size_t i = 0; i < p; ++i)
                if (terms_[i].intercept && i != j) all(at_index(i), at_index(j)) = -center_[j] / scale_[j];
        }
        return all;
    }
    [[nodiscard]] double scale(std::size_t term) const noexcept { return scale_[term]; }

  private:
    std::span<const LogisticTerm> terms_;
    std::vector<double> center_, scale_;
};

/// The scoring method for all groups. The shares of predictors of each group are eliminated.
class Scoring {
  public:
    Scoring(std::span<const OutcomeGroup> groups, const Standardized& units, Index terms)
        : beta_(VectorXd::Zero(terms)) {
        models_.reserve(groups.size());
        for (const OutcomeGroup& group : groups) {
            check_interrupt();
            models_.emplace_back(group, units.design(group));
        }
    }

    void solve() {
        for (int step = 0; step < most_steps; ++step)
            if (moved() < settled || beta_.cwiseAbs().maxCoeff() > largest_slope) return;
    }
    [[nodiscard]] const VectorXd& beta() const noexcept { return beta_; }

    /// Returns the covariance of the coefficients. All groups have an exact likelihood if `exact`.
    [[nodiscard]] MatrixXd covariance(bool exact) {
        const Index p = beta_.size();
        MatrixXd derivative = ridge * MatrixXd::Identity(p, p), variance = derivative;
        for (GroupModel& model : models_) {
            const GroupScore score = model.score(beta_, true);
            const Index rest = score.score.size() - p;
            const MatrixXd& h = score.derivative;
            MatrixXd combined = MatrixXd::Zero(p, p + rest);
            combined.leftCols(p).setIdentity();
            if (rest > 0)
                combined.rightCols(rest) = -h.bottomRightCorner(rest, rest)
                                                .transpose()
                                                .partialPivLu()
                                                .solve(h.topRightCorner(p, rest).transpose())
                                                .transpose();
            check_interrupt();
            derivative += combined * h.leftCols(p);
            variance += combined * score.variance * combined.transpose();
        }
        const MatrixXd inverse = derivative.partialPivLu().inverse();
        if (exact) return (inverse + inverse.transpose()) / 2;
        return inverse * variance * inverse.transpose();
    }

  private:
    /// Takes one step and returns its length.
    double moved() {
        const Index p = beta_.size();
        MatrixXd information = ridge * MatrixXd::Identity(p, p);
        VectorXd score = -ridge * beta_;
        std::vector<MatrixXd> solved;
        double before = ridge * beta_.squaredNorm();
        for (GroupModel& model : models_) {
            const GroupScore one = model.score(beta_, false);
            const Index rest = one.score.size() - p;
            information += one.variance.topLeftCorner(p, p);
            score += one.score.head(p);
            MatrixXd right(rest, p + 1);
            if (rest > 0) {
                right << one.variance.bottomLeftCorner(rest, p), one.score.tail(rest);
                MatrixXd own = one.variance.bottomRightCorner(rest, rest);
                own.diagonal() *= 1 + 1e-12;
                right = own.ldlt().solve(right).eval();
                check_interrupt();
                information -= one.variance.topRightCorner(p, rest) * right.leftCols(p);
                score -= one.variance.topRightCorner(p, rest) * right.col(p);
            }
            solved.push_back(std::move(right));
            before += model.misfit(beta_, model.spread());
        }
        const VectorXd step = information.ldlt().solve(score);
        double length = std::min(1.0, longest_step / std::max(longest_step, step.cwiseAbs().maxCoeff()));
        if (!std::isfinite(length)) return 0;
        constexpr double shortest = 1e-4;
        for (;; length /= 2) {
            const VectorXd beta = beta_ + length * step;
            std::vector<VectorXd> spreads;
            double after = ridge * beta.squaredNorm(), change = length * step.cwiseAbs().maxCoeff();
            for (std::size_t g = 0; g < models_.size(); ++g) {
                const VectorXd own = solved[g].col(p) - solved[g].leftCols(p) * step;
                check_interrupt();
                spreads.push_back(models_[g].moved(length * own));
                after += models_[g].misfit(beta, spreads[g]);
                change = std::max(change, (spreads[g] - models_[g].spread()).cwiseAbs().maxCoeff());
            }
            if (after > before * (1 + 1e-9) + 1e-12 && length > shortest) continue;
            beta_ = beta;
            for (std::size_t g = 0; g < models_.size(); ++g) models_[g].set_spread(std::move(spreads[g]));
            return change;
        }
    }

    std::vector<GroupModel> models_;
    VectorXd beta_;
};

}  // namespace

std::vector<Coefficient> logistic_fit(std::span<const OutcomeGroup> groups,
                                      std::span<const LogisticTerm> terms, double critical_value) {
    const Standardized units(groups, terms);
    Scoring scoring(groups, units, at_index(terms.size()));
    scoring.solve();
    const bool exact = std::ranges::all_of(groups, [](const OutcomeGroup& group) {
        return std::ranges::all_of(group.tables, &OutcomeTable::exact);
    });
    const MatrixXd to_terms = units.units();
    const VectorXd values = to_terms * scoring.beta();
    const MatrixXd covariance = to_terms * scoring.covariance(exact) * to_terms.transpose();
    std::vector<Coefficient> all(terms.size());
    for (std::size_t j = 0; j < terms.size(); ++j) {
        const double value = values[at_index(j)], error = std::sqrt(covariance(at_index(j), at_index(j)));
        if (!(error * units.scale(j) < widest_error)) {
            all[j].interval = {-no_bound, no_bound};
            all[j].note = unbounded;
            continue;
        }
        all[j].estimate = {value, error};
        all[j].interval = interval(all[j].estimate, critical_value, ErrorLaw{});
    }
    return all;
}

}  // namespace ldp
