// Where the system's random bits come from: of all that randomizes, the one file that asks an operating
// system.
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace ldp {

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
