// The random bits of the operating system. No other file of the randomizers calls the operating system.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace ldp {

namespace {

/// Number of forks from the first process to this one. A second protection: emulators such as qemu-user accept
/// MADV_WIPEONFORK, but do not wipe.
constinit std::atomic<std::uint64_t> forks{0};

}  // namespace

// A page of memory that the kernel wipes on fork, so that a child finds no words. 256 bytes of it are filled
// at a time. The kernel returns this number without interruption, the cost per word is close to that of a
// full page, and a copy of a running machine shares few words.
struct SystemRandom::Page {
    static constexpr std::size_t size = 4096;
    std::uint64_t left;
    std::uint64_t forks_at_refill;
    std::uint64_t words[32];

    [[nodiscard]] bool empty() const noexcept {
        return left == 0 || forks_at_refill != forks.load(std::memory_order_relaxed);
    }

    void refill() {
        auto* at = reinterpret_cast<char*>(words);
        for (std::size_t wanted = sizeof(words); wanted > 0;) {
            const ssize_t got = getrandom(at, wanted, 0);
            if (got < 0) {
                if (errno == EINTR) continue;
                raise(ErrorCode::environment, "the operating system provides no random bits",
                      std::strerror(errno), "Reports need random bits; try again later.");
            }
            at += got;
            wanted -= static_cast<std::size_t>(got);
        }
        left = sizeof(words) / sizeof(words[0]);
        forks_at_refill = forks.load(std::memory_order_relaxed);
    }

    /// Returns a page without words: one released by another generator, or a new one.
    [[nodiscard]] static Page* take() {
        static const int reason_of_handler = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
        if (reason_of_handler != 0)
            raise(ErrorCode::environment, "no handler of forks for random bits",
                  std::strerror(reason_of_handler), "Reports need random bits; try again later.");
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
    /// Wipes a page, and stores it for the next generator if there is a free slot.
    static void leave(Page* page) noexcept {
        page->forget();
        for (auto& slot : spare) {
            page = slot.exchange(page, std::memory_order_acq_rel);
            if (page == nullptr) return;
        }
        munmap(page, size);
    }

    void forget() noexcept { explicit_bzero(this, sizeof(Page)); }

    /// Mapping a page costs more than a report. Programs that construct a generator per call, such as calls
    /// from C, reuse the released page. It contains no words.
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
    if (page_->empty()) page_->refill();
    return std::exchange(page_->words[--page_->left], 0);
}

}  // namespace ldp
