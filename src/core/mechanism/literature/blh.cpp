// Binary local hashing (Wang, Blocki, Li, Jha 2017; Bassily, Smith 2015): local hashing to two buckets.

#include "core/mechanism/entries.hpp"
#include "core/mechanism/frequency/local_hashing.hpp"

namespace ldp::blh {

namespace {

constexpr std::uint64_t buckets = 2;

void write(const Settings& settings, Writer& writer) {
    LocalHashing::write(settings, buckets, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return LocalHashing::read(header, block, buckets);
}

}  // namespace

const MechanismEntry entry{8,
                           "blh",
                           "binary local hashing",
                           "one of two groups of the values: the groups are made by chance, and so is "
                           "which one is sent, more often that of your own value",
                           Shape::one_categorical,
                           LocalHashing::max_domain,
                           true,
                           {},
                           write,
                           load,
                           nullptr,
                           false,
                           Purpose::values,
                           {},
                           true};

}  // namespace ldp::blh
