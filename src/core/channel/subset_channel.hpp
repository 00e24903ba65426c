// A set of w out of k values, one that holds the true value with a higher weight (Wang et al. 2016; Ye, Barg
// 2018): the response of least variance for shares of values, whatever k.
#pragma once

#include <array>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

class Exact;  // exact.hpp

/// Every set that holds the true value is `high` likely, every other `low`, in proportion. With w = 1 it is
/// randomized response.
class SubsetChannel {
  public:
    /// 1 ≤ size < domain.
    SubsetChannel(std::uint64_t domain, std::uint64_t size, double epsilon)
        : k_(domain), w_(size), odds_(odds(epsilon, size, domain - size)) {}

    [[nodiscard]] std::uint64_t domain() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return w_; }
    /// high / low. As 1 ≤ w < k, every set holds a value and leaves one out.
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }
    /// The probability that the true value, and any other, is in the set.
    [[nodiscard]] double p() const noexcept;
    [[nodiscard]] double q() const noexcept;

    [[nodiscard]] std::vector<bool> sample(Cell value, BitSource& bits) const;
    /// Of each set that holds the value, or of each that does not.
    [[nodiscard]] Exact probability(bool holds) const;
    /// Of a set that holds the value; of very large ones what is left of it by rounding.
    [[nodiscard]] double max_probability() const;

    /// What a report adds to Σ v·(estimated share) is Σ v·(in the set − q)/(p − q). From the sums of v and v²
    /// over all values, and the means of v and v² over the people, at their own values: its mean square.
    struct FunctionSums {
        double all = 0, all_squares = 0, own = 0, own_squares = 0, all_cubes = 0, own_cubes = 0;
    };
    [[nodiscard]] double mean_square(const FunctionSums& sums) const noexcept;
    /// Its mean cube, with the sums of v³ as well, as if a set held each value by itself; exact of sets of
    /// one value where few v are not 0.
    [[nodiscard]] double mean_cube(const FunctionSums& sums) const noexcept;
    /// The same where people are evenly spread and the v add up to 0, per unit of Σ v²: what a set is worth.
    [[nodiscard]] double contrast() const noexcept;

    /// The size of least variance of a share that nobody has, about k/(e + 1), e = exp(ε).
    [[nodiscard]] static std::uint64_t best_size(double epsilon, std::uint64_t domain) noexcept;

  private:
    [[nodiscard]] std::uint64_t total() const noexcept { return w_ * odds_.high + (k_ - w_) * odds_.low; }

    std::uint64_t k_;
    std::uint64_t w_;
    Odds odds_;
};

/// How a set is written: as k bits, lowest first, or as the ascending list of its values where that is
/// shorter.
class SetCode {
  public:
    SetCode(std::uint64_t domain, std::uint64_t size) noexcept;

    [[nodiscard]] bool lists() const noexcept { return lists_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    void write(const std::vector<bool>& set, MutableBytes out) const noexcept;
    /// Whether it is a set of that size.
    [[nodiscard]] bool valid(Bytes written) const noexcept;
    [[nodiscard]] bool holds(Bytes written, Cell value) const noexcept;
    /// The i-th value of a list.
    [[nodiscard]] Cell listed(Bytes written, std::size_t i) const noexcept {
        return load_cell(written.data() + i * cell_, cell_);
    }

  private:
    std::uint64_t k_, w_;
    std::size_t cell_;
    bool lists_;
    std::size_t width_;
};

}  // namespace ldp
