// Mechanisms for sets of at most m of k labels, rebuilt from their papers. e = exp(ε), and all are pure protocols:
//   wheel       (Wang, Qian, Du, Yang, Huang, Xu 2020) labels are hashed to a circle, where each has an arc of the length
//               a = 1/(2m − 1 + me). A point of the circle is e times as probable on the arcs of the person. Their union
//               is normalised as if the arcs were disjoint: p = ae/(1 + ma(e − 1)), q = a.
//   PrivSet     (Wang, Huang, Nie, Wang, Xu, Yang 2018) a set of w of the k labels and m dummies, with the best w
//   one label   one of the k labels, and whether the person has it
//   padding     one of the m items of a person (Qin et al. 2016), by subset selection with many values
// The error of each is n·Var of the noise and, if people report a part of their set, of the sample.

#include "set_rivals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace evaluation {

namespace {

double pure(double p, double q, double f) {
    return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q));
}

double wheel(double e, double m, double f) {
    const double arc = 1 / (2 * m - 1 + m * e);
    return pure(arc * e / (1 + m * arc * (e - 1)), arc, f);
}

/// The number of sets of w of n items, divided by exp(`unit`).
double sets(double n, double w, double unit) {
    return w < 0 || w > n ? 0
                          : std::exp(std::lgamma(n + 1) - std::lgamma(w + 1) - std::lgamma(n - w + 1) - unit);
}

double priv_set(double e, double k, double m, double f) {
    double least = HUGE_VAL;
    const double d = k + m;
    for (double w = 1; w <= k; ++w) {
        const double unit = std::lgamma(d + 1) - std::lgamma(w + 1) - std::lgamma(d - w + 1);
        const double none = sets(k, w, unit), mean = e * (1 - none) + none;
        const double all = sets(d - 1, w - 1, unit), without = sets(k - 1, w - 1, unit);
        const double p = e * all / mean, q = (e * (all - without) + without) / mean;
        if (p > q) least = std::min(least, pure(p, q, f));
    }
    return least;
}

double one_label(double e, double k, double f) {
    return k * e / ((e - 1) * (e - 1)) + (k - 1) * f * (1 - f);
}

double padding(double e, double m, double f) {
    return m * m * 4 * e / ((e - 1) * (e - 1)) + (m - 1) * f;
}

}  // namespace

void print_label_set_table() {
    constexpr double epsilons[] = {0.5, 1, 2, 4};
    std::printf(
        "| labels | most | \u03b5 | label_sets | response | PrivSet | wheel | one label | padding |\n"
        "|---:|---:|---:|---:|---|---:|---:|---:|---:|\n");
    for (const std::uint64_t k : {8, 32, 256})
        for (const std::uint64_t m : {1, 2, 4, 8})
            for (const double epsilon : epsilons) {
                const ldp::Spec spec =
                    ldp::resolve("{\"mechanism\": \"label_sets\", \"epsilon\": " + std::to_string(epsilon) +
                                 ", \"several\": true, \"domain\": " + std::to_string(k) +
                                 ", \"most\": " + std::to_string(m) + "}");
                const double e = std::exp(epsilon), labels = static_cast<double>(k),
                             most = static_cast<double>(m), f = most / (2 * labels);
                std::printf("| %g | %g | %g | %.3g | `%s` | %.3g | %.3g | %.3g | %.3g |\n", labels, most,
                            epsilon, ldp::make_mechanism(spec)->n_variance(f), spec.word("response").c_str(),
                            priv_set(e, labels, most, f), wheel(e, most, f), one_label(e, labels, f),
                            padding(e, most, f));
            }
}

}  // namespace evaluation
