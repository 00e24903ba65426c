// The projective space PG(t−1, F_q) over a prime field: points, hyperplanes, and the number of given points
// on each hyperplane.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/bytes.hpp"

namespace ldp {

/// There are as many points as hyperplanes, both numbered from 0. Each is a vector of t coordinates up to a
/// factor, and a point lies on a hyperplane if their inner product is 0.
///   points       The last non-zero coordinate is 1. The number of y = (b₁,…,b_m,1,0,…) is
///                K_m + Σ b_i·q^(i−1), where K_m = (q^m−1)/(q−1) = 1 + q + … + q^(m−1).
///   hyperplanes  The first non-zero coordinate is 1. The number of x = (0,…,0,1,a_(l+2),…,a_t), with l
///   leading
///                zeros, is q·K_l + Σ a_i·K_(i−1).
/// So the points of each m are consecutive. The hyperplanes of each last coordinate are consecutive as well,
/// in the order of all hyperplanes of one dimension less. The recursion of the counts uses this order.
class ProjectiveSpace {
  public:
    static constexpr std::uint64_t max_points = std::uint64_t{1} << 25;
    static constexpr unsigned max_dimension = 25;
    /// Coordinates after the t-th are 0.
    using Vector = std::array<std::uint32_t, max_dimension>;

    /// Returns K_t for a field of q ≥ 2 elements; empty if it exceeds max_points.
    [[nodiscard]] static std::optional<std::uint64_t> size(std::uint64_t q, unsigned t) noexcept;
    /// Returns whether q is a prime and the space has a size. Requires t ≥ 2.
    [[nodiscard]] static bool exists(std::uint64_t q, unsigned t) noexcept;

    /// Requires exists(q, t).
    ProjectiveSpace(std::uint32_t q, unsigned t);

    [[nodiscard]] std::uint32_t field() const noexcept { return q_; }
    [[nodiscard]] unsigned dimension() const noexcept { return t_; }
    /// Return the number of points, of points on a hyperplane, and of points on two different hyperplanes.
    [[nodiscard]] std::uint64_t points() const noexcept { return sizes_[t_]; }
    [[nodiscard]] std::uint64_t points_on_one() const noexcept { return sizes_[t_ - 1]; }
    [[nodiscard]] std::uint64_t points_on_two() const noexcept { return sizes_[t_ - 2]; }
    /// Returns the number of points on three hyperplanes that have no line of vectors in common.
    [[nodiscard]] std::uint64_t points_on_three() const noexcept { return t_ > 2 ? sizes_[t_ - 3] : 0; }

    [[nodiscard]] Vector hyperplane(std::uint64_t number) const noexcept;
    [[nodiscard]] Vector point(std::uint64_t number) const noexcept;
    /// Returns the number of the hyperplane of a non-zero vector.
    [[nodiscard]] std::uint64_t number_of_hyperplane(const Vector& x) const noexcept;
    /// Returns the index of the point of a non-zero vector.
    [[nodiscard]] std::uint64_t number_of_point(const Vector& y) const noexcept;
    /// Returns ⟨x,y⟩ in the field.
    [[nodiscard]] std::uint32_t product(const Vector& x, const Vector& y) const noexcept;

    /// Returns the i-th of the points() − points_on_one() points that are not on a hyperplane.
    [[nodiscard]] std::uint64_t point_off(const Vector& hyperplane, std::uint64_t i) const noexcept;
    /// Returns the i-th point on a hyperplane, for i from 0 to (q−1)·points_on_one() − 1: each point q−1
    /// times.
    [[nodiscard]] std::uint64_t point_on(const Vector& hyperplane, std::uint64_t i) const noexcept;

    /// Returns, for each hyperplane, the sum of the counts of its points. Counts are 64-bit numbers by point.
    /// The cost is about t·q·K additions and two and a half times the memory of the counts (four times if
    /// they add up to 2^32 or more). Sums wrap around on overflow.
    [[nodiscard]] std::vector<std::uint64_t> sums(Bytes counts) const;
    /// Returns the sum of one hyperplane. It reads the counts of its points only, about one in q.
    [[nodiscard]] std::uint64_t sum(const Vector& hyperplane, Bytes counts) const;

  private:
    /// Returns 1/a in the field, for a ≠ 0.
    [[nodiscard]] std::uint64_t inverse(std::uint64_t a) const noexcept;
    [[nodiscard]] std::uint64_t solve(const Vector& hyperplane, std::uint64_t free,
                                      std::uint32_t product) const noexcept;

    std::uint32_t q_;
    unsigned t_;
    std::array<std::uint64_t, max_dimension + 1> sizes_{};   // K_m
    std::array<std::uint64_t, max_dimension + 1> powers_{};  // q^m, for m < t
};

/// Return the nearest prime that is not smaller, or not larger, than a number from 2 to 2^32.
[[nodiscard]] std::uint64_t prime_from(std::uint64_t number) noexcept;
[[nodiscard]] std::uint64_t prime_up_to(std::uint64_t number) noexcept;

}  // namespace ldp
