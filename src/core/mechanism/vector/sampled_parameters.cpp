// What a spec may say of a record, what it leaves to be settled, and the parameter block that it becomes.

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/selection.hpp"
#include "core/mechanism/vector/sampled.hpp"

namespace ldp::sampled {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::uint64_t max_state = std::uint64_t{256} << 20;

/// A record has no place for options of its attributes' mechanisms, except for the usual grid; what they can
/// do without, they do without.
bool suits(const MechanismEntry& entry, Shape shape) {
    const auto known = [](const Option& option) {
        return option.optional ||
               (option.name == std::string_view(grid_option.name) && option.most == grid_option.most);
    };
    return entry.shape == shape && std::ranges::all_of(entry.options, known);
}

Shape shape_of(const Attribute& attribute) {
    return attribute.numeric() ? Shape::one_numeric : Shape::one_categorical;
}

const MechanismEntry& inner_entry(const Attribute& attribute) {
    const MechanismEntry* entry = find_mechanism(attribute.mechanism);
    if (entry != nullptr && suits(*entry, shape_of(attribute))) return *entry;
    std::vector<const char*> suitable{"auto"};
    for (const MechanismEntry* other : registry())
        if (suits(*other, shape_of(attribute))) suitable.push_back(other->name);
    raise(ErrorCode::invalid_spec,
          attribute.mechanism + " cannot report \"" + attribute.name + "\" in a record",
          std::string("Suitable for a ") + (attribute.numeric() ? "number" : "category") + " are " +
              joined(suitable) + ".");
}

/// The attribute as if it were reported alone.
Attribute alone(Attribute attribute) {
    attribute.mechanism.clear();
    attribute.share = 0;
    attribute.product.clear();
    return attribute;
}

void settle(SettingsDraft& draft) {
    auto& s = std::get<std::uint64_t>(draft.options.at("per_report"));
    const std::uint64_t d = draft.attributes.size();
    // With V the randomizer's variance and σ² the people's own, an answer has (V(ε/s) + σ²)·d/s. Of numbers
    // up to a spread as of even ones, and of categories, that is least for an ε of 3 or more each.
    if (s == 0) s = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(draft.epsilon / 3), 1, d);
    if (s > d)
        raise(ErrorCode::invalid_spec, "\"per_report\" is more than there are attributes",
              "Found " + std::to_string(s) + "; there are " + std::to_string(d) + " attributes.");
    const double each = epsilon_of_each(draft.epsilon, s);
    if (each < min_epsilon)
        raise(ErrorCode::invalid_spec, "\"per_report\" divides epsilon into too many parts",
              "An attribute needs an epsilon of 0.001; " + std::to_string(s) + " share " +
                  std::to_string(draft.epsilon) + ".");
    std::map<std::uint64_t, const char*> chosen;  // by size of the domain: nothing else matters
    for (Attribute& attribute : draft.attributes) {
        attribute.share = std::max<std::uint64_t>(attribute.share, 1);
        if (attribute.mechanism.empty() || attribute.mechanism == "auto") {
            const char*& name = chosen[attribute.domain];
            if (name == nullptr) name = choose({each, {alone(attribute)}, draft.limits}).mechanism->name;
            attribute.mechanism = name;
        }
        static_cast<void>(inner_entry(attribute));
    }
}

/// Weights of s times the largest allowed in all, in proportion to the shares except where that would be more
/// than certain.
std::vector<std::uint32_t> weights(const std::vector<Attribute>& attributes, std::uint64_t s) {
    std::vector<bool> certain(attributes.size());
    std::uint64_t left = s, rest = 0;
    for (const Attribute& attribute : attributes) rest += attribute.share;
    // Fewer than are left can be above the average, so that some always remain.
    for (bool found = true; found;) {
        found = false;
        const std::uint64_t places = left, all = rest;
        for (std::size_t j = 0; j < attributes.size(); ++j) {
            if (certain[j] || places * attributes[j].share <= all) continue;
            certain[j] = found = true;
            rest -= attributes[j].share;
            --left;
        }
    }
    std::vector<std::uint32_t> weights;
    for (std::size_t j = 0; j < attributes.size(); ++j)
        weights.push_back(static_cast<std::uint32_t>(certain[j] ? rest : left * attributes[j].share));
    auto common = static_cast<std::uint32_t>(std::max<std::uint64_t>(rest, 1));  // T; it is never 0
    for (const std::uint32_t weight : weights) common = std::gcd(common, weight);
    for (std::uint32_t& weight : weights) weight /= common;
    return weights;
}

