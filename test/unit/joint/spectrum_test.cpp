// Matrices of a known spectrum, changed: a symmetric one, and rectangular ones of both shapes.

#include "core/tables/spectrum.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(spectrum)

namespace {

/// A rotation in two of this number of dimensions.
Eigen::MatrixXd turned(Eigen::Index size, Eigen::Index i, Eigen::Index j, double angle) {
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(size, size);
    turn(i, i) = turn(j, j) = std::cos(angle);
    turn(i, j) = -(turn(j, i) = std::sin(angle));
    return turn;
}

Eigen::MatrixXd rotation(Eigen::Index size, double angle) {
    return turned(size, 0, 1, angle) * turned(size, 1, 2, angle / 2) * turned(size, 0, 2, angle / 3);
}

constexpr std::array parts{5.0, 2.0, 0.5};

/// In bases that the matrix itself does not show, with these on the diagonal.
Eigen::MatrixXd of_spectrum(
    Eigen::Index rows, Eigen::Index columns, double angle,
    const SpectralMap& map = [](double value) { return value; }) {
    Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(rows, columns);
    for (Eigen::Index i = 0; i < 3; ++i) diagonal(i, i) = map(parts.at(static_cast<std::size_t>(i)));
    return rotation(rows, 0.7) * diagonal * rotation(columns, angle).transpose();
}

double without_the_least(double value) {
    return value > 1 ? value - 1 : 0;
}

}  // namespace

BOOST_AUTO_TEST_CASE(eigenvalues_are_replaced_and_only_the_lower_triangle_is_read) {
    Eigen::MatrixXd matrix = of_spectrum(3, 3, 0.7);
    matrix.triangularView<Eigen::StrictlyUpper>().setConstant(100);
    const auto negative = [](double value) { return value > 1 ? -value : 3; };
    const Eigen::MatrixXd found = with_eigenvalues(matrix, negative);
    BOOST_CHECK_SMALL((found - of_spectrum(3, 3, 0.7, negative)).norm(), 1e-12);
}

BOOST_AUTO_TEST_CASE(singular_values_are_replaced_in_matrices_of_every_shape) {
    for (const auto& [rows, columns] :
         {std::pair<Eigen::Index, Eigen::Index>{3, 3}, {3, 7}, {7, 3}, {4, 5}}) {
        const Eigen::MatrixXd found =
            with_singular_values(of_spectrum(rows, columns, -1.1), without_the_least);
        BOOST_CHECK_SMALL((found - of_spectrum(rows, columns, -1.1, without_the_least)).norm(), 1e-12);
    }
}

BOOST_AUTO_TEST_CASE(of_nothing_comes_nothing) {
    const Eigen::MatrixXd nothing = Eigen::MatrixXd::Zero(4, 2);
    BOOST_CHECK_EQUAL(with_singular_values(nothing, [](double) { return 1.0; }).norm(), 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
