#include "core/joint/traits.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/interrupt.hpp"
#include "core/math/spectrum.hpp"

namespace ldp {

namespace {

constexpr Eigen::Index largest_matrix = 512;
constexpr int most_rounds = 30;
/// A common part that changes by less than this part of itself stays as it is.
constexpr double settled = 1e-3;

/// Where an attribute's values are in the matrix of all.
struct Place {
    Eigen::Index size = 0, begin = 0;
    double noise = 0;  ///< of a row, over all that was measured beside it
};

/// What is beyond the edge, shrunk; and further beyond it, by this part of it, than noise comes by chance.
Eigen::MatrixXd shrunk(const Eigen::MatrixXd& all, double edge, double beyond) {
    return with_eigenvalues(all, [&](double value) {
        return value > edge * (1 + beyond) ? std::sqrt(value * value - edge * edge) : 0;
    });
}

}  // namespace

std::vector<Eigen::MatrixXd> common_parts(std::span<const Interaction> interactions) {
    std::map<std::size_t, Place> places;
    for (const Interaction& one : interactions) {
        Place &first = places[one.first], &second = places[one.second];
        first.size = one.shares.rows();
        second.size = one.shares.cols();
        first.noise += one.row_noise;
        second.noise += one.column_noise;
    }
    Eigen::Index values = 0;
    double most_noise = 0, freedom = 0;
    for (auto& [attribute, place] : places) {
        place.begin = values;
        values += place.size;
        freedom += static_cast<double>(place.size - 1);
        most_noise = std::max(most_noise, place.noise);
    }
    Eigen::MatrixXd common = Eigen::MatrixXd::Zero(values, values);
    const auto block = [&](Eigen::MatrixXd& matrix, const Interaction& one) {
        const Place &first = places[one.first], &second = places[one.second];
        return matrix.block(first.begin, second.begin, first.size, second.size);
    };
    // The largest eigenvalue of noise is further beyond its edge once in a hundred times (Tracy, Widom 1996).
    const double beyond = std::pow(freedom, -2.0 / 3);
    for (int round = 0; freedom > 0 && values <= largest_matrix && round < most_rounds; ++round) {
        check_interrupt();
        // The solver reads the lower triangle alone.
        Eigen::MatrixXd all = common;
        for (const Interaction& one : interactions) block(all, one) = one.shares;
        all.triangularView<Eigen::StrictlyLower>() = all.transpose();
        const Eigen::MatrixXd before = std::move(common);
        common = shrunk(all, 2 * std::sqrt(most_noise), beyond);
        if ((common - before).norm() <= settled * common.norm()) break;
    }
    std::vector<Eigen::MatrixXd> parts;
    for (const Interaction& one : interactions) parts.emplace_back(block(common, one));
    return parts;
}

}  // namespace ldp
