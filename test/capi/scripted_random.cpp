// Stands in for src/core/base/system_random.cpp in a library of its own, build/test/capi/libldp-scripted.so,
// which is never installed: with it, and with nothing else, reports can be compared byte by byte. Each
// SystemRandom gives the words of the Mersenne Twister mt19937_64 under the seed 2026, from the first on. So
// the shipped library needs no function that takes random words, and has none.
#include <random>

#include "core/base/random.hpp"

namespace ldp {

struct SystemRandom::Page {
    std::mt19937_64 words{2026};
};

SystemRandom::SystemRandom() : page_(new Page) {}
SystemRandom::~SystemRandom() {
    delete page_;
}
void SystemRandom::discard() noexcept {}
std::uint64_t SystemRandom::word() {
    return page_->words();
}

}  // namespace ldp
