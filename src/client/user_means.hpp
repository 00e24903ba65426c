// People with many values: their averages, so that one report protects all that a person has.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/collection.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

/// Takes records in any order, each with the person it is about, and gives one record for each person: the
/// averages of the person's values. Whoever reports this record once spends ε once, however many values there
/// were and however they depend on each other: what is protected is the person, not the value. Neither does a
/// report tell how many there were.
///
/// Products are those of the averages, so that a regression is one of people's own means.
///
/// What is estimated is then the mean of people's means, each person counting once, and its error against a
/// population is that of drawing people.
///
/// Values are averaged as they are, and only a person's mean is moved into the declared range, if need be, by
/// Collection::encode: so single values outside it do no harm, and every number that was changed is counted.
///
/// Memory grows with the number of people, not of their values: a person may come again at any time, and a
/// second report of theirs would spend ε twice.
class UserMeans {
  public:
    /// Throws Error (invalid_value) if people give a category, which has no average; of a number in bins, the
    /// report is of the bin that the average lies in.
    explicit UserMeans(const Spec& spec);

    /// Takes a record of a person, whom any text but an empty one names, with one number for each attribute
    /// but products, in the spec's order. Throws Error (invalid_value), and nothing changes, if the user has
    /// no name, or the record another length than the spec or a value that is no finite number.
    void add(std::string_view user, std::span<const Value> record);

    /// People so far, numbered from 0 in the order in which they first came.
    [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
    /// The averages of a person, user < size(): one for each attribute but products, in the spec's order, as
    /// Collection::encode and Client::report take them.
    [[nodiscard]] std::vector<Value> record(std::size_t user) const;

  private:
    std::vector<std::string> names_;  ///< of the attributes that people give
    std::unordered_map<std::string, std::size_t> users_;
    std::vector<std::uint64_t> counts_;  ///< for each person, how many records
    std::vector<double> means_;          ///< for each person, one for each attribute
};

}  // namespace ldp
