// Values that are computed on first use.
#pragma once

#include <atomic>
#include <memory>

namespace ldp {

/// A value that is computed on first use by any thread. Concurrent threads may compute it several times, but
/// all get the same object.
template <class T>
class Lazy {
  public:
    Lazy() = default;
    Lazy(const Lazy&) = delete;
    Lazy& operator=(const Lazy&) = delete;
    ~Lazy() { delete made_.load(); }

    template <class Make>
    [[nodiscard]] const T& get(const Make& make) const {
        const T* known = made_.load();
        if (known == nullptr) {
            auto fresh = std::make_unique<const T>(make());
            if (made_.compare_exchange_strong(known, fresh.get())) known = fresh.release();
        }
        return *known;
    }

  private:
    mutable std::atomic<const T*> made_{nullptr};
};

}  // namespace ldp
