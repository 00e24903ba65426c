// Uniform random bits, and exact draws from them.
#pragma once

#include <cstdint>

namespace ldp {

/// A stream of uniform, independent bits. Every random choice of the library goes through this interface, so
/// that tests can replace the operating system by a script and see each choice; the client API offers no way
/// to do so.
class BitSource {
  public:
    BitSource() = default;
    BitSource(const BitSource&) = delete;
    BitSource& operator=(const BitSource&) = delete;
    virtual ~BitSource() = default;

    /// 64 uniform bits.
    [[nodiscard]] virtual std::uint64_t word() = 0;

    /// Uniform on [0, bound), bound ≥ 1, without bias: words that would bias it are drawn again (Lemire
    /// 2019).
    [[nodiscard]] virtual std::uint64_t below(std::uint64_t bound);
};

/// The operating system's cryptographic generator, buffered. A word is wiped from the buffer when it is
/// handed out, and the buffer is empty in a forked child, so no two processes share a word. Use one object
/// per thread.
class SystemRandom final : public BitSource {
  public:
    SystemRandom();
    ~SystemRandom() override;
    [[nodiscard]] std::uint64_t word() override;

  private:
    struct Page;
    Page* page_;
};

}  // namespace ldp
