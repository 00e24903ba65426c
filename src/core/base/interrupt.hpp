// How a host stops a long computation. A server gives core a function that says whether to; every loop that a
// large summary can make long asks it now and then, and ends with an exception if it should. Where nobody
// gave a function, as on a device, asking is a comparison with null.
//
// What counts, merges and checks states is left out: it throws nothing, and takes one pass over the bytes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "core/base/bytes.hpp"

namespace ldp {

/// What a computation ends with that the host wants stopped. It is no Error: nothing is wrong, and nobody but
/// the host may catch it.
struct Interrupted {};

/// Says whether to stop; called from whichever computation happens to run.
using InterruptHandler = bool (*)() noexcept;

inline constinit std::atomic<InterruptHandler> interrupt_handler{nullptr};

/// Throws Interrupted if the host wants that.
inline void check_interrupt() {
    const InterruptHandler stop = interrupt_handler.load(std::memory_order_relaxed);
    if (stop != nullptr && stop()) throw Interrupted{};
}

/// Adds up the steps of a loop, of some nanoseconds each, and asks at its beginning and about once in a tenth
/// of a millisecond.
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

/// body(i) for 0..count−1, in stretches between which it is asked: for loops too tight to count their steps.
template <class Body>
void for_each_index(std::size_t count, Body body) {
    for (std::size_t i = 0; i < count; check_interrupt())
        for (const std::size_t end = i + std::min(Work::segment, count - i); i < end; ++i) body(i);
}

/// Copies bytes, asking once a megabyte.
inline void copy_in_segments(Bytes from, MutableBytes to) {
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    for (std::size_t i = 0; i < from.size(); i += megabyte, check_interrupt())
        std::ranges::copy(from.subspan(i, std::min(megabyte, from.size() - i)),
                          to.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace ldp
