// Averages and slopes of people with many values, so that one report protects all values of a person.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/collection.hpp"
#include "core/contract/spec.hpp"

namespace ldp {

/// Averages records by person. The input is a sequence of records in any order, each with its person. The
/// output is one record for each person: the averages of the person's values. One report of this record costs
/// ε, and protects all values of the person, whatever their number and correlation. The report does not
/// reveal the number of values.
///
/// Products are computed from the averages, so a regression applies to people's means.
///
/// The estimated mean is the mean of people's means, in which each person counts once. Its sampling error
/// relative to a population is the error of a sample of people.
///
/// Values are averaged without clamping. Collection::encode then clamps a person's mean to the declared range
/// and counts it. Thus single values outside the range have no effect of their own.
///
/// Memory grows with the number of people, not with the number of values, because records of a person may
/// arrive at any time, and a second report would spend ε again.
class UserMeans {
  public:
    /// Prepares averages for the spec's attributes except products. Throws Error (invalid_value) if one of
    /// them is a category. For a number in bins, the report contains the bin of the average.
    explicit UserMeans(const Spec& spec);

    /// Adds a record of a person, with one number for each attribute except products, in the spec's order.
    /// `user` identifies the person and must not be empty. Throws Error (invalid_value) if it is empty, if
    /// the record has the wrong length, or if a value is not a finite number; then nothing has changed.
    void add(std::string_view user, std::span<const Value> record);

    /// Returns the number of people. They are numbered from 0 in the order of their first records.
    [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
    /// Returns the number of a person; nothing if no record of the person was added.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& user) const;
    /// Returns the averages of a person, user < size(), in the form that Collection::encode and
    /// Client::report take: one value for each attribute except products, in the spec's order.
    [[nodiscard]] std::vector<Value> record(std::size_t user) const;
    /// Returns the names of the attributes except products, in the spec's order.
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  private:
    std::vector<std::string> names_;  ///< names of the attributes except products
    std::unordered_map<std::string, std::size_t> users_;
    std::vector<std::uint64_t> counts_;  ///< number of records by person
    std::vector<double> means_;          ///< averages by person and attribute
};

/// Computes the slope of each person's values over time, by least squares within the person. The input is a sequence of
/// records in any order, each with its person and its time. The output is one record for each person: the slope of each
/// attribute, in its unit per unit of time. One report of this record costs ε, and protects all values and times of the person.
///
/// The level of a person (a random intercept) has no effect on the slope, because both values and times are centered within
/// the person. The mean of the slopes counts each person once. If all people have the same times, it is equal to the
/// least-squares slope with an intercept for each person. Otherwise let S be the sum of squares of a person's centered times. If
/// all people have the same slope, the variance of the mean is mean(S)·mean(1/S) times that of least squares. If slopes differ
/// between people, least squares estimates a mean with weights S, and the mean of the slopes is unweighted.
///
/// Slopes are not clamped. Collection::encode clamps a person's slope to the declared range and counts it.
class UserSlopes {
  public:
    /// Prepares slopes for the spec's attributes except products, each with the range of the slope. Throws Error
    /// (invalid_value) if one of them is a category.
    explicit UserSlopes(const Spec& spec);

    /// Adds a record of a person at a time, with one number for each attribute except products, in the spec's order. Throws
    /// Error (invalid_value) as UserMeans::add(), and if the time is not a finite number; then nothing has changed.
    void add(std::string_view user, double time, std::span<const Value> record);

    /// Returns the number of people. They are numbered from 0 in the order of their first records.
    [[nodiscard]] std::size_t size() const noexcept { return means_.size(); }
    /// Returns the slopes of a person, user < size(), in the form that Collection::encode and Client::report take. Throws
    /// Error (invalid_value) if the person has fewer than two different times, or if a slope is not finite.
    [[nodiscard]] std::vector<Value> record(std::size_t user) const;

  private:
    /// Sums of a person's times.
    struct Times {
        double count = 0, mean = 0;
        double squares = 0;  ///< sum of squares of centered times
    };
    UserMeans means_;
    std::vector<Times> times_;
    std::vector<double>
        products_;  ///< sums of centered times multiplied by centered values, by person and attribute
};

}  // namespace ldp
