#include "core/contract/canonical.hpp"

#include <algorithm>
#include <span>

#include "core/contract/attributes.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/keys.hpp"
#include "core/contract/mechanism_options.hpp"
#include "core/contract/privacy_statement.hpp"
#include "core/contract/products.hpp"
#include "core/contract/response_count.hpp"
#include "core/contract/spec_reader.hpp"
#include "core/format/summary_frame.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/mechanism/strings/string_codes.hpp"

namespace ldp {

namespace {

Json strings_json(const StringDomain& strings) {
    Json json{{"alphabet", alphabet_text(strings.alphabet)}, {"max_length", strings.longest}};
    if (strings.fold) json["lowercase"] = true;
    if (!strings.other.empty()) json["other"] = alphabet_text(strings.other);
    return json;
}

/// An end of a range: a number, or an array if the elements of a vector differ.
Json common_or_each(std::span<const Attribute> elements, double Attribute::*end) {
    if (std::ranges::all_of(elements, [&](const Attribute& one) { return one.*end == elements[0].*end; }))
        return elements[0].*end;
    Json all = Json::array();
    for (const Attribute& one : elements) all.push_back(one.*end);
    return all;
}

}  // namespace

Json budget_json(const Budget& budget) {
    Json json{{"epsilon", budget.group ? budget.group->epsilon : budget.epsilon},
              {"when_spent", keys::when_spent[static_cast<std::size_t>(budget.when_spent)]}};
    if (budget.group) {
        json["group"] = budget.group->name;
        if (budget.epsilon != budget.group->epsilon) json["at_most"] = budget.epsilon;
    }
    if (budget.report_spent) json["report_spent"] = *budget.report_spent;
    return json;
}

Json canonical_json(const Spec& spec) {
    Json document{{"version", keys::version.whole().fallback},
                  {"mechanism", spec.mechanism().name},
                  {"epsilon", spec.epsilon()},
                  {"attributes", Json::array()}};
    const std::vector<Attribute>& attributes = spec.attributes();
    for (std::size_t j = 0; j < attributes.size(); ++j) {
        const Attribute& attribute = attributes[j];
        const bool element = !attribute.vector.empty();
        if (element && j > 0 && attributes[j - 1].vector == attribute.vector) continue;
        Json entry{{"name", element ? attribute.vector : attribute.name}};
        std::size_t end = j + 1;
        if (element) {
            while (end < attributes.size() && attributes[end].vector == attribute.vector) ++end;
            for (std::size_t i = j; i < end; ++i) entry["vector"].push_back(element_label(attributes[i]));
        }
        if (attribute.strings) {
            entry["strings"] = strings_json(*attribute.strings);
        } else if (attribute.numeric() || attribute.binned()) {
            const auto elements = std::span(attributes).subspan(j, end - j);
            entry["min"] = common_or_each(elements, &Attribute::min);
            entry["max"] = common_or_each(elements, &Attribute::max);
            if (attribute.binned()) entry["edges"] = attribute.edges;
        } else if (attribute.labels.empty()) {
            entry["domain"] = attribute.domain;
        } else {
            entry["domain"] = attribute.labels;
        }
        if (attribute.several()) {
            entry["several"] = true;
            entry["most"] = attribute.most;
        }
        if (!attribute.other.empty()) entry["other"] = attribute.other;
        if (attribute.circular) entry["circular"] = true;
        if (may_be_missing(attribute))
            entry["missing"] = true;
        else if (!attribute.none.empty())
            entry["missing_label"] = attribute.none;
        if (attribute.prefix != 0) entry["prefix"] = attribute.prefix;
        for (const Factor& factor : attribute.product)
            entry["product"].push_back(factor_json(attributes, factor));
        if (!attribute.mechanism.empty()) {
            entry["mechanism"] = attribute.mechanism;
            for (const Option& option : find_mechanism(attribute.mechanism)->options)
                if (const auto given = attribute.options.find(option.name); given != attribute.options.end())
                    entry[option.name] = option_json(option, given->second, attributes);
        }
        if (attribute.share != 0) entry["weight"] = attribute.share;
        if (attribute.evolving) entry["evolving"] = true;
        document["attributes"].push_back(std::move(entry));
    }
    for (const Option& option : spec.mechanism().options) {
        if (!option.applies(attributes)) continue;
        const auto& value = spec.option(option.name);
        if (option.optional && value == option.fallback_for(attributes.size())) continue;
        document[option.name] = option_json(option, value, attributes);
    }
    if (spec.evolving()) {
        Json& evolving = document["evolving"] = Json::object();
        if (std::ranges::any_of(spec.attributes(), &Attribute::evolving))
            evolving = {{"window", spec.evolving()->window},
                        {"volatility", spec.evolving()->volatility},
                        {"flip_probability", spec.evolving()->flip_probability},
                        {"base_levels", spec.evolving()->base_levels}};
    }
    if (spec.budget()) {
        document["budget"] = budget_json(*spec.budget());
        if (spec.budget()->report_spent == true) document["budget"].erase("report_spent");
    }
    if (spec.min_group() != usual_min_group) document[keys::min_group.name] = spec.min_group();
    return document;
}

Json derived_json(const Spec& spec) {
    const auto mechanism = make_mechanism(spec);
    Json derived{{"block", to_hex(mechanism->block())},
                 {"report_bytes", mechanism->block().size() + sent_size(*mechanism)},
                 {"summary_bytes", SummaryFrame(mechanism->block().size()).size(counted_size(*mechanism))}};
    const Json given = canonical_json(spec);
    for (const auto& [key, value] : mechanism->parameters())
        if (!given.contains(key) && !given["attributes"][0].contains(key)) derived[key] = value;
    const PrivacyStatement statement = privacy_statement(spec, *mechanism);
    if (spec.budget()) derived["max_epsilon"] = statement.person->epsilon;
    if (spec.evolving()) {
        derived["max_responses"] = most_responses(spec, *mechanism);
        if (statement.has_signal()) {
            derived["signal_epsilon"] = statement.signal.epsilon;
            derived["signaled_report_epsilon"] = statement.report.epsilon;
        }
    }
    return derived;
}

Json described_json(const Spec& spec) {
    Json document = canonical_json(spec);
    write_texts(spec.texts(), document);
    for (Json& attribute : document["attributes"])
        if (const AttributeTexts* texts = spec.texts().find(attribute["name"].get_ref<const std::string&>()))
            write_texts(*texts, attribute);
    return document;
}

std::string Spec::to_json() const {
    Json document = described_json(*this);
    if (chosen_) {
        Json& chosen = document["chosen"] = {{"reason", chosen_->reason}};
        if (chosen_->limits) {
            chosen[keys::report_bytes.name] = chosen_->limits->report_bytes;
            chosen[keys::decode_cost.name] = chosen_->limits->decode_cost;
        }
    }
    document["derived"] = derived_json(*this);
    return json_text(document);
}

Fingerprint Spec::fingerprint() const {
    return Fingerprint::of(canonical_text(canonical_json(*this)));
}

}  // namespace ldp
