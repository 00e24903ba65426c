// Public partitions of an ordered domain into few buckets, each a run of neighbouring points. The k points
// have k − 1 cuts between neighbours, which are dealt to `offsets` partitions in turn. Partition o has the
// cuts before the points 1 + o, 1 + o + offsets, 1 + o + 2·offsets and so on. Each cut belongs to one
// partition, and a partition has at most buckets − 1 cuts.
//
// On a circle, the last point is next to the first one. Half of the partitions then begin at the first point
// and half at the opposite one, so that no two neighbours are separated by all partitions. Points are
// renumbered from the point where the partition begins.
#pragma once

#include <cstdint>

#include "core/base/input_code.hpp"

namespace ldp {

class PublicCuts {
  public:
    /// Requires points ≥ 2 and 2 ≤ buckets ≤ points; a circle has three points or more.
    PublicCuts(std::uint64_t points, std::uint64_t buckets, bool circle) noexcept
        : points_(points),
          buckets_(buckets),
          offsets_((points - 1 + buckets - 2) / (buckets - 1)),
          starts_(circle ? 2 : 1) {}

    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }
    [[nodiscard]] std::uint64_t buckets() const noexcept { return buckets_; }
    [[nodiscard]] std::uint64_t offsets() const noexcept { return offsets_; }
    /// Returns the number of points at which partitions begin: 1, or 2 on a circle.
    [[nodiscard]] std::uint64_t starts() const noexcept { return starts_; }
    [[nodiscard]] bool circle() const noexcept { return starts_ == 2; }
    [[nodiscard]] std::uint64_t partitions() const noexcept { return starts_ * offsets_; }

    /// Returns the point at which partitions with this start begin.
    [[nodiscard]] std::uint64_t first_point(std::uint64_t start) const noexcept {
        return start * points_ / 2;
    }
    /// Returns the number of a point counted from that point.
    [[nodiscard]] std::uint64_t place(std::uint64_t start, std::uint64_t point) const noexcept {
        const std::uint64_t first = first_point(start);
        return point >= first ? point - first : point + points_ - first;
    }
    /// Returns the bucket of a point.
    [[nodiscard]] std::uint64_t bucket(std::uint64_t partition, std::uint64_t point) const noexcept {
        return (place(partition / offsets_, point) + offsets_ - 1 - partition % offsets_) / offsets_;
    }
    /// The cut before the point at a place from 1 on: its offset, and the last bucket before it.
    struct PublicCut {
        std::uint64_t offset, bucket;
    };
    [[nodiscard]] PublicCut cut(std::uint64_t place) const noexcept {
        return {(place - 1) % offsets_, (place - 1) / offsets_};
    }
    /// Returns the number of cuts of an offset.
    [[nodiscard]] std::uint64_t cuts(std::uint64_t offset) const noexcept {
        return (points_ - 2 - offset) / offsets_ + 1;
    }

  private:
    std::uint64_t points_, buckets_, offsets_, starts_;
};

}  // namespace ldp
