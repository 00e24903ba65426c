#include "core/base/exact.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

namespace ldp {

namespace mp = boost::multiprecision;
// number of bits without a memory allocation
using Integer = mp::number<mp::cpp_int_backend<512>, mp::et_off>;
using Wide = mp::cpp_bin_float_100;

/// over / (under · 2^twos), with `under` odd and positive. Only factors of two are cancelled: nearly all
/// denominators are powers of two or share a factor, and a full reduction costs more than it saves for short
/// numbers.
struct Exact::Rational {
    Integer over = 0, under = 1;
    unsigned twos = 0;
};

namespace {

constexpr unsigned short_enough = 256;

Exact made_of(Integer over, Integer under, unsigned twos) {
    if (under < 0) over = -over, under = -under;
    const unsigned even = lsb(under);  // throws if it is 0
    under >>= even;
    twos += even;
    if (over == 0) return Exact{};
    const auto common = std::min(static_cast<unsigned>(lsb(abs(over))), twos);
    over >>= common;
    twos -= common;
    if (msb(under) >= short_enough) {
        const Integer factor = gcd(over, under);
        over /= factor;
        under /= factor;
    }
    return Exact(Exact::Rational{std::move(over), std::move(under), twos});
}

/// Two fractions with a common denominator.
struct CommonDenominator {
    Integer a, b, under;
    unsigned twos;

    CommonDenominator(const Exact::Rational& x, const Exact::Rational& y)
        : a(x.over), b(y.over), under(x.under), twos(std::max(x.twos, y.twos)) {
        a <<= twos - x.twos;
        b <<= twos - y.twos;
        if (x.under == y.under) return;
        a *= y.under;
        b *= x.under;
        under *= y.under;
    }
};

Wide wide(const Exact::Rational& x) {
    return ldexp(Wide(x.over) / Wide(x.under), -static_cast<int>(x.twos));
}

}  // namespace

Exact::Exact() : Exact(Rational{}) {}
Exact::Exact(Rational&& rational) : rational_(std::make_shared<const Rational>(std::move(rational))) {}

bool Exact::is_zero() const noexcept {
    return rational_->over == 0;
}
Exact Exact::complement() const {
    return exact(1, 1) - *this;
}
Exact::operator double() const {
    return static_cast<double>(wide(*rational_));
}
Exact::operator long double() const {
    return static_cast<long double>(wide(*rational_));
}
std::string Exact::text() const {
    const Integer factor = gcd(rational_->over, rational_->under);
    const Integer over = rational_->over / factor;
    const Integer under = (rational_->under / factor) << rational_->twos;
    return under == 1 ? over.str() : over.str() + "/" + under.str();
}

Exact operator+(const Exact& a, const Exact& b) {
    const CommonDenominator pair(a.rational(), b.rational());
    return made_of(pair.a + pair.b, pair.under, pair.twos);
}
Exact operator-(const Exact& a, const Exact& b) {
    const CommonDenominator pair(a.rational(), b.rational());
    return made_of(pair.a - pair.b, pair.under, pair.twos);
}
Exact operator*(const Exact& a, const Exact& b) {
    const Exact::Rational &x = a.rational(), &y = b.rational();
    return made_of(x.over * y.over, x.under * y.under, x.twos + y.twos);
}
Exact operator/(const Exact& a, const Exact& b) {
    const Exact::Rational &x = a.rational(), &y = b.rational();
    return made_of(x.over * y.under << y.twos, x.under * y.over, x.twos);
}
bool operator==(const Exact& a, const Exact& b) {
    return (a <=> b) == 0;
}
std::strong_ordering operator<=>(const Exact& a, const Exact& b) {
    const CommonDenominator pair(a.rational(), b.rational());
    return pair.a.compare(pair.b) <=> 0;
}

Exact exact(Uint128 numerator, Uint128 denominator) {
    return made_of(numerator, denominator, 0);
}

Exact exact_dyadic(Uint128 numerator, unsigned bits) {
    return made_of(numerator, 1, bits);
}

Exact power(const Exact& x, unsigned exponent) {
    if (exponent == 0) return exact(1, 1);
    const Exact half = power(x, exponent / 2);
    return exponent % 2 == 0 ? half * half : half * half * x;
}

Exact subsets(std::uint64_t n, std::uint64_t k) {
    Integer sets = 1;
    for (std::uint64_t i = 1; i <= k; ++i) sets = sets * (n - k + i) / i;
    return made_of(sets, 1, 0);
}

CommonIntegers over_common_denominator(std::span<const Exact> fractions) {
    Integer under = 1;
    unsigned twos = 0;
    for (const Exact& each : fractions) {
        const Exact::Rational& x = each.rational();
        twos = std::max(twos, x.twos);
        if (under % x.under != 0) under = lcm(under, x.under);
    }
    CommonIntegers all{Integer(under << twos).str(), {}};
    for (const Exact& each : fractions) {
        const Exact::Rational& x = each.rational();
        all.numerators.push_back(Integer((x.over * (under / x.under)) << (twos - x.twos)).str());
    }
    return all;
}

Exact exact_of(double number) {
    constexpr int digits = 53;
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(number, &exponent), digits));
    exponent -= digits;
    if (exponent >= 0) return made_of(Integer(mantissa) << exponent, 1, 0);
    return made_of(mantissa, 1, static_cast<unsigned>(-exponent));
}

Exact exp_below(double x) {
    constexpr int bits = 128;
    return made_of(static_cast<Integer>(floor(ldexp(exp(Wide(x)), bits))) - 1, 1,
                   static_cast<unsigned>(bits));
}

double margin(double epsilon, const Exact& ratio) {
    return static_cast<double>(Wide(epsilon) - log(wide(ratio.rational())));
}

}  // namespace ldp
