// Records in two layers as the literature reports them, rebuilt from the descriptions for comparison: one
// attribute of each person (ALLOMFREE: Arcolezi, Couchot, Al Bouna, Xiao 2022), all attributes by a divided ε
// (the baseline of the same paper), and one attribute among fake ones (RS+FD: Arcolezi, Couchot, Al Bouna,
// Xiao 2021). Each attribute has the better of L-GRR and L-OSUE.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "../changing/changing_records.hpp"

namespace evaluation {

/// L-GRR or L-OSUE: a permanent response at ε∞, and of it a response for each report, at ε₁ with respect to
/// the value.
class TwoLayerChain {
  public:
    enum class Kind { grr, osue };

    TwoLayerChain(Kind kind, std::size_t size, double epsilon, double report_epsilon);

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The probability that a report supports the value, and that it supports another one.
    [[nodiscard]] double own() const noexcept;
    [[nodiscard]] double other() const noexcept;
    /// The ε of one report, and of the permanent response, from the probabilities.
    [[nodiscard]] double report_epsilon() const noexcept;
    [[nodiscard]] double permanent_epsilon() const noexcept;

    /// L-GRR: a value. L-OSUE: 0 or 1 for each value.
    using Permanent = std::vector<ldp::Cell>;
    [[nodiscard]] Permanent permanent(ldp::Cell value, ldp::BitSource& bits) const;
    /// The response of somebody whose value is not reported: of L-GRR of a uniform value, of L-OSUE of none.
    [[nodiscard]] Permanent fake(ldp::BitSource& bits) const;
    /// Adds a report to the support of each value.
    void report(const Permanent& permanent, ldp::BitSource& bits, std::span<double> support) const;

  private:
    Kind kind_;
    std::size_t size_;
    double p1_, q1_;  ///< the permanent response supports the value, or a given other one
    double p2_, q2_;  ///< the same of a report and the permanent response
};

enum class RecordWay {
    sampled,  ///< one attribute of each person
    split,    ///< all attributes, at ε∞/d and ε₁/d each
    fake,     ///< one attribute, others with fake values, at the ε that is left by the claimed amplification
    fake_at_true_epsilon,  ///< the same without amplification
};

/// One of the ways for attributes of these sizes.
[[nodiscard]] std::unique_ptr<const RecordProtocol> published_records(RecordWay way,
                                                                      const std::vector<std::size_t>& sizes,
                                                                      double epsilon, double report_epsilon);

/// Throws std::logic_error unless the chains have the ε that they are made for, and records among fake ones
/// truly cost ln(d(e^ε − 1) + 1), by enumeration of all reports of small records.
void check_published_records();

}  // namespace evaluation
