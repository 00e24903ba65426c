// Bytes on the wire and on disk: little-endian, unaligned, untrusted.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ldp {

using Bytes = std::span<const std::byte>;   ///< read-only
using MutableBytes = std::span<std::byte>;  ///< writable
/// 128 bits: products of two words.
__extension__ using Uint128 = unsigned __int128;

/// Reads a little-endian T at `at`, without alignment requirements.
template <class T>
[[nodiscard]] T load(const std::byte* at) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    std::byte raw[sizeof(T)];
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(raw, at, sizeof(T));
    } else {
        for (std::size_t i = 0; i < sizeof(T); ++i) raw[i] = at[sizeof(T) - 1 - i];
    }
    T value;
    std::memcpy(&value, raw, sizeof(T));
    return value;
}

/// Writes `value` as little-endian at `at`, without alignment requirements.
template <class T>
void store(std::byte* at, T value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(at, &value, sizeof(T));
    if constexpr (std::endian::native != std::endian::little) {
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(at[i], at[sizeof(T) - 1 - i]);
    }
}

/// Adds `amount` to the little-endian counter at `at`.
template <class T>
void add(std::byte* at, T amount) noexcept {
    store<T>(at, load<T>(at) + amount);
}

/// Returns whether every byte is 0.
[[nodiscard]] inline bool all_zero(Bytes bytes) noexcept {
    std::uint64_t found = 0;
    for (; bytes.size() >= sizeof(found); bytes = bytes.subspan(sizeof(found)))
        found |= load<std::uint64_t>(bytes.data());
    for (const std::byte byte : bytes) found |= std::to_integer<std::uint64_t>(byte);
    return found == 0;
}

/// Returns the number of bytes of an input code or index below `cells` ≥ 1.
[[nodiscard]] constexpr std::size_t cell_width(std::uint64_t cells) noexcept {
    return cells <= 1u << 8 ? 1 : (static_cast<std::size_t>(std::bit_width(cells - 1)) + 7) / 8;
}

/// Reads an index of `width` bytes.
[[nodiscard]] inline std::uint64_t load_cell(const std::byte* at, std::size_t width) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(at[i]);
    return value;
}

/// Writes an index in `width` bytes.
inline void store_cell(std::byte* at, std::size_t width, std::uint64_t value) noexcept {
    for (std::size_t i = 0; i < width; ++i) at[i] = static_cast<std::byte>(value >> 8 * i);
}

/// Reads fields from the front of untrusted bytes. Reading past the end is an Error (malformed).
class Reader {
  public:
    /// The bytes must outlive the reader.
    explicit Reader(Bytes bytes) noexcept : rest_(bytes) {}

    /// Reads the next field.
    template <class T>
    [[nodiscard]] T take() {
        need(sizeof(T));
        const T value = load<T>(rest_.data());
        rest_ = rest_.subspan(sizeof(T));
        return value;
    }
    /// Returns the next bytes unchanged.
    [[nodiscard]] Bytes take_bytes(std::size_t size) {
        need(size);
        const Bytes taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }
    /// Returns whether all bytes were read.
    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
    /// Error (malformed) if any bytes are left.
    void finish() const;

  private:
    void need(std::size_t size) const;
    Bytes rest_;
};

/// Appends little-endian fields.
class Writer {
  public:
    /// Appends a field.
    template <class T>
    void put(T value) {
        bytes_.resize(bytes_.size() + sizeof(T));
        store<T>(bytes_.data() + bytes_.size() - sizeof(T), value);
    }
    /// Appends bytes unchanged.
    void put_bytes(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    /// Returns all bytes written.
    [[nodiscard]] std::vector<std::byte>& bytes() noexcept { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

/// Writes lower-case hexadecimal, two digits per byte without a terminator: the text form of reports.
void to_hex(Bytes bytes, char* out) noexcept;
/// Returns the lower-case hexadecimal digits as text.
[[nodiscard]] std::string to_hex(Bytes bytes);
/// Fills `out` (text.size()/2 bytes). Returns false if the length is odd or a character is not a hexadecimal
/// digit.
[[nodiscard]] bool from_hex(std::string_view text, std::byte* out) noexcept;

}  // namespace ldp
