#include "core/summary/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

namespace {

constexpr std::size_t count_size = sizeof(std::uint64_t);

std::size_t state_offset(const Mechanism& mechanism) noexcept {
    return mechanism.block().size() + count_size;
}

const char* name(Quantity quantity) noexcept {
    switch (quantity) {
        case Quantity::frequencies:
            return "frequencies";
        case Quantity::means:
            return "means";
        case Quantity::coefficients:
            return "Haar coefficients";
        case Quantity::distribution:
            return "the distribution";
    }
    return "";
}

const char* mechanism_name(std::uint8_t id) noexcept {
    const auto found = std::ranges::find(registry(), id, &MechanismEntry::id);
    return found == registry().end() ? "unknown" : (*found)->name;
}

std::uint64_t some_reports(const Mechanism& mechanism, Bytes summary) {
    const std::uint64_t n = summary_count(mechanism, summary);
    if (n == 0)
        throw Error(ErrorCode::invalid_value, "the summary holds no reports", {},
                    "Estimates need at least one report.");
    return n;
}

[[noreturn]] void impossible(const char* what) {
    throw Error(ErrorCode::malformed, what, "No randomiser under its parameters could have led to it.",
                "The bytes were damaged or forged.");
}

}  // namespace

std::size_t summary_size(const Mechanism& mechanism) noexcept {
    return state_offset(mechanism) + mechanism.state_size();
}

void start_summary(const Mechanism& mechanism, MutableBytes summary) noexcept {
    std::ranges::copy(mechanism.block(), summary.begin());
    summary[1] = static_cast<std::byte>(Kind::summary);
    std::ranges::fill(summary.subspan(mechanism.block().size()), std::byte{0});
}

bool is_summary_of(const Mechanism& mechanism, Bytes summary) noexcept {
    return summary.size() == summary_size(mechanism) && begins_with_block(summary, mechanism.block()) &&
           summary[1] == static_cast<std::byte>(Kind::summary);
}

std::uint64_t summary_count(const Mechanism& mechanism, Bytes summary) noexcept {
    return load<std::uint64_t>(summary.data() + mechanism.block().size());
}

Bytes summary_state(const Mechanism& mechanism, Bytes summary) noexcept {
    return summary.subspan(state_offset(mechanism));
}

Outcome accumulate(const Mechanism& mechanism, MutableBytes summary, Bytes report) noexcept {
    const std::size_t block = mechanism.block().size();
    if (!begins_with_block(report, mechanism.block()) || report[1] != static_cast<std::byte>(Kind::report))
        return Outcome::mismatch;
    if (report.size() != block + mechanism.payload_size()) return Outcome::malformed;
    if (summary_count(mechanism, summary) >= max_count) return Outcome::full;
    if (!mechanism.accumulate(summary.subspan(block + count_size), report.subspan(block)))
        return Outcome::malformed;
    add<std::uint64_t>(summary.data() + block, 1);
    return Outcome::ok;
}

Outcome merge(const Mechanism& mechanism, MutableBytes into, Bytes other) noexcept {
    if (!is_summary_of(mechanism, other)) return Outcome::mismatch;
    const std::uint64_t ours = summary_count(mechanism, into);
    const std::uint64_t theirs = summary_count(mechanism, other);
    if (ours > max_count || theirs > max_count - ours) return Outcome::full;
    mechanism.merge(into.subspan(state_offset(mechanism)), other.subspan(state_offset(mechanism)));
    add<std::uint64_t>(into.data() + mechanism.block().size(), theirs);
    return Outcome::ok;
}

void check_answers(const Mechanism& mechanism, Quantity quantity) {
    const auto known = mechanism.answers();
    if (std::ranges::find(known, quantity) != known.end()) return;
    std::string offered;
    for (const Quantity other : known) offered += (offered.empty() ? "" : " and ") + std::string(name(other));
    throw Error(ErrorCode::unsupported,
                std::string("reports of ") + mechanism_name(mechanism.header().mechanism) + " do not tell " +
                    name(quantity),
                {}, "They tell " + offered + ".");
}

std::vector<Estimate> estimate(const Mechanism& mechanism, Bytes summary, const Question& question) {
    check_answers(mechanism, question.quantity);
    const std::uint64_t n = some_reports(mechanism, summary);
    return mechanism.estimate(n, summary_state(mechanism, summary), question);
}

Estimate group_mean(const Mechanism& mechanism, Bytes summary, std::size_t first, std::size_t last,
                    Target target) {
    const std::uint64_t n = some_reports(mechanism, summary);
    return mechanism.group_mean(n, summary_state(mechanism, summary), first, last, target);
}

