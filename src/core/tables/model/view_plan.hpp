// Which views a second round is best divided among, after a few people have reported in a first one.
#pragma once

#include <string>
#include <vector>

#include "core/tables/measured.hpp"

namespace ldp {

class BitSource;

/// Sets of attributes, each ascending.
using AttributeSets = std::vector<std::vector<std::size_t>>;

/// All sets of two, or of three, of so many attributes.
[[nodiscard]] AttributeSets all_sets(std::size_t attributes, std::size_t of);

/// A way to divide people, and how far fitted tables of what is asked would then be off.
struct ViewPlan {
    std::string word;     ///< "pairs" or "triples"; empty of a list
    AttributeSets views;  ///< a list
    double error;         ///< as a distance in variation, on average over what is asked
};

/// The second round.
struct SecondRound {
    double epsilon;       ///< of cross tables
    double people;        ///< who will report
    AttributeSets asked;  ///< of one to three attributes
};

/// All pairs, all triples, the pairs that depend on each other, and what is asked, with what is in none of
/// these alone; of the least error first. For each, tables are drawn from the first round's fit with the
/// noise that so many people leave in them, and fitted; so the error is that of noise and fit together. What
/// the first round has not told of dependence is taken for independence. Throws Error: invalid_value of sets
/// of more than three attributes, and of people who are not at least 1; unsupported where nothing was told of
/// an attribute.
[[nodiscard]] std::vector<ViewPlan> planned_views(const Measured& first, std::size_t attributes,
                                                  const SecondRound& second, BitSource& bits);

}  // namespace ldp
