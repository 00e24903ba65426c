// Rows about attributes and their values, which most questions are answered in: what it is about, by name;
// the estimate; of how many reports it is; and the numbers behind the names.
#pragma once

#include <cstdint>
#include <limits>

#include "arguments.hpp"
#include "rows.hpp"

namespace ldp {

/// Row type ldp_answer: attribute, label, estimate, stderr, lower, upper, n, attribute_number, value.
struct Answers {
    /// Instead of a number, where the row is about no single attribute or value.
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    struct Row {
        std::uint32_t attribute, value;
        Estimate estimate;
        std::uint64_t n;
    };

    Legend legend = {};
    double reach = 0;  ///< of an interval, in standard errors
    /// Whether n is shown, and a p-value after it.
    bool counted = true, tested = false;
    Row* rows = nullptr;
    double* p_values = nullptr;
    std::size_t count = 0;

    void write(Columns& columns, std::size_t row) const {
        const auto& [attribute, value, estimate, n] = rows[row];
        attribute == none ? columns.put_nothing() : columns.put(legend.name(attribute), false);
        value == none ? columns.put_nothing() : columns.put(legend.label(attribute, value), false);
        columns.put(estimate.value);
        columns.put(estimate.standard_error);
        columns.put(estimate.value - reach * estimate.standard_error);
        columns.put(estimate.value + reach * estimate.standard_error);
        if (counted) columns.put(n);
        if (tested) columns.put(p_values[row]);
        columns.put(Int32GetDatum(static_cast<std::int32_t>(attribute)), attribute == none);
        columns.put(Int32GetDatum(static_cast<std::int32_t>(value)), value == none);
    }

    // Allowed beside C++ objects: rows may be millions, so they are written once, where they stay.

    void reserve(std::size_t room) {
        rows = static_cast<Row*>(try_palloc(room * sizeof(Row)));
        if (tested) p_values = static_cast<double*>(try_palloc(room * sizeof(double)));
    }
    void add(std::size_t attribute, std::size_t value, const Estimate& estimate, std::uint64_t n,
             double p_value = unknown) noexcept {
        rows[count] = {static_cast<std::uint32_t>(attribute), static_cast<std::uint32_t>(value), estimate, n};
        if (tested) p_values[count] = p_value;
        ++count;
    }
};

}  // namespace ldp
