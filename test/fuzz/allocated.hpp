// How much memory was asked for.
#pragma once

#include <cstddef>

namespace ldp::fuzz {

/// Bytes that this thread asked operator new for, up to now.
[[nodiscard]] std::size_t allocated() noexcept;

}  // namespace ldp::fuzz
