// Optimised local hashing (Wang, Blocki, Li, Jha 2017): local hashing to the number of buckets that gives a
// value which nobody holds the least variance, about e+1, e = exp(ε).

#include <algorithm>
#include <cmath>

#include "../spec.hpp"
#include "all.hpp"
#include "local_hashing.hpp"

namespace ldp {

namespace {

// Reached at ε = 11. More buckets would make rare values' variance still smaller, but p = e/(e+g−1) smaller
// as well, with f·p(1−p) of variance at a frequency f: what is lost below a frequency of 2^-16 is gained
// above.
constexpr std::uint64_t max_buckets = std::uint64_t{1} << 16;

/// With x = g−1, n·Var at a value that nobody holds is (e+x)²/((e−1)²x), which falls until x = e and rises
/// from there on; x+1 is better than x if e² > x(x+1).
std::uint64_t best_buckets(double epsilon) {
    const double e = std::exp(epsilon);
    const double below = std::floor(e);
    const double x = e * e > below * (below + 1) ? below + 1 : below;
    return static_cast<std::uint64_t>(std::min(x + 1, static_cast<double>(max_buckets)));
}

void write(const Spec& spec, Writer& writer) {
    LocalHashing::write(spec, best_buckets(spec.epsilon()), writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return LocalHashing::read(header, block, max_buckets);
}

}  // namespace

const MechanismEntry olh_entry{
    9,     "olh", "optimised local hashing", Shape::one_categorical, LocalHashing::max_domain, true, {},
    write, load};

}  // namespace ldp
