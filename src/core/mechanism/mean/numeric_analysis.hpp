// Planner, forgery and proof of a mechanism for one number.
#pragma once

#include "core/base/exact.hpp"
#include "core/mechanism/mean/numeric_device.hpp"

namespace ldp {

class NumericAnalysis {
  public:
    explicit NumericAnalysis(const NumericParameters& parameters) : parameters_(parameters) {}
    [[nodiscard]] std::vector<std::pair<std::string, double>> parameters() const;
    [[nodiscard]] std::vector<Stake> stakes() const;
    [[nodiscard]] double likeliest(Bytes payload) const;
    [[nodiscard]] double n_variance(double truth) const;
    [[nodiscard]] double promised_variance_of_part(double part) const;
    [[nodiscard]] Exact probability(Input input, Bytes permanent) const;
    [[nodiscard]] Exact worst_ratio() const;

  private:
    const NumericParameters& parameters_;
};

}  // namespace ldp
