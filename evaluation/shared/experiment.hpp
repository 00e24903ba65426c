// A spec, the reports made under it, and the numeric numeric randomizers by their variances: what the methods
// compared are made of. Values are on [−1,1].
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace evaluation {

/// Reports of people, counted as they come.
class Experiment {
  public:
    explicit Experiment(const std::string& json);

    /// One person reports. A number is placed on the grid over its declared range. A category of k
    /// values is one of k points from −1 to 1. A position between two points is rounded at random, so
    /// that the mean is preserved.
    void ask(std::span<const double> person, ldp::BitSource& bits);
    /// One person reports cells as they are.
    void count(ldp::Input cells, ldp::BitSource& bits);

    [[nodiscard]] const ldp::Spec& spec() const noexcept { return spec_; }
    [[nodiscard]] const ldp::Mechanism& mechanism() const noexcept { return *mechanism_; }
    [[nodiscard]] const std::vector<std::byte>& summary() const noexcept { return summary_; }
    /// The reports about one attribute.
    [[nodiscard]] ldp::SummaryView part(std::size_t attribute) const;
    /// The mean of each attribute.
    [[nodiscard]] std::vector<double> means() const;
    /// One of the mechanism's parameters.
    [[nodiscard]] double parameter(const std::string& name) const;

  private:
    struct Scale {
        double low, high, steps;
    };
    ldp::Spec spec_;
    std::unique_ptr<const ldp::Mechanism> mechanism_;
    std::vector<Scale> scales_;
    std::vector<ldp::Cell> cells_;
    std::vector<std::byte> summary_;
};

/// "attributes" for a spec: d numbers on [−1,1], each with this text behind its range.
[[nodiscard]] std::string numbers(std::size_t d, const std::string& more = {});

/// A numeric randomizer at some ε on [−1,1], with these further keys of its spec.
class NumericCandidate {
  public:
    NumericCandidate(const char* name, double epsilon, const std::string& more = {});
    [[nodiscard]] const char* name() const noexcept { return name_; }
    /// n·Var that it adds to the mean if all values are this one, on a range of this middle and half-width.
    [[nodiscard]] double noise(double value, double middle = 0, double half = 1) const {
        return half * half * mechanism_->n_variance((value - middle) / half);
    }

  private:
    const char* name_;
    std::unique_ptr<const ldp::Mechanism> mechanism_;
};

}  // namespace evaluation
