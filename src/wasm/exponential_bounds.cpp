// exp, expm1 and erfc of long doubles. Those of the C library here are the ones of doubles, which misses what
// channel/odds.cpp and mechanism/vector/gaussian.cpp rely on by far: at 53 bits the weights that make up ε
// would be too far apart by up to 2^-54 of it. A long double is a quadruple one here, of 113 bits.

#include <cfloat>
#include <cmath>
#include <numbers>

static_assert(LDBL_MANT_DIG == 113);

extern "C" {

// By its power series where the argument is small, to which it is brought by halving: expm1(2y) = e·(2 + e),
// e = expm1(y). That loses a bit for each doubling at most, ten for |x| ≤ 64; 103 are left.
long double expm1l(long double x) {
    if (!(std::fabs(x) <= 64)) return std::expm1(static_cast<double>(x));  // no ε is as large
    int halvings = 0;
    for (; std::fabs(x) > 0.0625L; x /= 2) ++halvings;
    long double sum = 0;
    for (int n = 24; n > 0; --n) sum = (1 + sum) * x / n;  // x^25/25! is below 2^-180
    for (; halvings > 0; --halvings) sum *= 2 + sum;
    return sum;
}

long double expl(long double x) {
    return x < 0 ? 1 / (1 + expm1l(-x)) : 1 + expm1l(x);
}

// By the power series of e^x²·erf(x), whose terms are all positive, where that leaves 1 − erf(x) most of its
// bits; else by the continued fraction (Abramowitz, Stegun 1964, 7.1.14), which 200 terms determine to 2^-100
// from 2 on. e^-x² is a square so that exp need not go beyond 64 before what it tells is below 10^-55.
long double erfcl(long double x) {
    if (x < 0) return 2 - erfcl(-x);
    const long double root = expl(-x * x / 2),
                      density = root * root * std::numbers::inv_sqrtpi_v<long double>;
    if (x < 2) {
        long double sum = x, term = x;
        for (int n = 1; n < 100; ++n) sum += term *= 2 * x * x / (2 * n + 1);
        return 1 - 2 * density * sum;
    }
    long double fraction = x;
    for (int n = 200; n > 0; --n) fraction = x + n / 2.0L / fraction;
    return density / fraction;
}
}
