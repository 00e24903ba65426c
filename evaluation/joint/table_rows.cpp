#include "table_rows.hpp"

#include <Eigen/QR>
#include <cmath>

namespace evaluation {

namespace {

/// 1 and the first two powers of each predictor, person by person.
Eigen::MatrixXd powers(const Records& records, const Regression& regression) {
    const auto terms = 1 + 2 * regression.predictors.size();
    Eigen::MatrixXd all(records.size(), terms);
    for (std::size_t i = 0; i < records.size(); ++i) {
        Eigen::Index at = 0;
        const auto row = static_cast<Eigen::Index>(i);
        all(row, at++) = 1;
        for (const std::size_t j : regression.predictors) {
            const auto value = static_cast<double>(records[i][j]);
            all(row, at++) = value;
            all(row, at++) = value * value;
        }
    }
    return all;
}

Eigen::VectorXd outcomes(const Records& records, const Regression& regression) {
    Eigen::VectorXd all(records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
        all[static_cast<Eigen::Index>(i)] = static_cast<double>(records[i][regression.outcome]);
    return all;
}

Eigen::VectorXd coefficients(const Records& records, const Regression& regression) {
    return powers(records, regression).colPivHouseholderQr().solve(outcomes(records, regression));
}

}  // namespace

double misfit(const Records& people, const Records& rows, const Regression& regression) {
    const Eigen::VectorXd off =
        powers(people, regression) * (coefficients(rows, regression) - coefficients(people, regression));
    const Eigen::VectorXd truth = outcomes(people, regression);
    return off.norm() / (truth.array() - truth.mean()).matrix().norm();
}

}  // namespace evaluation
