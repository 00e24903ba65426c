// What attributes and values are called, and sets of values in the words of a question.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/math/cross_tables.hpp"

namespace ldp {

/// Names as a collection's spec gives them; numbers where there is none.
class Names {
  public:
    /// `legend` is a JSON array of attributes, each with "name" and "domain", a number or its labels; of a
    /// number in bins also "min", "max" and "edges". It may be empty. Throws Error (malformed) if it is
    /// anything else, or is about other attributes than those with so many values.
    Names(std::string_view legend, std::span<const std::uint64_t> sizes);

    [[nodiscard]] const std::string& attribute(std::size_t number) const { return all_[number].name; }
    [[nodiscard]] std::string label(std::size_t attribute, std::size_t value) const;
    /// An attribute and a value as JSON writes them: a name or a label is a string, a number stays one.
    [[nodiscard]] std::string json_attribute(std::size_t number) const;
    [[nodiscard]] std::string json_value(std::size_t attribute, std::size_t value) const;
    /// Where a number's bins end, with the ends of its range; none if it is no number in bins.
    [[nodiscard]] const std::vector<double>& ends(std::size_t attribute) const {
        return all_[attribute].ends;
    }
    /// The number of the attribute of this name. Throws Error (invalid_value) that lists those there are.
    [[nodiscard]] std::size_t called(std::string_view name) const;

    /// Values of some attributes, ascending.
    struct Conditions {
        std::vector<std::size_t> attributes;
        JointShares::Box box;
    };
    /// A JSON object that gives, by attribute's name, a label, or an array of labels, any of which will do;
    /// of a number in bins an array [low, high], null for no bound: the bins from low up to below high.
    /// Values without labels are given by their numbers. Throws Error (invalid_value) if it is anything else,
    /// if no value meets a condition, or if a bound lies inside a bin.
    [[nodiscard]] Conditions conditions(std::string_view json) const;

    /// Sets of attributes, each ascending: of a JSON array of arrays of names, or of the word "pairs" or
    /// "triples" all of so many. Throws Error (invalid_value) if it is anything else.
    [[nodiscard]] std::vector<std::vector<std::size_t>> sets(std::string_view json) const;

  private:
    struct Named {
        std::string name;
        std::uint64_t size;
        std::vector<std::string> labels;  // none if values are called by their numbers
        std::vector<double> ends;         // of bins, with those of the range; none if there are no bins
    };
    std::vector<Named> all_;
};

}  // namespace ldp