std::uint64_t part_fingerprint(std::uint64_t fingerprint, std::size_t attribute) {
    ContentHash hash;
    hash.add(fingerprint_text(fingerprint) + "/" + std::to_string(attribute));
    return hash.value();
}

std::vector<std::byte> summary_of_part(const Mechanism& mechanism, Bytes summary, std::size_t attribute) {
    const Part part =
        mechanism.part(summary_count(mechanism, summary), summary_state(mechanism, summary), attribute);
    if (part.mechanism == &mechanism) {
        if (mechanism.cells().size() == 1) return {summary.begin(), summary.end()};
        throw Error(ErrorCode::unsupported, "each of these reports is about several attributes",
                    "Only the mechanism sampled has people report single attributes of a record.",
                    "Ask for means with ldp_means.");
    }
    const Header& header = part.mechanism->header();
    Writer writer;
    writer.put_bytes(make_block(header.mechanism, part_fingerprint(header.fingerprint, attribute),
                                header.epsilon, part.mechanism->block().subspan(header_size)));
    writer.put(part.n);
    writer.put_bytes(part.state);
    writer.bytes()[1] = static_cast<std::byte>(Kind::summary);
    return writer.bytes();
}

std::vector<Picked> pick(const Mechanism& mechanism, Bytes summary, Selection selection) {
    const std::uint64_t n = some_reports(mechanism, summary);
    return mechanism.pick(n, summary_state(mechanism, summary), selection);
}

std::vector<Check> health(const Mechanism& mechanism, Bytes summary) {
    const std::uint64_t n = summary_count(mechanism, summary);
    if (n == 0) return {};
    return mechanism.health(n, summary_state(mechanism, summary));
}

void check_report(const Mechanism& mechanism, Bytes report) {
    const std::size_t expected = mechanism.block().size() + mechanism.payload_size();
    if (report.size() != expected)
        throw Error(ErrorCode::malformed, "the report has the wrong length",
                    "Found " + std::to_string(report.size()) + " bytes; its parameters say " +
                        std::to_string(expected) + ".",
                    "It was cut short, damaged, or does not come from ldp.");
    if (!mechanism.valid_payload(report.subspan(mechanism.block().size())))
        impossible("the report's payload is impossible");
}

void check_summary(const Mechanism& mechanism, Bytes summary) {
    const std::size_t expected = summary_size(mechanism);
    if (summary.size() != expected)
        throw Error(
            ErrorCode::malformed, "the summary has the wrong length",
            "Found " + std::to_string(summary.size()) + " bytes; its parameters say " +
                std::to_string(expected) + ".",
            "It was cut short or damaged, does not come from ldp, or was made by version 0.1: aggregate its "
            "reports again.");
    const std::uint64_t n = summary_count(mechanism, summary);
    if (n > max_count || !mechanism.valid_state(n, summary.subspan(state_offset(mechanism))))
        impossible("the summary's counts are impossible");
}

void throw_incompatible(Bytes expected, Bytes found) {
    throw Error(ErrorCode::incompatible, "reports under different specs cannot be counted together",
                "Expected " + describe(expected) + "; found " + describe(found) + ".",
                "Group by spec, or select the reports of one collection.");
}

void throw_outcome(Outcome outcome, Bytes summary, Bytes added) {
    switch (outcome) {
        case Outcome::mismatch:
            throw_incompatible(summary, added);
        case Outcome::full:
            throw Error(ErrorCode::full, "the summary is full",
                        "A summary counts at most " + std::to_string(max_count) + " reports.",
                        "Keep several summaries, one for each period.");
        default:
            impossible("the report's payload is impossible");
    }
}

std::string describe(Bytes bytes) {
    if (bytes.size() < header_size) return "bytes that are no report";
    char text[96];
    (void)std::snprintf(text, sizeof(text), "%s, epsilon %g, spec %s",
                        mechanism_name(load<std::uint8_t>(bytes.data() + 2)), load<double>(bytes.data() + 16),
                        fingerprint_text(load<std::uint64_t>(bytes.data() + 8)).c_str());
    return text;
}

std::string parameters_json(const Mechanism& mechanism) {
    nlohmann::json parameters = nlohmann::json::object();
    for (const auto& [key, value] : mechanism.parameters()) parameters[key] = value;
    return nlohmann::json{{"mechanism", mechanism_name(mechanism.header().mechanism)},
                          {"epsilon", mechanism.epsilon()},
                          {"spec", fingerprint_text(mechanism.header().fingerprint)},
                          {"parameters", parameters}}
        .dump();
}

}  // namespace ldp
