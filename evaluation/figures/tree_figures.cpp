// Difference trees of other shapes and other randomizers, computed: the mean variance of the rounds under
// generalized least squares, with the best probabilities of levels and snapshots.

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "panels.hpp"

namespace evaluation {

namespace {

/// How a person's signs are randomized. Each function returns by how much more often a reported sign is true
/// than false, for m signs at ε in all.
using Advantage = std::function<double(std::size_t m, double epsilon)>;

/// Each sign at ε/m, as ddrm does.
double one_by_one(std::size_t m, double epsilon) {
    return std::tanh(epsilon / 2 / static_cast<double>(m));
}

/// FutureRand with the constant of its authors: bits at ε/(5√m), conditioned on a number of flips that is
/// nearly certain.
double future_rand(std::size_t m, double epsilon) {
    return std::tanh(epsilon / 10 / std::sqrt(static_cast<double>(m)));
}

/// The best joint response of m signs: a vector with at most j false signs is e^ε times as probable as one with
/// more, for the best j. Every distribution over vectors with ratios of at most e^ε is a valid composition for
/// FutureRand.
double together(std::size_t m, double epsilon) {
    std::vector<double> counts(m + 1, 1);  // of vectors by the number of false signs, as shares
    double all = 1;
    for (std::size_t i = 1; i <= m; ++i) {
        counts[i] = counts[i - 1] * static_cast<double>(m - i + 1) / static_cast<double>(i);
        all += counts[i];
    }
    double best = 0;
    for (std::size_t j = 0; j < m; ++j) {
        double sum = 0, total = 0;
        for (std::size_t i = 0; i <= m; ++i) {
            const double weight = counts[i] / all * (i <= j ? std::exp(epsilon) : 1);
            sum += weight * (1 - 2 * static_cast<double>(i) / static_cast<double>(m));
            total += weight;
        }
        best = std::max(best, sum / total);
    }
    return best;
}

struct TreeShape {
    const char* name;
    std::size_t arity;  ///< 0 without a tree
    bool snapshots;
    Advantage advantage;
};

const TreeShape shapes[] = {
    {"binary tree, as published", 2, false, one_by_one},
    {"tree of 3", 3, false, one_by_one},
    {"tree of 4", 4, false, one_by_one},
    {"tree of 8", 8, false, one_by_one},
    {"binary tree, FutureRand", 2, false, future_rand},
    {"binary tree, signs together", 2, false, together},
    {"one round a person", 0, true, one_by_one},
    {"ddrm: binary tree and snapshots", 2, true, one_by_one},
    {"the same, signs together", 2, true, together},
};

/// n·Var of the mean of a sign on [−1, 1], averaged over the rounds, with the best probabilities. They are
/// found by the multiplicative algorithm for convex designs (Torsney 1977).
double mean_variance(const TreeShape& shape, std::size_t rounds, std::size_t changes, double epsilon) {
    using Matrix = Eigen::MatrixXd;
    const auto length = static_cast<Eigen::Index>(rounds);
    std::vector<Matrix> information;  // of one person on each level, or with a snapshot
    for (std::size_t width = 1; shape.arity > 0 && width <= rounds; width *= shape.arity) {
        const std::size_t nodes = rounds / width;
        const double advantage = shape.advantage(std::min(changes + 1, nodes), epsilon);
        Matrix level = Matrix::Zero(length, length);
        for (std::size_t node = 0; node < nodes; ++node) {
            // The first node reports the sign, the others half its difference.
            const double precision = std::pow(advantage / (node == 0 ? 1 : 2), 2);
            const auto end = static_cast<Eigen::Index>((node + 1) * width - 1);
            level(end, end) += precision;
            if (node == 0) continue;
            const auto before = static_cast<Eigen::Index>(node * width - 1);
            level(before, before) += precision;
            level(before, end) -= precision;
            level(end, before) -= precision;
        }
        information.push_back(std::move(level));
    }
    if (shape.snapshots)
        information.push_back(Matrix::Identity(length, length) * std::pow(one_by_one(1, epsilon), 2) /
                              static_cast<double>(rounds));
    std::vector<double> shares(information.size(), 1 / static_cast<double>(information.size()));
    double variance = 0;
    constexpr int steps = 60;
    for (int step = 0; step <= steps; ++step) {
        Matrix all = Matrix::Zero(length, length);
        for (std::size_t i = 0; i < shares.size(); ++i) all += shares[i] * information[i];
        const Matrix inverse = all.llt().solve(Matrix::Identity(length, length));
        variance = inverse.trace() / static_cast<double>(rounds);
        const Matrix squared = inverse * inverse;
        double sum = 0;
        for (std::size_t i = 0; i < shares.size(); ++i)
            sum += shares[i] *= std::sqrt(information[i].cwiseProduct(squared).sum());
        for (double& share : shares) share /= sum;
    }
    return variance;
}

/// The same of the released mechanism, whose probabilities are rounded and bounded from below.
double released_variance(std::size_t rounds, std::size_t changes, double epsilon) {
    const auto mechanism = make_mechanism(ldp::resolve(
        "{\"mechanism\": \"ddrm\", \"domain\": 2, \"epsilon\": " + ldp::shortest(epsilon) +
        ", \"rounds\": " + std::to_string(rounds) + ", \"changes\": " + std::to_string(changes) + "}"));
    const std::vector<double> even{0.5, 0.5};
    double sum = 0;
    for (std::size_t t = 0; t < rounds; ++t) sum += 4 * mechanism->n_variance_of(t, 0, even) + 1;
    return sum / static_cast<double>(rounds);
}

}  // namespace

Figure trees_figure() {
    constexpr double epsilon = 3;
    const char* const y = "n times the variance of the mean of a sign, averaged over the rounds";
    Figure figure{"trees",
                  {{"two values, 2 changes, epsilon 3", "rounds", y, {}, {16, 64, 256}},
                   {"two values, 64 rounds, epsilon 3", "changes", y, {}, {1, 2, 8, 24, 48}}}};
    for (std::size_t p = 0; p < figure.panels.size(); ++p) {
        Panel& panel = figure.panels[p];
        for (const TreeShape& shape : shapes) {
            Curve& curve = panel.curves.emplace_back(Curve{shape.name, {}});
            for (const double x : panel.marks) {
                const std::size_t rounds = p == 0 ? static_cast<std::size_t>(x) : 64,
                                  changes = p == 0 ? 2 : static_cast<std::size_t>(x);
                const double variance = mean_variance(shape, rounds, changes, epsilon);
                curve.points.push_back({x, {variance, variance}, {}});
                if (shape.snapshots && shape.arity == 2 && shape.advantage(2, 1) == one_by_one(2, 1) &&
                    std::abs(released_variance(rounds, changes, epsilon) / variance - 1.03) > 0.031)
                    throw std::logic_error("ddrm does not have the computed variance");
            }
        }
    }
    Panel& node =
        figure.panels.emplace_back(Panel{"a node, signs together",
                                         "signs m",
                                         "variance relative to signs that are randomized one by one",
                                         {},
                                         {2, 3, 5, 9, 17, 33}});
    for (const double e : {1.0, 2.0, 3.0, 6.0}) {
        Curve& curve = node.curves.emplace_back(Curve{"epsilon " + ldp::shortest(e), {}});
        for (const double m : node.marks) {
            const auto signs = static_cast<std::size_t>(m);
            const double ratio = std::pow(one_by_one(signs, e) / together(signs, e), 2);
            curve.points.push_back({m, {ratio, ratio}, {}});
        }
    }
    return figure;
}

}  // namespace evaluation
