#include "core/joint/names.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/mechanism/joint/joint_views.hpp"
#include "core/spec/json_object.hpp"

namespace ldp {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& detail, const std::string& hint = {}) {
    raise(ErrorCode::invalid_value, what, detail, hint);
}

/// The first of them, for an error.
std::string some(std::span<const std::string> words) {
    constexpr std::size_t most = 20;
    return joined(words.first(std::min(words.size(), most))) + (words.size() > most ? ", …" : "");
}

Json parsed(std::string_view text, const char* what) {
    Json document = json_of(text, Unsound::allowed);
    if (document.is_discarded())
        raise(ErrorCode::malformed, std::string(what) + " cannot be read as JSON",
              "Found " + shortened(text, 100) + ".", "Perhaps a number is too large.");
    return document;
}

}  // namespace

Names::Names(std::string_view legend, std::span<const std::uint64_t> sizes) {
    const Json document = parsed(legend, "the legend");
    const bool known = document.is_array() && !document.empty();
    for (std::size_t j = 0; j < sizes.size(); ++j) {
        Named& named = all_.emplace_back(Named{std::to_string(j), sizes[j], {}, {}});
        if (!known) continue;
        try {
            const Json& attribute = document.at(j);
            named.name = attribute.at("name").get<std::string>();
            const Json& domain = attribute.at("domain");
            if (domain.is_array()) named.labels = domain.get<std::vector<std::string>>();
            if (attribute.contains("edges")) {
                named.ends = attribute.at("edges").get<std::vector<double>>();
                named.ends.insert(named.ends.begin(), attribute.at("min").get<double>());
                named.ends.push_back(attribute.at("max").get<double>());
            }
            const std::uint64_t values =
                domain.is_array() ? named.labels.size() : domain.get<std::uint64_t>();
            if (document.size() == sizes.size() && values == named.size &&
                (named.ends.empty() || named.ends.size() == values + 1))
                continue;
        } catch (const Json::exception&) {  // told below, as what does not fit
        }
        raise(ErrorCode::malformed, "the legend does not fit the summary",
              "It is about other attributes than attribute " + std::to_string(j) + ", of " +
                  std::to_string(sizes[j]) + " values.");
    }
}

std::string Names::label(std::size_t attribute, std::size_t value) const {
    const Named& named = all_[attribute];
    return named.labels.empty() ? std::to_string(value) : named.labels[value];
}

std::string Names::json_attribute(std::size_t number) const {
    return json_text(Json(attribute(number)));
}

std::string Names::json_value(std::size_t attribute, std::size_t value) const {
    return all_[attribute].labels.empty() ? label(attribute, value)
                                          : json_text(Json(label(attribute, value)));
}

std::size_t Names::called(std::string_view name) const {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < all_.size(); ++j) {
        if (all_[j].name == name) return j;
        names.push_back(all_[j].name);
    }
    refuse("there is no attribute \"" + std::string(name) + "\"", "There are " + some(names) + ".");
}

Names::Conditions Names::conditions(std::string_view json) const {
    const Json document = parsed(json, "what is asked for");
    if (!document.is_object() || document.empty())
        refuse("conditions are an object with a key for each attribute", "Found " + json_text(document) + ".",
               R"(For example: {"sex": "f", "age": [20, 30]}.)");
    std::map<std::size_t, std::vector<bool>> found;
    for (const auto& [name, wanted] : document.items()) {
        const std::size_t j = called(name);
        const Named& named = all_[j];
        std::vector<bool>& values = found.emplace(j, named.size).first->second;
        const auto bound = [&](const Json& told, double open) -> std::optional<double> {
            if (told.is_null()) return open;
            return told.is_number() ? std::optional(told.get<double>()) : std::nullopt;
        };
        if (!named.ends.empty() && wanted.is_array() && wanted.size() == 2) {
            const auto low = bound(wanted[0], named.ends.front()), high = bound(wanted[1], named.ends.back());
            if (low && high) {
                const double from = std::max(*low, named.ends.front()),
                             to = std::min(*high, named.ends.back());
                for (const double end : {from, to})
                    if (std::ranges::find(named.ends, end) == named.ends.end()) {
                        std::vector<std::string> ends;
                        for (const double each : named.ends) ends.push_back(shortest(each));
                        refuse(shortest(end) + " lies inside a bin of \"" + name + "\"",
                               "Its bins meet at " + some(ends) + ".",
                               "Ask for whole bins: those from the first bound up to below the second.");
                    }
                for (std::size_t v = 0; v < values.size(); ++v)
                    values[v] = named.ends[v] >= from && named.ends[v + 1] <= to;
                if (std::ranges::count(values, true) == 0)
                    refuse("no value of \"" + name + "\" meets its condition",
                           "Found " + json_text(wanted) + ".");
                continue;
            }
        }
        if (wanted.is_array() && wanted.empty())
            refuse("no value of \"" + name + "\" meets its condition", "Found an empty array.");
        for (const Json& label : wanted.is_array() ? wanted : Json::array({wanted})) {
            if (named.labels.empty() && label.is_number_unsigned() &&
                label.get<std::uint64_t>() < named.size) {
                values[label.get<std::size_t>()] = true;
                continue;
            }
            const auto at = label.is_string() ? std::ranges::find(named.labels, label.get<std::string>())
                                              : named.labels.end();
            if (at == named.labels.end())
                refuse(json_text(label) + " is no value of \"" + name + "\"",
                       named.labels.empty()
                           ? "Its values are the numbers from 0 to " + std::to_string(named.size - 1) + "."
                           : "There are " + some(named.labels) + ".",
                       named.ends.empty() ? "" : "Or give bounds: [low, high], null for none.");
            values[static_cast<std::size_t>(at - named.labels.begin())] = true;
        }
    }
    Conditions conditions;
    for (auto& [attribute, values] : found) {
        conditions.attributes.push_back(attribute);
        conditions.box.push_back(std::move(values));
    }
    return conditions;
}

std::vector<std::vector<std::size_t>> Names::sets(std::string_view json) const {
    const Json document = parsed(json, "what is asked about");
    std::vector<std::vector<std::size_t>> sets;
    if (const auto count = order_of(document.is_string() ? document.get<std::string>() : "")) {
        if (all_.size() < *count || count_all(all_.size(), *count) > max_views)
            refuse("there are too few attributes, or too many, for all " + document.get<std::string>(),
                   "There are " + std::to_string(all_.size()) + " attributes.",
                   "Name the sets that will be asked about.");
        for (const ViewAttributes& set : all_views(all_.size(), *count))
            sets.emplace_back(set.all().begin(), set.all().end());
        return sets;
    }
    const auto wrong = [&] {
        refuse("what is asked about is \"pairs\", \"triples\" or an array of arrays of attributes' names",
               "Found " + json_text(document) + ".", R"(For example: [["sex", "age"], ["sex", "town"]].)");
    };
    if (!document.is_array() || document.size() > max_views) wrong();
    for (const Json& names : document) {
        if (!names.is_array()) wrong();
        std::vector<std::size_t>& set = sets.emplace_back();
        for (const Json& name : names) {
            if (!name.is_string()) wrong();
            set.push_back(called(name.get<std::string>()));
        }
        std::ranges::sort(set);
    }
    return sets;
}

}  // namespace ldp
