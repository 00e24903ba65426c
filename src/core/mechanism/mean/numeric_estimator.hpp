// The server's part of a mechanism for one number.
#pragma once

#include "core/mechanism/error_law.hpp"
#include "core/mechanism/mean/numeric_device.hpp"

namespace ldp {

class NumericEstimator {
  public:
    explicit NumericEstimator(const NumericParameters& parameters) : parameters_(parameters) {}
    [[nodiscard]] bool accumulate(MutableBytes state, Bytes payload) const noexcept;
    void merge(MutableBytes state, Bytes other) const noexcept;
    [[nodiscard]] bool valid_payload(Bytes payload) const noexcept;
    [[nodiscard]] bool valid_state(const Counts& counts) const noexcept;
    [[nodiscard]] std::vector<Estimate> estimate(const Counts& counts, const NumericChannel::Moments& moments,
                                                 Target target) const;
    [[nodiscard]] std::vector<Check> health(const Counts& counts) const;
    [[nodiscard]] ErrorLaw error_law(std::uint64_t n, Target target) const noexcept;

  private:
    const NumericParameters& parameters_;
};

}  // namespace ldp
