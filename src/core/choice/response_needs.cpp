#include "core/choice/response_needs.hpp"

#include <algorithm>
#include <set>

#include "core/base/attempt.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/text.hpp"
#include "core/choice/evolving_choice.hpp"
#include "core/choice/ordered_choice.hpp"
#include "core/choice/record_protocol.hpp"
#include "core/contract/evolving_options.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/products.hpp"
#include "core/contract/response_count.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

const std::string& listed_name(const Attribute& attribute) {
    return attribute.vector.empty() ? attribute.name : attribute.vector;
}

/// The values of simulated people, who keep those of attributes without a stream.
class SimulatedPeople {
  public:
    SimulatedPeople(const std::vector<Attribute>& attributes, const DeclaredStream& stream, std::size_t first,
                    std::size_t count)
        : attributes_(attributes), rounds_(static_cast<std::size_t>(stream.rounds)) {
        std::set<std::size_t> used;
        for (std::size_t j = first; j < first + count; ++j) {
            if (!attributes[j].derived()) used.insert(j);
            for (const Factor& factor : attributes[j].product) used.insert(factor.attribute);
        }
        for (const std::size_t j : used) {
            const auto found = stream.changing.find(listed_name(attributes[j]));
            StreamParameters parameters;
            if (found != stream.changing.end()) parameters = found->second;
            parameters.people = stream.people;
            parameters.rounds = found != stream.changing.end() ? stream.rounds : 1;
            const std::size_t people = std::max(ValueStream::least_people, predicted_values / rounds_);
            const std::uint64_t seed = 1 + (j >= first ? j - first : attributes.size() + j);
            streams_.emplace(
                j, ValueStream::generated(parameters, attributes[j],
                                          found != stream.changing.end() ? predicted_values : people, seed));
        }
    }
    [[nodiscard]] std::size_t people() const { return streams_.begin()->second.known(); }
    /// A position in the range, 0 to 1, or the number of a category.
    [[nodiscard]] double at(std::size_t attribute, std::size_t person, std::size_t round) const {
        const Attribute& one = attributes_[attribute];
        if (!one.derived()) {
            const ValueStream& stream = streams_.at(attribute);
            return stream.values[person * stream.rounds + std::min(round, stream.rounds - 1)];
        }
        std::vector<double> values(attributes_.size());
        for (const Factor& factor : one.product) {
            const Attribute& other = attributes_[factor.attribute];
            const double position = at(factor.attribute, person, round);
            values[factor.attribute] =
                other.numeric() ? other.min + position * (other.max - other.min) : position;
        }
        return std::clamp((product_of(attributes_, one, values) - one.min) / (one.max - one.min), 0.0, 1.0);
    }

  private:
    const std::vector<Attribute>& attributes_;
    std::size_t rounds_;
    std::map<std::size_t, ValueStream> streams_;
};

/// The alternative for an attribute whose budget cannot end, as text; empty if none was found.
std::string alternative_for(Attribute attribute, double epsilon, std::uint64_t responses, bool record) {
    if (!attribute.vector.empty() || attribute.strings || attribute.several() || attribute.derived())
        return {};
    const bool distribution = attribute.numeric() && is_ordered(*find_mechanism(attribute.mechanism));
    attribute.evolving = false;
    attribute.mechanism.clear();
    attribute.options.clear();
    attribute.share = 0;
    const StreamNeeds needs({attribute}, {}, {}, {});
    const ResponseLimit limit{responses, needs};
    std::string found;
    const auto refused = attempt([&] {
        const Limits limits{100000, 1000000000};
        const SelectedWithin chosen =
            distribution ? choose_ordered_within({epsilon, attribute, {}, limits, OrderedUse::ranges}, limit)
                         : choose_within({epsilon, {attribute}, limits}, limit);
        found = (record ? "\"" + attribute.name + "\" through " : "") + chosen.mechanism->name;
        for (const auto& [option, value] : chosen.options)
            found += " with \"" + option + "\": " + std::to_string(std::get<std::uint64_t>(value));
    });
    return refused ? std::string() : found;
}

}  // namespace

