#include "client/fleet/user_means.hpp"

#include <algorithm>
#include <cmath>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/contract/products.hpp"

namespace ldp {

UserMeans::UserMeans(const Spec& spec) {
    for (const std::size_t j : given(spec.attributes())) {
        const Attribute& attribute = spec.attributes()[j];
        if (!attribute.numeric() && !attribute.binned())
            raise(ErrorCode::invalid_value, "categories cannot be averaged",
                  "Attribute " + in_quotes(attribute.name) + " has a domain of values.",
                  "Use one row for each person, or only the numbers.");
        names_.push_back(attribute.name);
    }
}

void UserMeans::add(std::string_view user, std::span<const Value> record) {
    const auto refuse = [](const std::string& message, const std::string& detail) {
        raise(ErrorCode::invalid_value, message, detail);
    };
    if (user.empty()) refuse("the record has no person", "The person's name is empty.");
    if (record.size() != names_.size())
        refuse("the record has the wrong number of values", "Found " + std::to_string(record.size()) +
                                                                "; the spec has " +
                                                                std::to_string(names_.size()) + ".");
    for (std::size_t j = 0; j < record.size(); ++j) {
        const auto* number = std::get_if<double>(&record[j]);
        if (number == nullptr || !std::isfinite(*number))
            refuse("a value of " + in_quotes(names_[j]) + " cannot be averaged",
                   "Allowed are finite numbers.");
    }
    const std::size_t at = users_.try_emplace(std::string(user), size()).first->second;
    if (at == size()) {
        counts_.push_back(0);
        means_.resize(means_.size() + names_.size());
    }
    const auto count = static_cast<double>(++counts_[at]);
    // Dividing before subtracting prevents overflow of sums and differences.
    for (std::size_t j = 0; j < record.size(); ++j) {
        double& mean = means_[at * names_.size() + j];
        mean += std::get<double>(record[j]) / count - mean / count;
    }
}

std::optional<std::size_t> UserMeans::find(const std::string& user) const {
    const auto found = users_.find(user);
    return found == users_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Value> UserMeans::record(std::size_t user) const {
    const auto first = means_.begin() + static_cast<std::ptrdiff_t>(user * names_.size());
    return {first, first + static_cast<std::ptrdiff_t>(names_.size())};
}

UserSlopes::UserSlopes(const Spec& spec) : means_(spec) {}

void UserSlopes::add(std::string_view user, double time, std::span<const Value> record) {
    if (!std::isfinite(time)) raise(ErrorCode::invalid_value, "the time of a record must be a finite number");
    const std::string name(user);
    const auto known = means_.find(name);
    std::vector<Value> before;
    if (known) before = means_.record(*known);
    means_.add(user, record);
    const std::size_t at = known.value_or(means_.size() - 1), attributes = record.size();
    times_.resize(means_.size());
    products_.resize(means_.size() * attributes);
    Times& times = times_[at];
    const double ahead = time - times.mean;
    times.mean += ahead / ++times.count;
    times.squares += ahead * (time - times.mean);
    if (!known) return;
    for (std::size_t j = 0; j < attributes; ++j)
        products_[at * attributes + j] +=
            (time - times.mean) * (std::get<double>(record[j]) - std::get<double>(before[j]));
}

std::vector<Value> UserSlopes::record(std::size_t user) const {
    const Times& times = times_[user];
    if (!(times.squares > 0))
        raise(ErrorCode::invalid_value, "a person has no slope",
              "The person has fewer than two different times.", "Omit people with values at one time only.");
    const std::size_t attributes = means_.names().size();
    std::vector<Value> slopes;
    for (std::size_t j = 0; j < attributes; ++j) {
        const double slope = products_[user * attributes + j] / times.squares;
        if (!std::isfinite(slope))
            raise(ErrorCode::invalid_value,
                  "the slope of " + in_quotes(means_.names()[j]) + " is out of range",
                  "The person's values or times are too large, or their times too close to each other.");
        slopes.emplace_back(slope);
    }
    return slopes;
}

}  // namespace ldp
