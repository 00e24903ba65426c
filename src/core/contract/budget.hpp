// What a person who reports again and again may spend.
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

/// What a person may spend over all time, and what happens then.
struct Budget {
    /// What becomes of a person whose value would need a new response.
    enum class WhenSpent {
        repeat,  ///< the value is given the response of the nearest value that has one
        stop,    ///< the person sends no further reports
    };
    double epsilon;                            ///< over all time, in this collection
    WhenSpent when_spent = WhenSpent::repeat;  ///< and what happens then
    /// Whether reports have a signal of a spent budget that repeats; empty: if the budget pays for it.
    std::optional<bool> report_spent = std::nullopt;
    /// The group whose budget pays for this collection; empty: the collection has a budget of its own.
    std::optional<BudgetGroup> group = std::nullopt;

    /// How many responses at ε each it pays for, as decimals have it: 0.3 pays for three at 0.1, although the
    /// sum of their nearest doubles is larger by one part in 10^16.
    [[nodiscard]] std::uint64_t responses(double each) const noexcept;
    friend bool operator==(const Budget&, const Budget&) = default;
};

}  // namespace ldp
