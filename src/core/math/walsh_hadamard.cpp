#include "core/math/walsh_hadamard.hpp"

#include "core/base/interrupt.hpp"

namespace ldp {

// Two halvings a pass, then each quarter by itself, so that all but the first passes find their numbers in
// the cache.
void walsh_hadamard(std::span<std::uint64_t> a) {
    if (a.size() < 2) return;
    if (a.size() == 2) {
        const std::uint64_t sum = a[0] + a[1], difference = a[0] - a[1];
        a[0] = sum, a[1] = difference;
        return;
    }
    const std::size_t quarter = a.size() / 4;
    const auto halve_twice = [&](std::size_t i) {
        std::uint64_t* const at = a.data() + i;
        const std::uint64_t s02 = at[0] + at[2 * quarter], d02 = at[0] - at[2 * quarter];
        const std::uint64_t s13 = at[quarter] + at[3 * quarter], d13 = at[quarter] - at[3 * quarter];
        at[0] = s02 + s13, at[quarter] = s02 - s13;
        at[2 * quarter] = d02 + d13, at[3 * quarter] = d02 - d13;
    };
    if (quarter < Work::stretch)
        for (std::size_t i = 0; i < quarter; ++i) halve_twice(i);
    else
        for_each_index(quarter, halve_twice);
    if (quarter == 1) return;
    for (std::size_t j = 0; j < 4; ++j) walsh_hadamard(a.subspan(j * quarter, quarter));
}

}  // namespace ldp
