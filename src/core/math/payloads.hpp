// The payloads of a batch, seen as columns: payloads of one size at equal distances. Counting them together
// avoids a call for each report. Payloads of a batch are sorted, so that equal ones are adjacent.
#pragma once

#include <algorithm>
#include <bit>
#include <span>

#include "core/base/bytes.hpp"

namespace ldp {

class Payloads {
  public:
    /// `count` payloads of `size` bytes, each `stride` ≥ size bytes after the previous one.
    Payloads(const std::byte* first, std::size_t count, std::size_t size, std::size_t stride) noexcept
        : first_(first), count_(count), size_(size), stride_(stride) {}

    /// Returns the number of payloads.
    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    /// Returns the size of a payload in bytes.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
    [[nodiscard]] const std::byte* at(std::size_t i) const noexcept { return first_ + i * stride_; }
    [[nodiscard]] Bytes operator[](std::size_t i) const noexcept { return {at(i), size_}; }

    /// Returns the same bytes of each payload: `size` bytes that start at byte `from`.
    [[nodiscard]] Payloads part(std::size_t from, std::size_t size) const noexcept {
        return {first_ + from, count_, size, stride_};
    }
    /// Returns `count` payloads that start at number `from`.
    [[nodiscard]] Payloads range(std::size_t from, std::size_t count) const noexcept {
        return {at(from), count, size_, stride_};
    }

    /// Returns the number of the first payload after number i that differs from it.
    [[nodiscard]] std::size_t run_end(std::size_t i) const noexcept {
        switch (size_) {
            case 1:
                return run_end_of<1>(i);
            case 2:
                return run_end_of<2>(i);
            case 3:
                return run_end_of<3>(i);
            case 4:
                return run_end_of<4>(i);
            default:
                std::size_t end = i + 1;
                while (end < count_ && std::memcmp(at(i), at(end), size_) == 0) ++end;
                return end;
        }
    }
    static constexpr std::uint64_t not_bits = ~std::uint64_t{0};
    /// Returns the number of payloads of one byte that are 1, or not_bits if one is neither 0 nor 1.
    [[nodiscard]] std::uint64_t ones() const noexcept {
        constexpr std::uint64_t one_each = ~std::uint64_t{0} / 0xFF;
        std::uint64_t seen = 0, ones = 0;
        std::size_t i = 0;
        for (; stride_ == 1 && count_ - i >= sizeof(seen); i += sizeof(seen)) {
            const auto word = load<std::uint64_t>(at(i));
            seen |= word;
            ones += word * one_each >> 56;  // the sum of the bytes
        }
        for (; i < count_; ++i) {
            const std::uint64_t byte = cell_at<1>(at(i));
            seen |= byte;
            ones += byte;
        }
        return (seen & ~one_each) == 0 ? ones : not_bits;
    }
    /// Calls visit(payload, number of times) for each run of equal payloads, until it returns false. Returns
    /// true if no call returned false.
    template <class Visit>
    [[nodiscard]] bool for_each_run(Visit visit) const {
        for (std::size_t i = 0; i < count_;) {
            const std::size_t end = run_end(i);
            if (!visit((*this)[i], std::uint64_t{end - i})) return false;
            i = end;
        }
        return true;
    }
    /// Calls visit(payloads) for each run of payloads whose first `size` bytes are equal, as for_each_run().
    template <class Visit>
    [[nodiscard]] bool for_each_group(std::size_t size, Visit visit) const {
        const Payloads keys = part(0, size);
        for (std::size_t i = 0; i < count_;) {
            const std::size_t end = keys.run_end(i);
            if (!visit(range(i, end - i))) return false;
            i = end;
        }
        return true;
    }

    /// The number of cells that for_each_cells() reads at once.
    static constexpr std::size_t most_cells = 256;
    /// Reads payloads that are indexes below `cells`. Calls visit(indexes) for at most most_cells of them at a
    /// time. Returns false at an index that is too large.
    template <class Visit>
    [[nodiscard]] bool for_each_cells(std::uint64_t cells, Visit visit) const {
        std::uint64_t read[most_cells];
        for (std::size_t i = 0; i < count_; i += most_cells) {
            const Payloads some = range(i, std::min(most_cells, count_ - i));
            if (some.load_cells(read) >= cells) return false;
            visit(std::span<const std::uint64_t>(read, some.count()));
        }
        return true;
    }

  private:
    /// Same as load_cell(), for a size known at compile time.
    template <std::size_t size>
    [[nodiscard]] static std::uint64_t cell_at(const std::byte* at) noexcept {
        if constexpr (size == 1) return std::to_integer<std::uint64_t>(at[0]);
        if constexpr (size == 2) return load<std::uint16_t>(at);
        if constexpr (size == 3) return load<std::uint16_t>(at) | std::to_integer<std::uint64_t>(at[2]) << 16;
        if constexpr (size == 4) return load<std::uint32_t>(at);
    }
    /// Compares words full of payloads, or eight payloads with gaps, as long as they are equal.
    template <std::size_t size>
    [[nodiscard]] std::size_t run_end_of(std::size_t i) const noexcept {
        const std::uint64_t first = cell_at<size>(at(i));
        std::size_t end = i + 1;
        if constexpr (std::has_single_bit(size)) {
            constexpr std::size_t in_word = sizeof(std::uint64_t) / size;
            const std::uint64_t equal = first * (~std::uint64_t{0} / ((std::uint64_t{1} << 8 * size) - 1));
            for (; stride_ == size && count_ - end >= in_word; end += in_word) {
                const std::uint64_t differing = load<std::uint64_t>(at(end)) ^ equal;
                if (differing != 0)
                    return end + static_cast<std::size_t>(std::countr_zero(differing)) / (8 * size);
            }
        }
        constexpr std::size_t together = 8;
        for (std::uint64_t differing = 0; count_ - end >= together; end += together) {
            for (std::size_t k = 0; k < together; ++k) differing |= cell_at<size>(at(end + k)) ^ first;
            if (differing != 0) break;
        }
        while (end < count_ && cell_at<size>(at(end)) == first) ++end;
        return end;
    }
    template <std::size_t size>
    [[nodiscard]] std::uint64_t load_cells_of(std::uint64_t* cells) const noexcept {
        std::uint64_t most = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            cells[i] = cell_at<size>(at(i));
            most = std::max(most, cells[i]);
        }
        return most;
    }
    /// Reads all payloads as indexes and returns the largest one.
    [[nodiscard]] std::uint64_t load_cells(std::uint64_t* cells) const noexcept {
        switch (size_) {
            case 1:
                return load_cells_of<1>(cells);
            case 2:
                return load_cells_of<2>(cells);
            case 3:
                return load_cells_of<3>(cells);
            default: {
                std::uint64_t most = 0;
                for (std::size_t i = 0; i < count_; ++i) {
                    cells[i] = load_cell(at(i), size_);
                    most = std::max(most, cells[i]);
                }
                return most;
            }
        }
    }

    const std::byte* first_;
    std::size_t count_, size_, stride_;
};

}  // namespace ldp
