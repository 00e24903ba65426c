#include "core/base/attempt.hpp"

namespace ldp {

std::optional<Error> attempt(const std::function<void()>& something) {
    try {
        something();
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

}  // namespace ldp
