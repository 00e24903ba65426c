// Interruption of long computations by the host. A server registers a function that returns whether to stop.
// Every loop that can be long for a large summary calls it periodically and throws if it returns true.
// Without a handler, as in clients, the check is a comparison with null.
//
// Counting, merging and validating states do not check: they must not throw, and take one pass over the
// bytes. A noexcept function must not call a function that checks: the exception would end the process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/base/bytes.hpp"

namespace ldp {

/// Thrown if the host requests a stop. It is not an Error, and only the host may catch it.
struct Interrupted {};

/// Returns whether to stop; any thread may call it.
using InterruptHandler = bool (*)() noexcept;

inline constinit std::atomic<InterruptHandler> interrupt_handler{nullptr};

/// Throws Interrupted if the host requests a stop.
inline void check_interrupt() {
    const InterruptHandler stop = interrupt_handler.load(std::memory_order_relaxed);
    if (stop != nullptr && stop()) throw Interrupted{};
}

/// Counts the steps of a loop, of some nanoseconds each, and checks for interrupts at its start and about
/// every tenth of a millisecond.
class Work {
  public:
    Work() { check_interrupt(); }
    void done(std::size_t steps = 1) {
        if (steps < left_) {
            left_ -= steps;
            return;
        }
        left_ = segment;
        check_interrupt();
    }

    static constexpr std::size_t segment = std::size_t{1} << 14;

  private:
    std::size_t left_ = segment;
};

/// Calls body(i) for 0..count−1 with interrupt checks between segments, for loops too tight to count steps.
template <class Body>
void for_each_index(std::size_t count, Body body) {
    for (std::size_t i = 0; i < count; check_interrupt())
        for (const std::size_t end = i + std::min(Work::segment, count - i); i < end; ++i) body(i);
}

/// Copies bytes with an interrupt check per megabyte.
inline void copy_in_segments(Bytes from, MutableBytes to) {
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    for (std::size_t i = 0; i < from.size(); i += megabyte, check_interrupt())
        std::ranges::copy(from.subspan(i, std::min(megabyte, from.size() - i)),
                          to.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace ldp
