// Synthetic records of a summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/results/summary_query.hpp"

namespace ldp {

/// Synthetic records: a value for each attribute, and for a number in bins its position in the bin.
struct SyntheticRecords {
    struct SyntheticItem {
        std::uint32_t value;
        float within;
    };
    struct RecordKey {
        std::string name;                 ///< of the attribute, as JSON
        std::vector<std::string> values;  ///< as JSON; empty for a number in bins
        std::vector<double> ends;         ///< of bins
    };
    std::vector<RecordKey> keys = {};
    std::vector<SyntheticItem> items = {};  ///< record after record
    std::size_t count = 0;

    [[nodiscard]] const SyntheticItem& item(std::size_t record, std::size_t attribute) const noexcept {
        return items[record * keys.size() + attribute];
    }
    /// The number of an item of an attribute in bins.
    [[nodiscard]] double number(std::size_t record, std::size_t attribute) const noexcept;
};

/// Draws the records of a query.
[[nodiscard]] SyntheticRecords synthetic_records(const Subject& subject, const SummaryQuery& query);

}  // namespace ldp
