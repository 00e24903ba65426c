// Optimised local hashing (Wang, Blocki, Li, Jha 2017): local hashing to the number of buckets with the
// smallest variance at frequency 0, about e+1, e = exp(ε).

#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/local_hashing.hpp"

namespace ldp::olh {

namespace {

void write(const Settings& settings, Writer& writer) {
    LocalHashing::write(settings, LocalHashing::best_buckets(settings.epsilon()), writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return LocalHashing::read(header, block, LocalHashing::max_buckets);
}

}  // namespace

const MechanismEntry entry{9,
                           "olh",
                           "optimised local hashing",
                           "one of a few groups of the values: the groups are made by chance, and so is "
                           "which one is sent, more often that of your own value",
                           Shape::one_categorical,
                           LocalHashing::max_domain,
                           true,
                           {},
                           write,
                           load};

}  // namespace ldp::olh
