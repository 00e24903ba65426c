// NOT PRIVATE. The released program's path for the changing attribute of the source thesis.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "../competitors/published_haar.hpp"

namespace evaluation {

/// A chain of two randomized responses over `buckets` values, by ε of the memoized response and ε₁ of one
/// report: the probability of the input, and of one other value, in each layer (Arcolezi et al. 2023).
struct ResponseChain {
    ResponseChain(double buckets, double epsilon, double report_epsilon);
    double keep, other, keep_again, other_again;
};

/// A hash function of the person maps the value to one of two buckets. The bucket is randomized at ε, and
/// again so that a report would cost 0.2. As ±1 it is the last attribute of the record, which the released
/// form perturbs. The server rounds the last entry of the inverse transform, counts for each value the people
/// whose hash agrees, clips estimates at 0 and scales them to 1. It assumes ε₁ = 0.4 ε and the best number of
/// buckets for it, also where these are not the client's.
class ReleasedCounts {
  public:
    ReleasedCounts(std::size_t attributes, double epsilon);

    /// A person's device. It memoizes the first response for each bucket, and the perturbed record for each
    /// whole record; the second response is fresh in each round.
    class Device {
      public:
        explicit Device(ldp::BitSource& bits) : function_(bits.word()) {}
        /// The last entry that the server reconstructs from a report, rounded. `record` has all attributes;
        /// the last one is replaced.
        double report(const ReleasedCounts& counts, std::span<const double> record, std::size_t value,
                      ldp::BitSource& bits);
        [[nodiscard]] std::uint64_t function() const noexcept { return function_; }
        /// The number of perturbed records.
        [[nodiscard]] std::size_t responses() const noexcept { return records_.size(); }

      private:
        std::uint64_t function_;
        std::optional<bool> buckets_[2];
        std::map<bool, double> records_;
    };

    /// Adds what the server counts for each value from one rounded entry.
    void count(const Device& device, double found, std::span<double> counts) const;
    /// Shares of the values from the counts of n people.
    [[nodiscard]] std::vector<double> shares(std::vector<double> counts, double n) const;

  private:
    ReleasedHaar form_;
    ResponseChain device_;
    std::uint64_t buckets_;
    ResponseChain server_;
};

}  // namespace evaluation
