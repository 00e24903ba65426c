// Binary local hashing (Wang, Blocki, Li, Jha 2017; Bassily, Smith 2015): local hashing to two buckets.

#include "core/mechanism/frequency/local_hashing.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::blh {

namespace {

std::uint64_t two(double) {
    return 2;
}

}  // namespace

const MechanismEntry entry = hashing_entry<two, 2>(
    8, "blh", "binary local hashing",
    "one of two groups of values. The groups and the group that is sent are drawn at random, more often "
    "the group of your own value",
    true);

}  // namespace ldp::blh
