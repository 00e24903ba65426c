// The settings of a record of parts, and its parameter block.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/record/record_parts.hpp"
#include "core/mechanism/record/sampled.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::sampled {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::uint64_t max_state = std::uint64_t{256} << 20;

constexpr const char* together_words[] = {"none"};
constexpr Option options[] = {
    {.name = "per_report", .fallback = 0, .least = 1, .most = max_attributes},
    grid_option,
    {.name = "joint_tables", .choices = together_words, .groups = true, .optional = true},
    second_layer_option,
    {.name = "people", .fallback = 0, .least = 1, .most = max_count, .optional = true}};

/// The sets of "joint_tables"; none if the option is its default.
IntegerRows sets_of(const OptionValue& together) {
    const auto* rows = std::get_if<IntegerRows>(&together);
    return rows == nullptr ? IntegerRows{} : *rows;
}

void settle(SettingsDraft& draft) {
    const RecordLayout layout = layout_of_record(draft);
    if (layout.per_report == 0)
        refuse_open_choice("\"per_report\", the number of parts in a report, is missing.");
    check_layout(draft, layout);
    const PartTerms terms = layout.terms(draft.epsilon, draft.options, layout.per_report);
    for (const PartAttributes& part : layout.parts) settle_part(draft.attributes, part, terms);
    check_series(draft.attributes, layout.per_report);
    for (const Attribute& attribute : draft.attributes)
        if (attribute.margin > 0)
            refuse_open_choice("\"max_margin_of_error\" determine how often each attribute is reported.");
}

/// Weights that add up to s times their bound T, in proportion to the shares, except that a part whose
/// probability would be above 1 is certain.
std::vector<std::uint32_t> weights(const std::vector<std::uint64_t>& shares, std::uint64_t s) {
    std::vector<bool> certain(shares.size());
    std::uint64_t left = s, rest = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
    // Fewer than `left` parts can be above the average, so that some always remain.
    for (bool found = true; found;) {
        found = false;
        const std::uint64_t places = left, all = rest;
        for (std::size_t j = 0; j < shares.size(); ++j) {
            if (certain[j] || places * shares[j] <= all) continue;
            certain[j] = found = true;
            rest -= shares[j];
            --left;
        }
    }
    std::vector<std::uint32_t> weights;
    for (std::size_t j = 0; j < shares.size(); ++j)
        weights.push_back(static_cast<std::uint32_t>(certain[j] ? rest : left * shares[j]));
    auto common = static_cast<std::uint32_t>(std::max<std::uint64_t>(rest, 1));  // T; it is never 0
    for (const std::uint32_t weight : weights) common = std::gcd(common, weight);
    for (std::uint32_t& weight : weights) weight /= common;
    return weights;
}

/// Each report has the parameters of all parts, so that rows and summaries describe themselves.
[[noreturn]] void refuse_size(std::size_t parts, std::size_t fitting, std::size_t size) {
    raise(
        ErrorCode::invalid_spec, "the record has too many parts for a report",
        "Its " + std::to_string(parts) + " parts need " + std::to_string(size) +
            " bytes of parameters in each report; " + std::to_string(max_block_size) +
            " are allowed, in which the first " + std::to_string(fitting) + " parts fit.",
        "Collect the attributes in several collections, or give several attributes the same domain or range: the "
        "parameters of equal parts are stored once.");
}

/// A run of equal parts, as it is written.
struct WrittenRun {
    std::uint16_t length;
    std::uint16_t parameters;  ///< number of its parameters among those that differ, from 0
};

/// Writes the runs. The parameters of a run are all that follows its first four bytes. They are written with
/// the first of the runs that have them; the others refer to it. Returns how many parts a report has room for.
std::size_t write_runs(Writer& writer, const std::vector<WrittenRun>& runs,
                       const std::vector<std::vector<std::byte>>& parameters) {
    std::size_t fitting = 0, written = 0;
    writer.put(static_cast<std::uint16_t>(runs.size()));
    for (const WrittenRun& run : runs) {
        const bool first = run.parameters == written;
        writer.put(run.length);
        writer.put(static_cast<std::uint16_t>(first ? 0 : run.parameters + 1));
        if (first) writer.put_bytes(parameters[written++]);
        if (header_size + writer.bytes().size() <= max_block_size) fitting += run.length;
    }
    return fitting;
}