DeclaredStream DeclaredStream::from_json(const Json& found, const std::vector<Attribute>& attributes) {
    if (attributes.size() == 1) {
        const StreamParameters one = StreamParameters::from_json(found, attributes[0]);
        return {one.rounds, one.people, {{listed_name(attributes[0]), one}}};
    }
    JsonObject reader(found, "\"stream\"");
    DeclaredStream stream;
    stream.rounds = reader.whole(key(keys::Object::stream, "rounds"));
    stream.people = reader.whole(key(keys::Object::stream, "people"));
    const std::string allowed =
        R"(an object with the attributes that change, such as {"minutes": {"change_rate": 0.01}})";
    const Json& all = reader.need("attributes", allowed);
    if (!all.is_object()) JsonObject::wrong("attributes", all, allowed);
    for (const auto& [name, change] : all.items()) {
        const auto at = std::ranges::find_if(attributes, [&, &name = name](const Attribute& one) {
            return listed_name(one) == name && !one.derived();
        });
        if (at == attributes.end())
            invalid("\"stream\" names \"" + name + "\", which is not an attribute",
                    "The spec has " + std::to_string(attributes.size()) + " attributes.",
                    "Products change with their factors.");
        if (at->strings || at->several())
            invalid(std::string("the changes of ") + (at->strings ? "texts" : "sets of labels") +
                        " cannot be declared",
                    "\"" + name + "\" has " + (at->strings ? "\"strings\"." : "\"several\": true."),
                    "Name the mechanism of the attribute; then its budget may end.");
        if (!change.is_object()) JsonObject::wrong(name, change, allowed);
        Json complete = change;
        complete["rounds"] = stream.rounds;
        complete["people"] = stream.people;
        stream.changing.emplace(name, StreamParameters::from_json(complete, *at));
    }
    reader.finish();
    return stream;
}

std::uint64_t StreamNeeds::most(std::size_t first, const Mechanism& mechanism) const {
    return possible_responses(attributes_, evolving_, mechanism, first);
}

bool StreamNeeds::changes(std::size_t attribute) const {
    const Attribute& one = attributes_[attribute];
    if (one.derived())
        return std::ranges::any_of(one.product, [&](const Factor& f) { return changes(f.attribute); });
    return stream_->changing.contains(listed_name(one));
}

std::optional<double> StreamNeeds::exceeding(std::size_t first, const Mechanism& mechanism,
                                             std::uint64_t responses) const {
    if (!stream_) return {};
    const std::vector<std::uint64_t> cells = mechanism.cells();
    bool moving = false;
    for (std::size_t j = first; j < first + cells.size(); ++j) moving = moving || changes(j);
    if (!moving) return 0.0;
    std::vector<std::uint64_t> all;
    if (mechanism.public_size() == 0) {
        std::vector<std::uint64_t> key = cells;
        key.push_back(first);
        std::vector<std::uint64_t>& known = known_[key];
        if (known.empty()) known = counts(first, mechanism);
        all = known;
    } else {
        all = counts(first, mechanism);
    }
    const auto ended = std::ranges::count_if(all, [&](std::uint64_t count) { return count > responses; });
    return static_cast<double>(ended) / static_cast<double>(all.size());
}

std::uint64_t StreamNeeds::beside_signal(const Mechanism& mechanism, std::uint64_t responses) const {
    const std::uint64_t left = budget_ ? ldp::beside_signal(*budget_, mechanism) : 0;
    return left == 0 ? responses : left;
}

