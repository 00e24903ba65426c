#include "client/user_means.hpp"

#include <algorithm>
#include <cmath>

#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/spec/products.hpp"

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

}  // namespace ldp
