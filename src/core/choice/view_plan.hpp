// Planning of the views of a second round from the reports of a first round.
#pragma once

#include <string>
#include <vector>

#include "core/tables/measured.hpp"

namespace ldp {

class BitSource;

/// Sets of attributes, each ascending.
using AttributeSets = std::vector<std::vector<std::size_t>>;

/// Returns all sets of `of` (two or three) of the attributes.
[[nodiscard]] AttributeSets all_sets(std::size_t attributes, std::size_t of);

/// A set of views, and the expected error of the fitted tables of the announced queries.
struct ViewPlan {
    std::string word;     ///< "pairs" or "triples"; empty for a list
    AttributeSets views;  ///< a list
    double error;         ///< mean total variation distance over the announced queries
};

/// The settings of the second round.
struct SecondRound {
    double epsilon;       ///< of cross tables
    double people;        ///< expected number of reporting people
    AttributeSets asked;  ///< announced queries of one to three attributes
};

/// Returns plans, the one with the smallest error first: all pairs, all triples, the dependent pairs, and the
/// announced sets. The dependent pairs and the announced sets have single views for all other attributes. For
/// each plan, tables are simulated from the first round's fit with the noise of the second round, and fitted.
/// The error therefore includes noise and bias. Dependence that the first round did not measure is assumed to
/// be zero. Error: invalid_value for sets of more than three attributes and for fewer than 1 people;
/// unsupported if an attribute has no reports.
[[nodiscard]] std::vector<ViewPlan> planned_views(const Measured& first, std::size_t attributes,
                                                  const SecondRound& second, BitSource& bits);

}  // namespace ldp