std::vector<std::uint64_t> StreamNeeds::counts(std::size_t first, const Mechanism& mechanism) const {
    constexpr std::uint64_t seed = 2;  // as KeyPaths
    const std::vector<std::uint64_t> cells = mechanism.cells();
    const SimulatedPeople people(attributes_, *stream_, first, cells.size());
    const Rounding rounding(evolving_, std::span(attributes_).subspan(first, cells.size()), mechanism);
    const auto rounds = static_cast<std::size_t>(stream_->rounds);
    InsecureBits bits(seed);
    const SeriesParts* const series = series_parts(mechanism);
    std::vector<std::byte> own(mechanism.public_size());
    std::vector<std::uint64_t> alphas(rounding.alphas()), counts;
    std::vector<double> positions(cells.size());
    std::vector<std::vector<Cell>> keys(rounds);
    Work work;
    for (std::size_t person = 0; person < people.people(); ++person) {
        work.done(64 * rounds);
        std::ranges::fill(own, std::byte{0});
        mechanism.draw_public(bits, own);
        for (std::uint64_t& alpha : alphas) alpha = bits.word();
        if (series != nullptr && series->series_attribute(own)) {  // which is one response
            counts.push_back(1);
            continue;
        }
        std::vector<RoundingState> rounding_states(rounding.rounding_states());
        for (std::size_t t = 0; t < rounds; ++t) {
            for (std::size_t j = 0; j < cells.size(); ++j) {
                const double value = people.at(first + j, person, t);
                positions[j] = attributes_[first + j].numeric()
                                   ? value * static_cast<double>(grid_steps(attributes_[first + j], cells[j]))
                                   : value;
            }
            std::vector<Cell> input = rounding.follow(positions, alphas, rounding_states);
            if (series != nullptr) input = series->constant_input(input);
            keys[t] = mechanism.response_key(input, own);
        }
        std::ranges::sort(keys);
        counts.push_back(static_cast<std::uint64_t>(std::unique(keys.begin(), keys.end()) - keys.begin()));
        keys.resize(rounds);
    }
    return counts;
}

std::string statement_of_budget(const Spec& spec, std::string_view text) {
    if (!spec.budget() || !spec.evolving()) return {};
    const auto mechanism = make_mechanism(spec);
    const std::uint64_t responses = affordable_responses(spec);
    const std::uint64_t possible = possible_responses(spec, *mechanism);
    if (possible <= responses) return {};
    std::string statement = "a person may give " + grouped(responses) +
                            (responses == 1 ? " response" : " different responses") + "; from then on ";
    statement += spec.budget()->when_spent == Budget::WhenSpent::repeat
                     ? "values are repeated: a new value is reported by the response of the nearest value"
                     : "the person sends no further reports";
    const Json document = with_collected_streams(parse_json(text));
    if (document.contains("stream")) {
        const StreamNeeds needs(spec.attributes(), *spec.evolving(), spec.budget(),
                                DeclaredStream::from_json(document["stream"], spec.attributes()));
        const double share = needs.exceeding(0, *mechanism, responses).value_or(0);
        statement += "; in the declared stream " + rounded(100 * share, 3) + " % of people reach this point";
    }
    // A budget that cannot end needs no signal.
    const std::uint64_t all = spec.budget()->responses(spec.epsilon());
    std::string alternatives;
    const auto* record = find_capability<Record>(*mechanism);
    const std::uint64_t reported = record == nullptr ? 1 : record->per_report();
    if (reported == 1)
        for (const RecordPart& part : parts_of(*mechanism)) {
            Attribute attribute = spec.attributes()[part.first];
            if (part.count != 1 ||
                possible_responses(spec.attributes(), *spec.evolving(), *part.mechanism, part.first) <= all)
                continue;
            attribute.mechanism = find_mechanism(part.mechanism->header().mechanism)->name;
            const std::string found = alternative_for(attribute, spec.epsilon(), all, record != nullptr);
            if (!found.empty()) alternatives += (alternatives.empty() ? "" : ", ") + found;
        }
    if (alternatives.empty()) return statement;
    return statement + ". A budget that cannot end: " + alternatives;
}

bool has_derived(std::string_view text) {
    return json_of(text, Unsound::allowed).contains("derived");
}

}  // namespace ldp
