// Subset selection: a set of w out of k values, which contains the true value with a higher weight (Wang et
// al. 2016; Ye, Barg 2018). This response has the smallest variance for shares of values, for any k.
#pragma once

#include <array>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/input_code.hpp"
#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

class Exact;  // exact.hpp

/// Each set that contains the true value has the weight `high`, every other set `low`. With w = 1 this is
/// randomized response.
class SubsetChannel {
  public:
    /// Requires 1 ≤ size < domain.
    SubsetChannel(std::uint64_t domain, std::uint64_t size, double epsilon)
        : k_(domain), w_(size), odds_(odds(epsilon, size, domain - size)) {}

    [[nodiscard]] std::uint64_t domain() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t size() const noexcept { return w_; }
    /// Returns high / low. Since 1 ≤ w < k, every set contains a value and excludes another.
    [[nodiscard]] Odds worst_ratio() const noexcept { return odds_; }
    /// Return the probability that the set contains the true value (p), or any other given value (q).
    [[nodiscard]] double p() const noexcept;
    [[nodiscard]] double q() const noexcept;

    [[nodiscard]] std::vector<bool> sample(Cell value, BitSource& bits) const;
    /// Returns the probability of each set that contains the value, or of each that does not.
    [[nodiscard]] Exact probability(bool holds) const;
    /// Returns the probability of a set that contains the value; it may round to 0 for very large sets.
    [[nodiscard]] double max_probability() const;

    /// Returns the mean square of a report's term in Σ v·(estimated share), which is Σ v·(in the set − q)/(p
    /// − q). The arguments are the sums of v and v² over all values, and the means of v and v² over the users
    /// at their own values.
    struct FunctionSums {
        double all = 0, all_squares = 0, own = 0, own_squares = 0, all_cubes = 0, own_cubes = 0;
    };
    [[nodiscard]] double mean_square(const FunctionSums& sums) const noexcept;
    /// Returns the mean cube, which also uses the sums of v³. It treats the values of a set as independent,
    /// and is exact for sets of one value if few v are not 0.
    [[nodiscard]] double mean_cube(const FunctionSums& sums) const noexcept;
    /// Returns mean_square() per unit of Σ v² if users are spread evenly and the v add up to 0.
    [[nodiscard]] double contrast() const noexcept;

    /// Returns the size with the smallest variance of a share of 0, about k/(e + 1) with e = exp(ε).
    [[nodiscard]] static std::uint64_t best_size(double epsilon, std::uint64_t domain) noexcept;

  private:
    [[nodiscard]] std::uint64_t total() const noexcept { return w_ * odds_.high + (k_ - w_) * odds_.low; }

    std::uint64_t k_;
    std::uint64_t w_;
    Odds odds_;
};

/// The encoding of a set: k bits, lowest first, or the ascending list of its values if that is shorter.
class SetCode {
  public:
    SetCode(std::uint64_t domain, std::uint64_t size) noexcept;

    [[nodiscard]] bool lists() const noexcept { return lists_; }
    [[nodiscard]] std::size_t width() const noexcept { return width_; }
    void write(const std::vector<bool>& set, MutableBytes out) const noexcept;
    /// Returns whether the bytes encode a set of that size.
    [[nodiscard]] bool valid(Bytes written) const noexcept;
    [[nodiscard]] bool holds(Bytes written, Cell value) const noexcept;
    /// Returns the i-th value of a list.
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
