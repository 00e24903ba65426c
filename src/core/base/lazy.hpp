// What is made when it is first asked for.
#pragma once

#include <mutex>
#include <optional>

namespace ldp {

/// A value that is made once, at the first question, whichever thread asks.
template <class T>
class Lazy {
  public:
    template <class Make>
    [[nodiscard]] const T& get(const Make& make) const {
        const std::lock_guard lock(mutex_);
        if (!value_) value_.emplace(make());
        return *value_;
    }

  private:
    mutable std::mutex mutex_;
    mutable std::optional<T> value_;
};

}  // namespace ldp
