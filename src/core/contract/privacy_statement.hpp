// The privacy statement of a spec: what an observer can learn from one response, from one report, from all reports
// of a person and from a group of collections. Everything that states such a bound, in a document, on a page, in SQL or
// in a program, takes it from here. The proofs are the enumerations of core/proof; test/client/statement_test.cpp
// compares both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/spec.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp {

/// A bound of what an observer learns: the probabilities of the same reports under any two values of the person differ
/// by a factor of at most e^ε, except with probability δ. It holds for every previous knowledge of the observer.
struct PrivacyLoss {
    double epsilon = 0;
    double delta = 0;

    /// Returns e^ε, the largest factor by which the odds between two values change. It holds except with probability δ.
    [[nodiscard]] double factor() const noexcept;
    /// Returns an upper bound of the probability of guessing which of two equally likely values a person has:
    /// (e^ε + δ)/(1 + e^ε).
    [[nodiscard]] double right_guess() const noexcept;
    /// Returns an upper bound of the probability of a statement that had the probability `prior` in (0, 1) before:
    /// πe^ε/(πe^ε + 1 − π). It holds except with probability δ.
    [[nodiscard]] double posterior(double prior) const noexcept;
    /// Returns the joint bound of this number of such reports: of one person, or of different people whose
    /// values are guessed together.
    [[nodiscard]] PrivacyLoss times(double count) const noexcept { return {count * epsilon, count * delta}; }

    friend bool operator==(const PrivacyLoss&, const PrivacyLoss&) = default;
};

/// The relation of the reports of one person.
enum class Repetition {
    fresh,     ///< each report is drawn anew, and costs again
    memoized,  ///< an answer that occurs again is reported with its memoized response
    series,    ///< one bound covers the reports of all rounds
};

/// The privacy loss of a group of collections that share a budget.
struct GroupLoss {
    std::string name;
    PrivacyLoss loss;
};

/// A bound of a statement, for surfaces that list all of them.
struct StatedLoss {
    const char* reports;  ///< what it is about: the member of PrivacyStatement
    PrivacyLoss loss;
};

/// The bounds of one spec.
struct PrivacyStatement {
    Repetition repetition = Repetition::fresh;
    /// One report with all that it contains, such as the signal of a spent budget. For a series, it is the
    /// whole series.
    PrivacyLoss report;
    /// One report in the rounds before a budget can have ended, in which the signal depends on no value. Equal to
    /// `report` without a signal.
    PrivacyLoss early_report;
    /// All reports for which the memoized response and the state of the budget stay the same.
    PrivacyLoss answer;
    /// A single memoized response, without the signal. It is the "epsilon" of the spec.
    PrivacyLoss response;
    /// The permanent bits of the signal of a spent budget, which a person pays once; 0 without a signal.
    PrivacyLoss signal;
    /// The largest number of different responses of a person; 0 unless responses are memoized.
    std::uint64_t responses = 0;
    /// All reports of a person over all time; empty if nothing limits their number. With memoized responses it covers
    /// the answers, not the times at which they changed.
    std::optional<PrivacyLoss> person;
    /// All collections of the group.
    std::optional<GroupLoss> group;

    /// Whether reports have a signal of spent budgets.
    [[nodiscard]] bool has_signal() const noexcept { return signal.epsilon > 0; }
    /// Whether a second layer makes one report reveal less than all reports about an answer together.
    [[nodiscard]] bool has_second_layer() const noexcept { return early_report.epsilon < response.epsilon; }
    /// Whether the bounds cover the times at which values changed.
    [[nodiscard]] bool covers_changes() const noexcept { return repetition == Repetition::series; }
    /// Returns the loss of a person after this many different responses, with the signal: the number of fresh reports
    /// without memoized responses.
    [[nodiscard]] PrivacyLoss after(double different) const noexcept;
    /// Returns the bounds that apply, from one report to a group of collections. The bound of a person is missing if
    /// nothing limits the number of reports.
    [[nodiscard]] std::vector<StatedLoss> losses() const;
};

/// Returns the statement of a spec. `mechanism` is the mechanism of the spec.
[[nodiscard]] PrivacyStatement privacy_statement(const Spec& spec, const Mechanism& mechanism);

/// Returns a sentence about the group whose budget pays for the collection; empty without a group.
[[nodiscard]] std::string statement_of_group(const Spec& spec, const Mechanism& mechanism);

}  // namespace ldp
