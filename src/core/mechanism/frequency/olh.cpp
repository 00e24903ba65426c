// Optimised local hashing (Wang, Blocki, Li, Jha 2017): local hashing to the number of buckets with the
// smallest variance at frequency 0, about e+1, e = exp(ε).

#include "core/mechanism/frequency/local_hashing.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::olh {

const MechanismEntry entry = hashing_entry<LocalHashing::best_buckets, LocalHashing::max_buckets>(
    9, "olh", "optimized local hashing",
    "one of a few groups of values. The groups and the group that is sent are drawn at random, more often "
    "the group of your own value");

}  // namespace ldp::olh
