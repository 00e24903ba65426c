// The two inputs that tests of attacks distinguish.
#pragma once

#include <vector>

#include "core/proof/attack.hpp"

namespace ldp::test {

/// The lowest and the highest value of every attribute.
struct ExtremeInputs {
    explicit ExtremeInputs(const PrivacyProof& m) : first(m.input_cells().size(), 0) {
        for (const std::uint64_t each : m.input_cells()) second.push_back(each - 1);
        series.first = first;
        series.second = second;
    }
    ExtremeInputs(const ExtremeInputs&) = delete;
    ExtremeInputs& operator=(const ExtremeInputs&) = delete;

    std::vector<Cell> first, second;
    Series series;  ///< of one round with these inputs
};

}  // namespace ldp::test
