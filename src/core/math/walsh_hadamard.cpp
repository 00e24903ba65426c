#include "core/math/walsh_hadamard.hpp"

#include "core/base/interrupt.hpp"

namespace ldp {

namespace {

// Makes two halvings per pass, then processes each quarter separately, so that all passes but the first find
// their numbers in the cache.
template <class Number>
void transform(std::span<Number> a) {
    if (a.size() < 2) return;
    if (a.size() == 2) {
        const Number sum = a[0] + a[1], difference = a[0] - a[1];
        a[0] = sum, a[1] = difference;
        return;
    }
    const std::size_t quarter = a.size() / 4;
    const auto halve_twice = [&](std::size_t i) {
        Number* const at = a.data() + i;
        const Number s02 = at[0] + at[2 * quarter], d02 = at[0] - at[2 * quarter];
        const Number s13 = at[quarter] + at[3 * quarter], d13 = at[quarter] - at[3 * quarter];
        at[0] = s02 + s13, at[quarter] = s02 - s13;
        at[2 * quarter] = d02 + d13, at[3 * quarter] = d02 - d13;
    };
    if (quarter < Work::segment)
        for (std::size_t i = 0; i < quarter; ++i) halve_twice(i);
    else
        for_each_index(quarter, halve_twice);
    if (quarter == 1) return;
    for (std::size_t j = 0; j < 4; ++j) transform(a.subspan(j * quarter, quarter));
}

}  // namespace

void walsh_hadamard(std::span<std::uint64_t> a) {
    transform(a);
}
void walsh_hadamard(std::span<double> a) {
    transform(a);
}

}  // namespace ldp
