// Where the system's random bits come from: of all that randomizes, the one file that asks an operating
// system.
#include <sys/mman.h>
#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace ldp {

// One page of its own, so that the kernel can wipe it on fork: a child then finds no words left. Of the page,
// 256 bytes are filled at a time: the kernel gives so many whole, at about the cost per word of a full page,
// and a copy of a running machine has few words in common with it.
struct SystemRandom::Page {
    static constexpr std::size_t size = 4096;
    std::uint64_t left;
    std::uint64_t words[32];

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

    /// A page without words: one that another generator has left, or a new one.
    [[nodiscard]] static Page* take() {
        for (auto& slot : spare)
            if (Page* page = slot.exchange(nullptr, std::memory_order_acquire)) return page;
        void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || madvise(memory, size, MADV_WIPEONFORK) != 0) {
            const int reason = errno;
            if (memory != MAP_FAILED) munmap(memory, size);
            raise(ErrorCode::environment, "no memory page for random bits", std::strerror(reason),
                  "Linux 4.14 or later is needed (MADV_WIPEONFORK).");
        }
        return static_cast<Page*>(memory);
    }
    /// Wipes a page, and keeps it for the next generator if there is room.
    static void leave(Page* page) noexcept {
        page->forget();
        for (auto& slot : spare) {
            page = slot.exchange(page, std::memory_order_acq_rel);
            if (page == nullptr) return;
        }
        munmap(page, size);
    }

    void forget() noexcept { explicit_bzero(this, sizeof(Page)); }

    /// Mapping a page costs more than a report: programs that make a generator for each call, as calls from C
    /// do, find the page of the last one. No words pass from one to the other.
    static constinit std::atomic<Page*> spare[4];
};

constinit std::atomic<SystemRandom::Page*> SystemRandom::Page::spare[4]{};

SystemRandom::SystemRandom() : page_(Page::take()) {}

SystemRandom::~SystemRandom() {
    Page::leave(page_);
}

void SystemRandom::discard() noexcept {
    page_->forget();
}

std::uint64_t SystemRandom::word() {
    if (page_->left == 0) page_->refill();
    return std::exchange(page_->words[--page_->left], 0);
}

}  // namespace ldp
