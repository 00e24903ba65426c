// Calls that return an error instead of throwing it, for platforms without exceptions.
#pragma once

#include <functional>
#include <optional>

#include "core/base/error.hpp"

namespace ldp {

/// Calls a function and returns the Error that it raised, if any. Like raise(), this function is replaced on
/// platforms without exceptions: there, the call is abandoned together with its memory. Use it for calls that
/// rarely fail.
[[nodiscard]] std::optional<Error> attempt(const std::function<void()>& something);

}  // namespace ldp
