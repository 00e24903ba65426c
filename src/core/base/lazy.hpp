// What is made when it is first asked for.
#pragma once

#include <atomic>
#include <memory>

namespace ldp {

/// A value that is made at the first question, whichever thread asks. Threads that ask at the same time may
/// each make it; all of them are given the same one.
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
