// How much memory is held at once.
#pragma once

#include <cstddef>

namespace ldp::fuzz {

/// Measures this thread's memory from operator new while it lives. At most one of them lives at a time.
class LiveMemory {
  public:
    LiveMemory() noexcept;
    /// The largest number of bytes that were allocated since the beginning and not yet freed.
    [[nodiscard]] std::size_t most() const noexcept;

  private:
    std::size_t before_;
};

}  // namespace ldp::fuzz