void write(const Settings& settings, Writer& writer) {
    const std::uint64_t s = settings.number("per_report");
    const IntegerRows sets = sets_of(settings.option("joint_tables"));
    const std::vector<PartAttributes> parts = parts_of(settings.attributes(), sets);
    const double first = settings.real(second_layer_option.name);
    const PartTerms terms{epsilon_of_each(settings.epsilon(), s), first == 0 ? 0 : epsilon_of_each(first, s),
                          settings.number(grid_option.name), sets};
    std::vector<std::uint64_t> shares;
    for (const PartAttributes& part : parts)
        shares.push_back(share_of_part(settings.attributes(), part, sets));
    const std::vector<std::uint32_t> weight = weights(shares, s);
    std::vector<WrittenRun> runs;
    std::vector<std::vector<std::byte>> all;  // the parameters that differ, in the order of their first runs
    std::map<std::vector<std::byte>, std::uint16_t> numbers;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Settings inner = settings_of_part(settings.attributes(), parts[i], terms);
        Writer parameters, run;
        inner.mechanism().write(inner, parameters);
        run.put(weight[i]);
        run.put(inner.mechanism().id);
        run.put(static_cast<std::uint16_t>(parameters.bytes().size()));
        run.put_bytes(parameters.bytes());
        const auto [found, added] = numbers.try_emplace(run.bytes(), static_cast<std::uint16_t>(all.size()));
        if (added) all.push_back(run.bytes());
        if (runs.empty() || runs.back().parameters != found->second) runs.push_back({0, found->second});
        ++runs.back().length;
    }
    writer.put(static_cast<std::uint32_t>(s));
    const std::size_t fitting = write_runs(writer, runs, all);
    if (fitting < parts.size()) refuse_size(parts.size(), fitting, header_size + writer.bytes().size());
}

/// Reads the mechanism of a run, which is no record of parts itself. A vector has at most `room` elements;
/// its parameters begin with their number, so that a large vector is refused before memory is allocated.
PartRun read_own_run(Reader& reader, const Terms& terms, double epsilon, std::uint64_t room) {
    const auto weight = reader.take<std::uint32_t>();
    const auto id = reader.take<std::uint8_t>();
    const Bytes parameters = reader.take_bytes(reader.take<std::uint16_t>());
    const MechanismEntry* entry = find_mechanism(id);
    if (weight == 0) refuse_block("a run of attributes is empty");
    if (entry == nullptr || !reports_parts(*entry))
        refuse_block("a record has an attribute that its mechanism cannot report");
    if (entry->shape == Shape::numeric_vector && parameters.size() >= sizeof(std::uint32_t) &&
        ldp::load<std::uint32_t>(parameters.data()) > room)
        refuse_block("the number of attributes is out of range");
    // A series is no memoized response: its reports repeat nothing.
    Terms own = terms;
    if (entry->series) own.kept = false;
    const std::vector<std::byte> block = make_block(id, own, epsilon, parameters);
    PartRun run{.weight = weight, .own = entry->load(read_header(block, Kind::report), block)};
    run.inner = run.own.get();
    run.series = find_capability<SeriesRandomizer>(*run.inner);
    run.mean = run.series == nullptr && run.inner->can_estimate(Quantity::means);
    return run;
}

/// Reads the run that follows `runs`. `firsts` has the numbers of the runs with parameters of their own.
PartRun read_run(Reader& reader, const Terms& terms, double epsilon, std::uint64_t room,
                 const std::vector<PartRun>& runs, std::vector<std::size_t>& firsts) {
    const auto length = reader.take<std::uint16_t>();
    const auto equal = reader.take<std::uint16_t>();
    if (length == 0 || length > max_attributes) refuse_block("a run of attributes is empty");
    if (equal > firsts.size()) refuse_block("a run of attributes refers to a run that is not before it");
    PartRun run;
    if (equal > 0) {
        const PartRun& first = runs[firsts[equal - 1u]];
        run = {.weight = first.weight,
               .kind = first.kind,
               .inner = first.inner,
               .series = first.series,
               .mean = first.mean};
        if (run.kind == runs.back().kind) refuse_block("two runs of attributes are equal");
    } else {
        run = read_own_run(reader, terms, epsilon, room);
        run.kind = firsts.size();
        for (const std::size_t first : firsts)
            if (runs[first].weight == run.weight &&
                std::ranges::equal(runs[first].inner->block(), run.inner->block()))
                refuse_block("two runs of attributes are equal");
        firsts.push_back(runs.size());
    }
    run.length = length;
    return run;
}

