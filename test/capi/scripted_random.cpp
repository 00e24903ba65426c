// Stands in for src/core/base/system_random.cpp in a library of its own, build/test/capi/libldp-scripted.so,
// which is never installed: with it, and with nothing else, reports can be compared byte by byte. Each
// SystemRandom gives the words of the Mersenne Twister mt19937_64 under the seed 2026, from the first on. So
// the shipped library needs no function that takes random words, and has none.
//
// If the environment variable LDP_INSECURE_SEED has a number, all generators share one sequence from this
// seed. So whole programs of tests can be repeated (doc/python.md). Their reports protect nobody.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>

#include "core/base/random.hpp"

namespace ldp {

namespace {

/// The sequence that all generators share, if there is a seed.
struct SharedWords {
    explicit SharedWords(const char* text) : seeded(text != nullptr) {
        if (!seeded) return;
        words.seed(std::strtoull(text, nullptr, 10));
        (void)std::fputs("warning: LDP_INSECURE_SEED is set: reports are predictable and protect nobody\n",
                         stderr);
    }
    std::uint64_t word() {
        const std::scoped_lock alone(drawing);
        return words();
    }
    bool seeded;
    std::mt19937_64 words;
    std::mutex drawing;
};

SharedWords& shared() {
    static SharedWords words(std::getenv("LDP_INSECURE_SEED"));
    return words;
}

}  // namespace

struct SystemRandom::Page {
    std::mt19937_64 words{2026};
};

SystemRandom::SystemRandom() : page_(new Page) {}
SystemRandom::~SystemRandom() {
    delete page_;
}
void SystemRandom::discard() noexcept {}
std::uint64_t SystemRandom::word() {
    return shared().seeded ? shared().word() : page_->words();
}

}  // namespace ldp
