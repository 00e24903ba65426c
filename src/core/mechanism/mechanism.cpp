#include "core/mechanism/mechanism.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/mechanism/all.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

void check_attribute(std::size_t attribute, std::size_t attributes) {
    if (attribute >= attributes)
        throw Error(ErrorCode::invalid_value, "there is no attribute " + std::to_string(attribute),
                    "They are numbered from 0 to " + std::to_string(attributes - 1) + ".");
}

void Mechanism::respond(Bytes, Bytes memo, BitSource&, MutableBytes payload) const {
    std::ranges::copy(memo, payload.begin());
}

std::vector<Cell> Mechanism::memo_key(Input input, Bytes) const {
    return {input.begin(), input.end()};
}

std::uint64_t Mechanism::most_keys() const noexcept {
    Uint128 keys = 1;
    for (const std::uint64_t each : cells())
        keys = std::min<Uint128>(keys * each, std::numeric_limits<std::uint64_t>::max());
    return static_cast<std::uint64_t>(keys);
}

Exact Mechanism::response_probability(Bytes enrolment, Bytes memo, Bytes payload) const {
    struct NoBits final : BitSource {
        std::uint64_t word() override { throw std::logic_error("this response is random"); }
    } none;
    std::vector<std::byte> response(payload_size());
    respond(enrolment, memo, none, response);
    return exact(std::ranges::equal(response, payload) ? 1 : 0, 1);
}

Exact Mechanism::first_report_ratio() const {
    return worst_ratio();
}

Report Mechanism::perturb(Input input, BitSource& bits) const {
    const std::vector<std::uint64_t> sizes = cells();
    if (input.size() != sizes.size())
        throw Error(
            ErrorCode::invalid_value, "the record has the wrong number of values",
            "Found " + std::to_string(input.size()) + ", expected " + std::to_string(sizes.size()) + ".");
    for (std::size_t j = 0; j < sizes.size(); ++j)
        if (input[j] >= sizes[j])
            throw Error(ErrorCode::invalid_value, "a cell number is out of range",
                        "Attribute " + std::to_string(j) + " has cell " + std::to_string(input[j]) +
                            "; its cells are 0 to " + std::to_string(sizes[j] - 1) + ".");
    std::vector<std::byte> enrolment(enrolment_size());
    std::vector<std::byte> memo(memo_size());
    Report report = frame_report(block_, payload_size());
    enrol(bits, enrolment);
    randomise(input, enrolment, bits, memo);
    respond(enrolment, memo, bits, payload_of(report, block_));
    return report;
}

// A mechanism that tells shares first takes values that are in no order.
std::vector<double> Mechanism::key_spans(Bytes) const {
    std::vector<double> spans;
    for (const std::uint64_t each : cells())
        spans.push_back(answers()[0] == Quantity::frequencies ? 0 : static_cast<double>(each - 1));
    return spans;
}

Part Mechanism::part(std::uint64_t n, Bytes state, std::size_t attribute) const {
    check_attribute(attribute, cells().size());
    return {this, n, state};
}

Estimate Mechanism::group_mean(std::uint64_t, Bytes, std::size_t, std::size_t, Target) const {
    throw Error(ErrorCode::unsupported, "these reports do not tell the mean of several attributes", {},
                "That needs a record of numeric attributes, such as haar or sampled collect.");
}

// The variance of every card is a quadratic function of the mean and symmetric about the middle of the range,
// so that it is largest there or at an end. An oracle's is linear in the frequency, and frequencies add up to
// 1: its average is that at their average.
double Mechanism::promised_variance(std::size_t attribute) const {
    if (answers()[0] == Quantity::means) return std::max({n_variance(-1), n_variance(0), n_variance(1)});
    return n_variance(1 / static_cast<double>(cells()[attribute]));
}

double Mechanism::p_value(std::uint64_t, const Estimate&) const {
    throw Error(ErrorCode::unsupported, "these reports have no values that people hold or do not hold", {},
                "Significance belongs to the frequencies of a categorical attribute.");
}

std::vector<Picked> Mechanism::pick(std::uint64_t, Bytes, Selection) const {
    throw Error(ErrorCode::unsupported, "these reports need no picking of candidates",
                "Each value of the domain has an estimate of its own.", "Use ldp_top.");
}

std::span<const MechanismEntry* const> registry() noexcept {
    static constexpr const MechanismEntry* entries[] = {
        &grr_entry,         &oue_entry,         &piecewise_entry, &pdp_entry,          &haar_entry,
        &sue_entry,         &subset_entry,      &blh_entry,       &olh_entry,          &hadamard_entry,
        &projective_entry,  &rappor_entry,      &laplace_entry,   &duchi_entry,        &onebit_entry,
        &hybrid_entry,      &square_wave_entry, &sampled_entry,   &duchi_vector_entry, &haar_ordered_entry,
        &haar_ranges_entry, &l_grr_entry,       &l_sue_entry,     &l_oue_entry,        &loloha_entry,
        &dbitflip_entry,    &ddrm_entry,
    };
    return entries;
}

const MechanismEntry* find_mechanism(std::string_view name) noexcept {
    const auto found = std::ranges::find(registry(), name, &MechanismEntry::name);
    return found == registry().end() ? nullptr : *found;
}

std::unique_ptr<const Mechanism> load_mechanism(Bytes bytes, Kind kind) {
    const Header header = read_header(bytes, kind);
    const auto found = std::ranges::find(registry(), header.mechanism, &MechanismEntry::id);
    if (found != registry().end()) return (*found)->load(header, bytes.first(header.block_size));
    throw Error(ErrorCode::malformed, "unknown mechanism number " + std::to_string(header.mechanism), {},
                "Newer clients need a newer server extension.");
}

std::unique_ptr<const Mechanism> make_mechanism(const Spec& spec) {
    Writer parameters;
    spec.mechanism().write(spec, parameters);
    const std::vector<std::byte> block =
        make_block(spec.mechanism().id, spec.fingerprint(), spec.epsilon(), parameters.bytes());
    return load_mechanism(block, Kind::report);
}

}  // namespace ldp