const MechanismEntry* entry_of(const PartRun& run) {
    return find_mechanism(run.inner->header().mechanism);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto s = reader.take<std::uint32_t>();
    const auto count = reader.take<std::uint16_t>();
    if (s == 0 || s > max_attributes) refuse_block("the number of attributes in a report is out of range");
    std::vector<PartRun> runs;
    std::vector<std::size_t> firsts;
    std::uint64_t parts = 0, attributes = 0, line = 0, state = 0, greatest = 0, tables = 0, rounds = 0;
    for (unsigned i = 0; i < count; ++i) {
        // Each run that follows has an attribute at least.
        const std::uint64_t others = attributes + count - i - 1u;
        PartRun run = read_run(reader, header, epsilon_of_each(header.epsilon, s),
                               max_attributes - std::min(others, max_attributes), runs, firsts);
        if (entry_of(run)->purpose == Purpose::joint_tables) tables += run.length;
        if (tables > 1) refuse_block("a record has several parts with joint tables");
        const auto layers = [](const Mechanism& one) { return one.report_epsilon() < one.epsilon(); };
        if (!runs.empty() && layers(*runs.back().inner) != layers(*run.inner))
            refuse_block("a record has attributes in one layer and attributes in two layers");
        if (run.series != nullptr) {
            if (s > 1) refuse_block("a record with a series has several parts in a report");
            if (rounds != 0 && rounds != run.series->rounds())
                refuse_block("the series of a record have different numbers of rounds");
            rounds = run.series->rounds();
        }
        parts += run.length;
        attributes += run.length * (run.series != nullptr ? 1 : run.inner->cells().size());
        if (attributes > max_attributes) refuse_block("the number of attributes is out of range");
        line += run.length * run.weight;
        state += run.length * run.slot_size();
        greatest = std::max(greatest, run.weight);
        runs.push_back(std::move(run));
    }
    reader.finish();
    if (parts < s || attributes < 2) refuse_block("the number of attributes is out of range");
    if (line % s != 0 || greatest > line / s) refuse_block("the weights of the attributes are inconsistent");
    if (state > max_state)
        raise(ErrorCode::invalid_spec, "the summaries of this record would be too large",
              "They would have " + std::to_string(state) + " bytes; allowed are " +
                  std::to_string(max_state) + ".",
              "Lower the number of attributes or of values, or the grid, or name other mechanisms.");
    return std::make_unique<SampledRecord>(header, block, s, std::move(runs));
}

}  // namespace
}  // namespace ldp::sampled

namespace ldp {

RecordLayout layout_of_record(SettingsDraft& draft) {
    OptionValue& together = draft.options.at("joint_tables");
    if (auto* rows = std::get_if<IntegerRows>(&together)) {
        for (auto& set : *rows) std::ranges::sort(set);
        std::ranges::sort(*rows);
        rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
        if (rows->empty()) together = std::string(sampled::together_words[0]);
    }
    RecordLayout layout{
        sampled::sets_of(together), {}, std::get<std::uint64_t>(draft.options.at("per_report"))};
    layout.parts = parts_of(draft.attributes, layout.together);
    return layout;
}

PartTerms RecordLayout::terms(double epsilon, const OptionValues& options, std::uint64_t reported) const {
    const double first = std::get<double>(options.at(second_layer_option.name));
    return {epsilon_of_each(epsilon, reported), first == 0 ? 0 : epsilon_of_each(first, reported),
            std::get<std::uint64_t>(options.at(grid_option.name)), together};
}

void check_layout(SettingsDraft& draft, const RecordLayout& layout) {
    const std::uint64_t s = layout.per_report, d = layout.parts.size();
    if (s > d)
        raise(ErrorCode::invalid_spec, "\"per_report\" exceeds the number of attributes",
              "Found " + std::to_string(s) + "; there are " + std::to_string(d) +
                  (d == draft.attributes.size() ? " attributes." : " parts."));
    if (epsilon_of_each(draft.epsilon, s) < min_epsilon)
        raise(ErrorCode::invalid_spec, "\"per_report\" divides epsilon into too many parts",
              "An attribute requires an epsilon of 0.001; " + std::to_string(s) + " share " +
                  std::to_string(draft.epsilon) + ".");
    settle_second_layer(draft);
}

}  // namespace ldp

namespace ldp::sampled {

const MechanismEntry entry(
    18, "sampled", "sampled attributes of a record",
    "answers to some of the questions only. The questions are drawn at random, independently of your "
    "answers. An answer is your own or, at random, another one",
    Shape::record, max_attributes, write, load, {.automatic = true, .options = options, .settle = settle});

}  // namespace ldp::sampled
