// Small services to text and bytes that several parts need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ldp {

/// The text, or if it has more than `most` (≥ 3) bytes its beginning and "...", cut between UTF-8 characters.
[[nodiscard]] inline std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t cut = most - 3;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
    return std::string(text.substr(0, cut)) + "...";
}

/// A 64-bit hash (FNV-1a) that tells contents apart: against mix-ups, not against forgers.
class ContentHash {
  public:
    void add(std::string_view bytes) noexcept {
        for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace ldp
