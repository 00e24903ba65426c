#include "core/regression/normal_equations.hpp"

#include <Eigen/Cholesky>

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

Eigen::Index index(std::size_t i) noexcept {
    return static_cast<Eigen::Index>(i);
}

/// Returns a matrix with the entries entry(i, k).
template <class Entry>
Eigen::LDLT<Eigen::MatrixXd> factored(std::size_t size, Entry entry) {
    check_interrupt();
    Eigen::MatrixXd matrix(index(size), index(size));
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < size; ++k) matrix(index(i), index(k)) = entry(i, k);
    return matrix.ldlt();
}

}  // namespace

// The result is the minimum of aᵀGa over all a with a_j = 1. At the minimum, its gradient by G is that of
// aᵀGa with a fixed.
MomentFunction NormalEquations::left_open(std::size_t j, std::size_t among) const {
    const auto other = [&](std::size_t i) { return i < j ? i : i + 1; };
    Eigen::VectorXd a = Eigen::VectorXd::Ones(index(among));
    if (among > 1) {
        Eigen::VectorXd product(index(among - 1));
        for (std::size_t i = 0; i + 1 < among; ++i) product[index(i)] = gram(other(i), j);
        const Eigen::VectorXd explaining = factored(among - 1, [&](std::size_t i, std::size_t k) {
                                               return gram(other(i), other(k));
                                           }).solve(product);
        for (std::size_t i = 0; i + 1 < among; ++i) a[index(other(i))] = -explaining[index(i)];
    }
    MomentFunction left{0, std::vector<double>(moments_.size())};
    for (std::size_t i = 0; i < among; ++i)
        for (std::size_t k = 0; k < among; ++k) {
            const double weight = a[index(i)] * a[index(k)];
            left.value += weight * gram(i, k);
            left.gradient[place(i, k)] += weight;
        }
    return left;
}

// With w = G⁻¹a, the differential of aᵀG⁻¹a is −wᵀdG·w.
MomentFunction NormalEquations::left_open_along(std::span<const double> a) const {
    const std::size_t size = unknowns();
    const Eigen::VectorXd along = Eigen::Map<const Eigen::VectorXd>(a.data(), index(size));
    const Eigen::VectorXd solution =
        factored(size, [&](std::size_t i, std::size_t k) { return gram(i, k); }).solve(along);
    MomentFunction left{1 / along.dot(solution), std::vector<double>(moments_.size())};
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < size; ++k)
            left.gradient[place(i, k)] += left.value * left.value * solution[index(i)] * solution[index(k)];
    return left;
}

// dγ = G⁻¹(dr − dG·γ).
std::vector<MomentFunction> NormalEquations::solve() const {
    const std::size_t size = unknowns();
    const auto inverse = factored(size, [&](std::size_t i, std::size_t k) { return gram(i, k); });
    Eigen::VectorXd right(index(size));
    for (std::size_t i = 0; i < size; ++i) right[index(i)] = moments_[right_[i]];
    const Eigen::VectorXd solution = inverse.solve(right);
    Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(index(size), index(moments_.size()));
    for (std::size_t i = 0; i < size; ++i) {
        moved(index(i), index(right_[i])) += 1;
        for (std::size_t k = 0; k < size; ++k) moved(index(i), index(place(i, k))) -= solution[index(k)];
    }
    moved = inverse.solve(moved).eval();
    std::vector<MomentFunction> all(size);
    for (std::size_t i = 0; i < size; ++i) {
        all[i] = {solution[index(i)], std::vector<double>(moments_.size())};
        for (std::size_t m = 0; m < moments_.size(); ++m) all[i].gradient[m] = moved(index(i), index(m));
    }
    return all;
}

// The differential of rᵀG⁻¹r is 2γᵀdr − γᵀdG·γ.
MomentFunction NormalEquations::explained() const {
    const std::vector<MomentFunction> solution = solve();
    MomentFunction sum{0, std::vector<double>(moments_.size())};
    for (std::size_t i = 0; i < unknowns(); ++i) {
        sum.value += solution[i].value * moments_[right_[i]];
        sum.gradient[right_[i]] += 2 * solution[i].value;
        for (std::size_t k = 0; k < unknowns(); ++k)
            sum.gradient[place(i, k)] -= solution[i].value * solution[k].value;
    }
    return sum;
}

}  // namespace ldp
