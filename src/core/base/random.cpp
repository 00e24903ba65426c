#include "core/base/random.hpp"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"

namespace ldp {

std::uint64_t BitSource::below(std::uint64_t bound) {
    return uniform_below<std::uint64_t, Uint128>(bound, [this] { return word(); });
}

std::uint64_t BitSource::fair(unsigned count) {
    const std::uint64_t bits = word();
    return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
}

bool BitSource::chance(std::uint64_t heads, std::uint64_t total) {
    return below(total) < heads;
}

bool BitSource::lands(Uint128 heads, unsigned sides) {
    if (sides == 64) return word() < heads;
    const Uint128 high = word();
    return (high << 64 | word()) < heads;
}

// Each lane compares its own uniform binary fraction with the coin's, digit by digit from the top, until it
// is decided; about eight words of randomness decide all 64.
std::uint64_t BitSource::throws(std::uint64_t heads, unsigned sides, unsigned count) {
    std::uint64_t landed = 0;
    std::uint64_t undecided = ~std::uint64_t{0};
    for (unsigned digit = sides; digit-- > 0 && undecided != 0;) {
        const std::uint64_t ours = -(heads >> digit & 1);
        const std::uint64_t drawn = word();
        landed |= undecided & ours & ~drawn;
        undecided &= ~(ours ^ drawn);
    }
    return count < 64 ? landed & ((std::uint64_t{1} << count) - 1) : landed;
}

std::uint64_t BitSource::pick(const Weights& weights) {
    const std::uint64_t heavy = weights.high * weights.highs;
    const std::uint64_t u = below(weights.total());
    return u < heavy ? u / weights.high : weights.highs + (u - heavy) / weights.low;
}

std::uint64_t BitSource::pick(std::span<const std::uint64_t> sums) {
    const std::uint64_t u = below(sums.back());
    return static_cast<std::uint64_t>(std::ranges::upper_bound(sums, u) - sums.begin());
}

// One page of its own, so that the kernel can wipe it on fork: a child then finds no words left.
struct SystemRandom::Page {
    static constexpr std::size_t size = 4096;
    std::uint64_t left;
    std::uint64_t words[size / sizeof(std::uint64_t) - 1];

    void refill() {
        auto* at = reinterpret_cast<char*>(words);
        for (std::size_t wanted = sizeof(words); wanted > 0;) {
            const ssize_t got = getrandom(at, wanted, 0);
            if (got < 0) {
                if (errno == EINTR) continue;
                raise(ErrorCode::environment, "the operating system gives no random bits",
                      std::strerror(errno), "No report can be made without them; try again later.");
            }
            at += got;
            wanted -= static_cast<std::size_t>(got);
        }
        left = sizeof(words) / sizeof(words[0]);
    }
};

SystemRandom::SystemRandom() {
    void* memory = mmap(nullptr, Page::size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || madvise(memory, Page::size, MADV_WIPEONFORK) != 0) {
        const int reason = errno;
        if (memory != MAP_FAILED) munmap(memory, Page::size);
        raise(ErrorCode::environment, "no memory page for random bits", std::strerror(reason),
              "Linux 4.14 or later is needed (MADV_WIPEONFORK).");
    }
    page_ = static_cast<Page*>(memory);
}

SystemRandom::~SystemRandom() {
    explicit_bzero(page_, Page::size);
    munmap(page_, Page::size);
}

std::uint64_t SystemRandom::word() {
    if (page_->left == 0) page_->refill();
    const std::uint64_t value = page_->words[--page_->left];
    page_->words[page_->left] = 0;
    return value;
}

}  // namespace ldp