void write(const Settings& settings, Writer& writer) {
    const std::uint64_t s = settings.number("per_report");
    const double epsilon = epsilon_of_each(settings.epsilon(), s);
    const std::vector<std::uint32_t> weight = weights(settings.attributes(), s);
    std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> runs;  // length, and all that follows it
    for (std::size_t j = 0; j < weight.size(); ++j) {
        const MechanismEntry& entry = inner_entry(settings.attributes()[j]);
        Writer parameters, run;
        entry.write(Settings(entry, epsilon, {alone(settings.attributes()[j])},
                             {{grid_option.name, settings.number(grid_option.name)}}),
                    parameters);
        run.put(weight[j]);
        run.put(entry.id);
        run.put(static_cast<std::uint16_t>(parameters.bytes().size()));
        run.put_bytes(parameters.bytes());
        if (runs.empty() || runs.back().second != run.bytes()) runs.emplace_back(0, std::move(run.bytes()));
        ++runs.back().first;
    }
    writer.put(static_cast<std::uint32_t>(s));
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const auto& [length, rest] : runs) {
        writer.put(length);
        writer.put_bytes(rest);
    }
}

[[noreturn]] void malformed(const char* what) {
    raise(ErrorCode::malformed, what, {}, "The bytes were damaged or forged.");
}

/// The mechanism of a run, which no record can be, nor anything else for more than one attribute, nor one
/// that draws a second time.
Run read_run(Reader& reader, const Terms& terms, double epsilon) {
    const auto length = reader.take<std::uint32_t>();
    const auto weight = reader.take<std::uint32_t>();
    const auto id = reader.take<std::uint8_t>();
    const Bytes parameters = reader.take_bytes(reader.take<std::uint16_t>());
    const MechanismEntry* entry = find_mechanism(id);
    if (length == 0 || length > max_attributes || weight == 0) malformed("a run of attributes is empty");
    if (entry == nullptr || (!suits(*entry, Shape::one_numeric) && !suits(*entry, Shape::one_categorical)))
        malformed("a record has an attribute that its mechanism cannot report");
    const std::vector<std::byte> block = make_block(id, terms, epsilon, parameters);
    auto inner = entry->load(read_header(block, Kind::report), block);
    if (inner->first_epsilon() != inner->epsilon())
        malformed("a record has an attribute that is reported in two layers");
    const auto* number = find_capability<Number>(*inner);
    return {length, weight, std::move(inner), number};
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto s = reader.take<std::uint32_t>();
    const auto runs = reader.take<std::uint16_t>();
    if (s == 0 || s > max_attributes) malformed("the number of attributes in a report is out of range");
    std::vector<Run> all;
    std::uint64_t d = 0, line = 0, state = 0, greatest = 0;
    for (unsigned i = 0; i < runs; ++i) {
        Run run = read_run(reader, header, epsilon_of_each(header.epsilon, s));
        if (!all.empty() && all.back().weight == run.weight &&
            std::ranges::equal(all.back().inner->block(), run.inner->block()))
            malformed("two runs of attributes are alike");
        d += run.length;
        line += run.length * run.weight;
        state += run.length * run.slot_size();
        greatest = std::max(greatest, run.weight);
        all.push_back(std::move(run));
    }
    reader.finish();
    if (d < std::max<std::uint64_t>(2, s) || d > max_attributes)
        malformed("the number of attributes is out of range");
    if (line % s != 0 || greatest > line / s) malformed("the weights of the attributes are inconsistent");
    if (state > max_state)
        raise(ErrorCode::invalid_spec, "the summaries of this record would be too large",
              "They would have " + std::to_string(state) + " bytes; allowed are " +
                  std::to_string(max_state) + ".",
              "Lower the number of attributes or of values, or the grid, or name other mechanisms.");
    return make_sampled(header, block, s, std::move(all));
}

constexpr Option options[] = {{.name = "per_report", .fallback = 0, .least = 0, .most = max_attributes},
                              grid_option};

}  // namespace

const MechanismEntry entry{
    18,
    "sampled",
    "sampled attributes of a record",
    "answers to some of the questions only, which are drawn by lot without a look at yours, and each of "
    "these answers by chance: your own or another one",
    Shape::record,
    max_attributes,
    true,
    options,
    write,
    load,
    settle};

}  // namespace ldp::sampled
