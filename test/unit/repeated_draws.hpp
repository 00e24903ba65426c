// Estimates by seeded, reproducible simulation. The thresholds are six standard deviations from the
// expectation. For a correct program and a new seed, a check fails with probability 2e-9, and a suite of
// fewer than 500 checks with less than 1e-6. The coverage band, 93 to 97 %, has a margin of six or more
// standard deviations on either side from 5000 repetitions on.
#pragma once

#include <map>

#include "support.hpp"

namespace ldp::test {

/// What repetitions of one experiment gave, item by item.
struct Simulation {
    std::size_t repetitions = 0;
    std::vector<double> sum, square, covered;

    void add(const std::vector<Estimate>& estimates, const std::vector<double>& truth);
    void add(const std::vector<Estimate>& estimates, const std::vector<Interval>& intervals,
             const std::vector<double>& truth);
    [[nodiscard]] double bias(std::size_t i) const { return sum[i] / static_cast<double>(repetitions); }
    [[nodiscard]] double variance(std::size_t i) const {
        return square[i] / static_cast<double>(repetitions) - bias(i) * bias(i);
    }

    void check_unbiased() const;
    /// The spread of a sample variance is √(2/R) of it for near-normal estimates.
    void check_variance(std::size_t i, double expected) const;
    /// Discrete tests may cover a little more than 97 %.
    void check_coverage(double most = 0.97) const;
};

/// `people` report again and again; the truth is what they hold.
[[nodiscard]] Simulation simulate(const Mechanism& m, const std::vector<std::vector<Cell>>& people,
                                  const std::vector<double>& truth, Quantity quantity,
                                  std::size_t repetitions, std::uint64_t seed);

/// A user as a device: an public randomness, and a permanent response for each key so far.
class Device {
  public:
    Device(const Mechanism& m, BitSource& bits);
    /// Makes the payload of a report, and says which permanent response it is of: as long as the device
    /// lives, one that is kept stays in its place.
    const std::byte* report(Input input, MutableBytes payload);
    [[nodiscard]] std::size_t keys() const { return permanents_.size(); }

  private:
    const Mechanism& m_;
    BitSource& bits_;
    std::vector<std::byte> public_;
    std::map<std::vector<Cell>, std::vector<std::byte>> permanents_;
};

/// Running sums.
[[nodiscard]] std::vector<double> cumulated(std::span<const double> shares);
/// n people who are distributed over the cells like the shares, as nearly as whole people can be.
[[nodiscard]] std::vector<Cell> people_of(const std::vector<double>& shares, std::size_t n);
/// How people are distributed over cells 0 to cells − 1.
[[nodiscard]] std::vector<double> shares_among(const std::vector<Cell>& people, std::size_t cells);
/// What people with one value each report.
[[nodiscard]] OwnedSummary reported(const Mechanism& m, const std::vector<Cell>& people, BitSource& bits);

/// Bias, variance and coverage of a frequency oracle over four values, held by 60 %, 30 %, 10 % and none of
/// 300 people, in 20000 repetitions. `rest` goes on with the spec after epsilon and "domain": 4.
void check_oracle(const std::string& name, double epsilon, std::uint64_t seed, const std::string& rest = {});

/// p, q and variances against test/data/golden.csv, for its epsilons and domains.
void check_golden_oracle(const std::string& name);

}  // namespace ldp::test
