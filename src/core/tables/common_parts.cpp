#include "core/tables/common_parts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/interrupt.hpp"
#include "core/tables/pooled.hpp"
#include "core/tables/spectrum.hpp"

namespace ldp {

namespace {

constexpr Eigen::Index largest_matrix = 512;
constexpr int most_rounds = 30;
/// Relative change of the common part at which the iteration ends.
constexpr double settled = 1e-3;

/// Pairs are predicted in folds: each fold from the pairs of all other folds. Every attribute has about the same
/// number of pairs in each fold.
constexpr std::size_t folds = 5, no_fold = folds;
std::size_t fold_of(const Interaction& one) noexcept {
    return (one.first + one.second) % folds;
}

/// Weight of the prior of the proportion of pairs with the common traits, in pairs with and without them.
constexpr double pairs_with = 2, pairs_without = 0.5;

/// The position of an attribute's values in the matrix of all values.
struct ValueBlock {
    Eigen::Index size = 0, begin = 0;
};

/// Shrinks eigenvalues that exceed the edge by more than the factor 1 + `beyond`.
Eigen::MatrixXd shrunk(const Eigen::MatrixXd& all, double edge, double beyond) {
    return with_eigenvalues(all, [&](double value) {
        return value > edge * (1 + beyond) ? std::sqrt(value * value - edge * edge) : 0;
    });
}

/// The symmetric matrix of all attributes' values, with a block for each pair.
class ValueMatrix {
  public:
    explicit ValueMatrix(std::span<const Interaction> interactions) : interactions_(interactions) {
        for (const Interaction& one : interactions) {
            blocks_[one.first].size = one.shares.rows();
            blocks_[one.second].size = one.shares.cols();
        }
        for (auto& [attribute, block] : blocks_) {
            block.begin = values_;
            values_ += block.size;
            degrees_of_freedom_ += static_cast<double>(block.size - 1);
        }
    }

    /// Returns the low-rank part of each pair, computed without the pairs of one fold.
    [[nodiscard]] std::vector<Eigen::MatrixXd> low_rank(std::size_t left_out) const {
        Eigen::MatrixXd common = Eigen::MatrixXd::Zero(values_, values_);
        const double edge = 2 * std::sqrt(most_noise(left_out));
        // The largest eigenvalue of noise exceeds its edge by this factor with a probability of 1 % (Tracy,
        // Widom 1996).
        const double beyond = std::pow(degrees_of_freedom_, -2.0 / 3);
        for (int round = 0; degrees_of_freedom_ > 0 && values_ <= largest_matrix && round < most_rounds;
             ++round) {
            check_interrupt();
            // The solver reads the lower triangle only.
            Eigen::MatrixXd all = common;
            for (const Interaction& one : interactions_)
                if (fold_of(one) != left_out) block(all, one) = one.shares;
            all.triangularView<Eigen::StrictlyLower>() = all.transpose();
            const Eigen::MatrixXd before = std::move(common);
            common = shrunk(all, edge, beyond);
            if ((common - before).norm() <= settled * common.norm()) break;
        }
        std::vector<Eigen::MatrixXd> parts;
        for (const Interaction& one : interactions_) parts.emplace_back(block(common, one));
        return parts;
    }

  private:
    [[nodiscard]] Eigen::Block<Eigen::MatrixXd> block(Eigen::MatrixXd& matrix, const Interaction& one) const {
        const ValueBlock &first = blocks_.at(one.first), &second = blocks_.at(one.second);
        return matrix.block(first.begin, second.begin, first.size, second.size);
    }
    /// Returns the largest noise of an attribute's rows, over its measured pairs.
    [[nodiscard]] double most_noise(std::size_t left_out) const {
        std::map<std::size_t, double> noise;
        double most = 0;
        for (const Interaction& one : interactions_)
            if (fold_of(one) != left_out)
                most = std::max(
                    {most, noise[one.first] += one.row_noise, noise[one.second] += one.column_noise});
        return most;
    }

    std::span<const Interaction> interactions_;
    std::map<std::size_t, ValueBlock> blocks_;
    Eigen::Index values_ = 0;
    double degrees_of_freedom_ = 0;
};

/// Returns the logarithm of the likelihood ratio of a predicted interaction and of independence.
double evidence_of(const Table& pair, const Interaction& interaction, const Eigen::MatrixXd& predicted,
                   const Shares& shares) {
    const std::vector<double>&p = shares[interaction.first], &q = shares[interaction.second];
    double ratio = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (std::size_t j = 0; j < q.size(); ++j) {
            const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
            const double mean = predicted(row, column);
            ratio += mean * (interaction.shares(row, column) - mean / 2) / cell_variance(pair, p[i] * q[j]);
        }
    return ratio;
}

/// Returns the probability of each pair to have the common traits. Expectation maximization estimates the
/// proportion of such pairs; pairs without a prediction have no evidence and get this proportion.
std::vector<double> probabilities(const std::vector<double>& evidence) {
    constexpr int steps = 200;
    std::vector<double> weights(evidence.size());
    double share = pairs_with / (pairs_with + pairs_without);
    for (int step = 0; step < steps; ++step) {
        double with = pairs_with, all = pairs_with + pairs_without;
        for (std::size_t i = 0; i < evidence.size(); ++i) {
            weights[i] = 1 / (1 + (1 - share) / share * std::exp(-evidence[i]));
            if (evidence[i] == 0) continue;
            with += weights[i];
            ++all;
        }
        share = with / all;
    }
    return weights;
}

}  // namespace

std::vector<Eigen::MatrixXd> common_parts(std::span<const Interaction> interactions) {
    return ValueMatrix(interactions).low_rank(no_fold);
}

std::vector<Eigen::MatrixXd> supported_parts(std::span<const Pair> pairs,
                                             std::span<const Interaction> interactions,
                                             const Shares& shares) {
    const ValueMatrix matrix(interactions);
    std::vector<Eigen::MatrixXd> parts = matrix.low_rank(no_fold);
    if (std::ranges::all_of(parts, [](const Eigen::MatrixXd& part) { return part.isZero(0); })) return parts;
    std::vector<double> evidence(parts.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        if (std::ranges::find(interactions, fold, fold_of) == interactions.end()) continue;
        const std::vector<Eigen::MatrixXd> predicted = matrix.low_rank(fold);
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (fold_of(interactions[i]) == fold)
                evidence[i] = evidence_of(pairs[i].table, interactions[i], predicted[i], shares);
    }
    const std::vector<double> weights = probabilities(evidence);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] *= weights[i];
    return parts;
}

}  // namespace ldp
