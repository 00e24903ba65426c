// What reports can do that no randomizer drew. Nothing tells them from others one by one; what they can do to
// an estimate is bounded, and how often honest reports are equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/estimate.hpp"

namespace ldp {

/// A part of an estimate. An estimate is a sum of parts, each the mean of a term over the reports that are
/// about it.
struct Contribution {
    double chance;    ///< that an honest report is about this part
    Interval terms;   ///< what one report about it can be counted as, forged or not
    Interval truths;  ///< what honest reports about it are counted as on average, whatever the values
};

class Forgery {
  public:
    virtual ~Forgery() = default;

    /// The parts of an estimate that a question asks for, each where forgers get furthest if there are
    /// several: of attribute (or coefficient) question.attribute, the first if none is named, the share of a
    /// value or the mean. None where nothing is told of the attribute, or of a distribution, whose fit is
    /// no sum.
    [[nodiscard]] virtual std::vector<Contribution> contributions(const Question& question) const = 0;
    /// At least the probability of this valid payload, whatever the value behind it.
    [[nodiscard]] virtual double max_probability(Bytes payload) const = 0;
};

/// How far one report among n moves an estimate, times n: the furthest from what honest people's reports can
/// be on average, n being large.
[[nodiscard]] double influence(std::span<const Contribution> contributions);
/// How far an estimate is moved at most, up or down, where this share of all reports, at least 0 and below 1,
/// is forged, all by one plan that knows what the others hold. The honest ones are divided among the parts as
/// is expected.
[[nodiscard]] Interval bias(std::span<const Contribution> contributions, double share);
/// What honest people's value lies in, at this many standard errors, if at most this share of all reports is
/// forged, whatever they say; confined to what it can be.
[[nodiscard]] Interval robust_interval(const Estimate& estimate, double errors,
                                       std::span<const Contribution> contributions, double share);

/// A bound of the chance that among so many reports of as many honest people some value comes as often as one
/// did that has at most this probability in each, whatever people hold.
[[nodiscard]] double chance_of_copies(double max_probability, std::uint64_t copies, std::uint64_t reports);

}  // namespace ldp
