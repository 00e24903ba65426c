// The budget of a person who reports repeatedly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ldp {

/// A group of collections that share one budget of each person.
struct BudgetGroup {
    std::string name;  ///< equal in all specs of the group
    double epsilon;    ///< budget of a person for all collections of the group; equal in all of its specs
    friend bool operator==(const BudgetGroup&, const BudgetGroup&) = default;
};

/// The total budget of a person, and the behaviour when it is spent.
struct Budget {
    /// The behaviour for a value that would need a new response.
    enum class WhenSpent {
        repeat,  ///< the value is reported by the response of the nearest value with a response
        stop,    ///< the person sends no further reports
    };
    double epsilon;                            ///< over all time, in this collection
    WhenSpent when_spent = WhenSpent::repeat;  ///< and what happens then
    /// Whether reports have a signal of a spent budget that repeats; empty: only if the budget pays for the signal.
    std::optional<bool> report_spent = std::nullopt;
    /// The group whose budget pays for this collection; empty: the collection has a separate budget.
    std::optional<BudgetGroup> group = std::nullopt;

    /// Returns the number of responses at ε each that the budget pays for, in decimal arithmetic: 0.3 pays for three responses
    /// at 0.1, although the sum of their nearest doubles is larger by one part in 10^16.
    [[nodiscard]] std::uint64_t responses(double each) const noexcept;
    friend bool operator==(const Budget&, const Budget&) = default;
};

}  // namespace ldp
