// Planner, forgery and proof of grr.
#pragma once

#include <optional>

#include "core/base/cell.hpp"
#include "core/base/exact.hpp"
#include "core/mechanism/grr/grr_parameters.hpp"
#include "core/mechanism/planner.hpp"

namespace ldp::grr {

/// The parameters must outlive it.
class Analysis {
  public:
    explicit Analysis(const Parameters& parameters) : parameters_(parameters) {}
    [[nodiscard]] double n_variance_of_sum(std::span<const double> weights,
                                           std::span<const double> shares) const;
    [[nodiscard]] double likeliest() const { return parameters_.channel.p(); }
    [[nodiscard]] Cost cost() const noexcept { return {1, static_cast<double>(parameters_.k())}; }
    [[nodiscard]] Exact probability(Input input, Bytes permanent) const;
    [[nodiscard]] Exact worst_ratio() const;

  private:
    const Parameters& parameters_;
};

}  // namespace ldp::grr
