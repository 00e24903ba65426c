// exp, expm1 and erfc of long doubles. The C library of WebAssembly computes them in double precision, which
// is not sufficient for channel/odds.cpp and mechanism/literature/gaussian.cpp. At 53 bits, the log-ratio of
// weights could exceed ε by a relative error of up to 2^-54. A long double has quadruple precision here, 113
// bits.

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

// For small x, the power series of e^x²·erf(x) is used: its terms are all positive, and 1 − erf(x) keeps most
// of its bits. From 2 on, the continued fraction is used (Abramowitz, Stegun 1964, 7.1.14); 200 terms give an
// error of 2^-100. e^-x² is computed as a square, so that the argument of exp stays below 64 until the result
// is below 10^-55.
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
