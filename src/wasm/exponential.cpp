// exp and expm1 of long doubles. Those of the C library here are the ones of doubles, which misses what
// channel/odds.cpp relies on by far: at 53 bits the weights that make up ε would be too far apart by up to
// 2^-54 of it. A long double is a quadruple one here, of 113 bits.

#include <cfloat>
#include <cmath>

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
}
