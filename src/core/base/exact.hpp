// Probabilities as exact fractions: what the proofs of ε are made of. Needed by proofs and audits only.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "core/base/bytes.hpp"

namespace ldp {

/// An exact, non-negative fraction.
struct Exact {
    boost::multiprecision::cpp_rational value;

    friend Exact operator*(const Exact& a, const Exact& b) { return {a.value * b.value}; }
    friend Exact operator+(const Exact& a, const Exact& b) { return {a.value + b.value}; }
    friend Exact operator/(const Exact& a, const Exact& b) { return {a.value / b.value}; }
    friend bool operator==(const Exact&, const Exact&) = default;
    [[nodiscard]] Exact complement() const { return {1 - value}; }
};

/// numerator / denominator.
[[nodiscard]] inline Exact exact(Uint128 numerator, Uint128 denominator) {
    return {{boost::multiprecision::cpp_int(numerator), boost::multiprecision::cpp_int(denominator)}};
}

/// numerator / 2^bits.
[[nodiscard]] inline Exact exact_dyadic(Uint128 numerator, unsigned bits) {
    return {{boost::multiprecision::cpp_int(numerator), boost::multiprecision::cpp_int(1) << bits}};
}

/// x^exponent.
[[nodiscard]] inline Exact power(const Exact& x, unsigned exponent) {
    if (exponent == 0) return exact(1, 1);
    const Exact half = power(x, exponent / 2);
    return exponent % 2 == 0 ? half * half : half * half * x;
}

}  // namespace ldp
