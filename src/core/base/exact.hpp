// Exact fractions for the verification of ε. Used by proofs and audits only.
#pragma once

#include <compare>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"

namespace ldp {

/// An exact fraction.
class Exact {
  public:
    /// Defined in exact.cpp only, since multiprecision arithmetic takes seconds to compile.
    struct Rational;

    Exact();  ///< 0
    explicit Exact(Rational&& rational);

    [[nodiscard]] const Rational& rational() const noexcept { return *rational_; }
    [[nodiscard]] bool is_zero() const noexcept;
    [[nodiscard]] Exact complement() const;  ///< 1 − this
    [[nodiscard]] explicit operator double() const;
    [[nodiscard]] explicit operator long double() const;
    [[nodiscard]] std::string text() const;  ///< numerator/denominator in lowest terms

  private:
    std::shared_ptr<const Rational> rational_;
};

[[nodiscard]] Exact operator+(const Exact& a, const Exact& b);
[[nodiscard]] Exact operator-(const Exact& a, const Exact& b);
[[nodiscard]] Exact operator*(const Exact& a, const Exact& b);
[[nodiscard]] Exact operator/(const Exact& a, const Exact& b);
[[nodiscard]] bool operator==(const Exact& a, const Exact& b);
[[nodiscard]] std::strong_ordering operator<=>(const Exact& a, const Exact& b);

/// numerator / denominator.
[[nodiscard]] Exact exact(Uint128 numerator, Uint128 denominator);

/// numerator / 2^bits.
[[nodiscard]] Exact exact_dyadic(Uint128 numerator, unsigned bits);

/// x^exponent.
[[nodiscard]] Exact power(const Exact& x, unsigned exponent);

/// Returns the number of subsets of size k of a set of size n.
[[nodiscard]] Exact subsets(std::uint64_t n, std::uint64_t k);

/// Returns ε minus the logarithm of a ratio, computed with 100 digits. The ratio is at most exp(ε) if the
/// result is not negative.
[[nodiscard]] double margin(double epsilon, const Exact& ratio);

/// Numerators over a common denominator, in decimal digits.
struct CommonIntegers {
    std::string denominator;
    std::vector<std::string> numerators;
};

/// Returns the numerators of fractions over a common denominator.
[[nodiscard]] CommonIntegers over_common_denominator(std::span<const Exact> fractions);

/// Returns a finite number as a fraction.
[[nodiscard]] Exact exact_of(double number);

/// Returns a lower bound of exp(x), a multiple of 2^-128 that differs from it by at most 2^-127. Requires
/// 0 ≤ x ≤ 100.
[[nodiscard]] Exact exp_below(double x);

}  // namespace ldp
