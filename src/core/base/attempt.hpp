// Going on after an error, where a device may have no exceptions.
#pragma once

#include <functional>
#include <optional>

#include "core/base/error.hpp"

namespace ldp {

/// Does something, and returns the Error that it raised, if it did. Like raise(), this one function has
/// another form on such a device: what was begun is abandoned there, and its memory with it. So it is for
/// what seldom fails.
[[nodiscard]] std::optional<Error> attempt(const std::function<void()>& something);

}  // namespace ldp
