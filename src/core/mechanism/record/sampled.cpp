// The record of parts on the device, and its counting on the server.
//
// Parameters: s (4 bytes), number of runs (2), then for each run of equal parts its length (2) and r (2). If r is 0,
//             weight (4), mechanism (1), size of its parameters (2) and its parameters follow. Otherwise the run is
//             equal to the r-th run with parameters of its own.
// Public randomness:  s times a part's number and its mechanism's public randomness.
// Permanent response: s times the mechanism's permanent response.
// Payload:    s times a part's number and its mechanism's payload, in ascending order.
// State:      per part: reports (8), its mechanism's state.
//
// Shorter parts are padded with zeros to the size of the longest.

#include "core/mechanism/record/sampled.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"

namespace ldp {

SampledRecord::SampledRecord(const Header& header, Bytes block, std::uint64_t s, std::vector<PartRun> runs)
    : Mechanism(header, block), s_(s), runs_(std::move(runs)) {
    std::uint64_t line = 0;
    std::size_t inputs = 0;
    for (PartRun& run : runs_) {
        if (run.own) kinds_.push_back(run.inner);
        run.inputs = run.inner->cells().size();
        run.width = run.series != nullptr ? 1 : run.inputs;
        run.first_input = inputs;
        inputs += run.length * run.inputs;
        if (run.series != nullptr) rounds_ = run.series->rounds();
        run.first = parts_;
        run.first_attribute = attributes_;
        run.begin = line;
        run.state = state_size_;
        parts_ += run.length;
        run_numbers_.resize(parts_, static_cast<std::uint16_t>(&run - runs_.data()));
        attributes_ += run.length * run.width;
        line += run.length * run.weight;
        run.slot = run.slot_size();
        run.answer = run.inner->payload_size();
        state_size_ += run.length * run.slot;
        public_ = std::max(public_, run.inner->public_size());
        permanent_ = std::max(permanent_, run.inner->permanent_size());
        payload_ = std::max(payload_, run.answer);
    }
    turn_ = line / s_;
    index_ = cell_width(parts_);
    public_ += index_;
    payload_ += index_;
    const auto has_strings = [](const PartRun& run) { return run.inner->can_estimate(Quantity::strings); };
    const auto shares = [&](const PartRun& run) {
        return !run.mean && !has_strings(run) && run.series == nullptr;
    };
    if (std::ranges::any_of(runs_, &PartRun::mean)) answers_.push_back(Quantity::means);
    if (std::ranges::any_of(runs_, shares)) answers_.push_back(Quantity::frequencies);
    if (std::ranges::any_of(runs_, has_strings)) answers_.push_back(Quantity::strings);
    if (answers_.empty()) answers_.push_back(runs_[0].inner->answers()[0]);
}

std::vector<std::uint64_t> SampledRecord::cells() const {
    std::vector<std::uint64_t> all;
    all.reserve(attributes_);
    for (const PartRun& run : runs_) {
        std::vector<std::uint64_t> own = run.inner->cells();
        own.resize(run.width);
        for (std::size_t i = 0; i < run.length; ++i) all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

std::vector<std::uint64_t> SampledRecord::input_cells() const {
    std::vector<std::uint64_t> all;
    for (const PartRun& run : runs_) {
        const std::vector<std::uint64_t> own = run.inner->input_cells();
        for (std::size_t i = 0; i < run.length; ++i) all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

std::vector<std::pair<std::string, double>> SampledRecord::parameters() const {
    const auto [least, most] = std::ranges::minmax_element(runs_, {}, &PartRun::weight);
    std::vector<std::pair<std::string, double>> all{{"attributes", static_cast<double>(attributes_)},
                                                    {"per_report", static_cast<double>(s_)},
                                                    {"epsilon_per_part", runs_[0].inner->epsilon()},
                                                    {"min_probability", chance(*least)},
                                                    {"max_probability", chance(*most)}};
    if (rounds_ > 0) all.emplace_back("series_rounds", static_cast<double>(rounds_));
    if (parts_ != attributes_)
        all.insert(all.begin() + 1, {std::string("parts"), static_cast<double>(parts_)});
    // The parts of one report are independent, so that the ε of their second layers add up.
    std::vector<double> second;
    for (const PartRun& run : runs_) {
        const auto inner = run.inner->parameters();
        const auto found = std::ranges::find(inner, "second_epsilon", &std::pair<std::string, double>::first);
        if (found == inner.end()) return all;
        for (std::size_t i = 0; i < std::min<std::size_t>(run.length, s_); ++i)
            second.push_back(found->second);
    }
    std::ranges::sort(second, std::ranges::greater());
    all.emplace_back("second_epsilon",
                     std::accumulate(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(s_), 0.0));
    return all;
}

SampledRecord::Place SampledRecord::place_of(std::size_t attribute) const noexcept {
    const PartRun& run = std::ranges::upper_bound(runs_, attribute, {}, &PartRun::first_attribute)[-1];
    return {&run, (attribute - run.first_attribute) / run.width};
}

RecordPart SampledRecord::part_of(std::size_t attribute) const {
    check_attribute(attribute, attributes_);
    const Place place = place_of(attribute);
    return {place.run->inner, place.run->first + place.number, place.attribute(), place.run->width,
            chance(*place.run)};
}

// Device ---------------------------------------------------------------------------------------------------

void SampledRecord::draw_public(BitSource& bits, MutableBytes public_randomness) const {
    std::ranges::fill(public_randomness, std::byte{0});
    std::uint64_t point = bits.below(turn_);
    for (std::size_t i = 0; i < s_; ++i, point += turn_) {
        const PartRun& run = std::ranges::upper_bound(runs_, point, {}, &PartRun::begin)[-1];
        const MutableBytes slot = nth(public_randomness, i, public_);
        store_cell(slot.data(), index_, run.first + (point - run.begin) / run.weight);
        run.inner->draw_public(bits, slot.subspan(index_, run.inner->public_size()));
    }
}

void SampledRecord::permanent_response(Input input, Bytes public_randomness, BitSource& bits,
                                       MutableBytes permanent) const {
    std::ranges::fill(permanent, std::byte{0});
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t i) {
        const Mechanism& inner = *place.run->inner;
        inner.permanent_response(input_of(input, place), own, bits,
                                 nth(permanent, i, permanent_).first(inner.permanent_size()));
    });
}

void SampledRecord::instantaneous_response(Bytes public_randomness, Bytes permanent, BitSource& bits,
                                           MutableBytes payload) const {
    std::ranges::fill(payload, std::byte{0});
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t i) {
        const Mechanism& inner = *place.run->inner;
        const MutableBytes answer = nth(payload, i, payload_);
        store_cell(answer.data(), index_, place.run->first + place.number);
        inner.instantaneous_response(own, nth(permanent, i, permanent_).first(inner.permanent_size()), bits,
                                     answer.subspan(index_, inner.payload_size()));
    });
}

std::vector<Cell> SampledRecord::response_key(Input input, Bytes public_randomness) const {
    std::vector<Cell> key;
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t) {
        const std::vector<Cell> part = place.run->inner->response_key(input_of(input, place), own);
        key.insert(key.end(), part.begin(), part.end());
    });
    return key;
}

std::vector<double> SampledRecord::key_spans(Bytes public_randomness) const {
    std::vector<double> spans;
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t) {
        const std::vector<double> part = place.run->inner->key_spans(own);
        spans.insert(spans.end(), part.begin(), part.end());
    });
    return spans;
}

bool SampledRecord::valid_permanent(Bytes public_randomness, Bytes permanent) const {
    bool valid = true;
    for_each_drawn(public_randomness, [&](const Place& place, Bytes own, std::size_t i) {
        const Mechanism& inner = *place.run->inner;
        const Bytes part = nth(permanent, i, permanent_);
        valid = valid && place.run->series == nullptr && all_zero(part.subspan(inner.permanent_size())) &&
                inner.valid_permanent(own, part.first(inner.permanent_size()));
    });
    return valid;
}

double SampledRecord::report_epsilon() const noexcept {
    double most = 0;
    for (const PartRun& run : runs_) most = std::max(most, run.inner->report_epsilon());
    return most < runs_[0].inner->epsilon() ? static_cast<double>(s_) * most : epsilon();
}

// Series ---------------------------------------------------------------------------------------------------

bool SampledRecord::only_series() const noexcept {
    return std::ranges::all_of(runs_, [](const PartRun& run) { return run.series != nullptr; });
}

std::optional<std::size_t> SampledRecord::series_attribute(Bytes public_randomness) const {
    const Place place = part_numbered(number_in(public_randomness));
    if (place.run->series == nullptr) return {};
    return place.attribute();
}

bool SampledRecord::advance(SeriesState& series_state, Cell value, Bytes public_randomness, BitSource& bits,
                            MutableBytes payload) const {
    const Place place = part_numbered(number_in(public_randomness));
    const Mechanism& inner = *place.run->inner;
    if (!place.run->series->advance(series_state, value,
                                    public_randomness.subspan(index_, inner.public_size()), bits,
                                    payload.subspan(index_, inner.payload_size())))
        return false;
    store_cell(payload.data(), index_, number_in(public_randomness));
    return true;
}

bool SampledRecord::possible(const SeriesState& series_state, Bytes public_randomness) const {
    if (!valid_public(public_randomness)) return false;
    const PartRun& run = *part_numbered(number_in(public_randomness)).run;
    return run.series != nullptr &&
           run.series->possible(series_state, public_randomness.subspan(index_, run.inner->public_size()));
}

std::vector<Cell> SampledRecord::constant_input(Input record) const {
    std::vector<Cell> input;
    for_each([&](const Place& place) {
        const Input own = record.subspan(place.attribute(), place.run->width);
        if (place.run->series != nullptr)
            input.insert(input.end(), place.run->inputs, own[0]);
        else
            input.insert(input.end(), own.begin(), own.end());
    });
    return input;
}

// Server ---------------------------------------------------------------------------------------------------

bool SampledRecord::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const auto count = [&](std::size_t i) __attribute__((always_inline)) {
        const Bytes slot = nth(payload, i, payload_);
        const Place place = part_numbered(number_in(slot));
        const MutableBytes counted = state.subspan(place.state());
        if (!place.run->inner->accumulate(counted.subspan(counter_size, place.run->slot - counter_size),
                                          payload_in(slot, *place.run)))
            return false;
        add<std::uint64_t>(counted.data(), 1);
        return true;
    };
    if (s_ == 1) {
        const std::size_t part = number_in(payload);
        return part < parts_ && all_zero(payload.subspan(index_ + part_numbered(part).run->answer)) &&
               count(0);
    }
    // All parts are checked before any is counted, except the last, which is counted first: its mechanism
    // checks the payload that it counts.
    std::size_t checked = 0;
    if (!drawn_together(
            payload, payload_, [](const PartRun& run) { return run.answer; },
            [&](const Mechanism& inner, Bytes own) { return ++checked == s_ || inner.valid_payload(own); }) ||
        !count(s_ - 1))
        return false;
    for (std::size_t i = 0; i + 1 < s_; ++i) static_cast<void>(count(i));
    return true;
}

bool SampledRecord::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    if (s_ > 1) return Mechanism::accumulate_all(state, payloads);
    return payloads.for_each_group(index_, [&](const Payloads& group) {
        const std::size_t part = number_in(group[0]);
        if (part >= parts_) return false;
        const Place place = part_numbered(part);
        const std::size_t end = index_ + place.run->answer;
        for (std::size_t i = 0; i < group.count() && end < payload_; ++i)
            if (!all_zero(group[i].subspan(end))) return false;
        const MutableBytes counted = state.subspan(place.state(), place.run->slot);
        add<std::uint64_t>(counted.data(), group.count());
        return place.run->inner->accumulate_all(counted.subspan(counter_size),
                                                group.part(index_, place.run->answer));
    });
}

void SampledRecord::count_parts(Bytes payload, MutableBytes counters) const noexcept {
    for (std::size_t i = 0; i < s_; ++i)
        add<std::uint64_t>(counters.data() + counter_size * number_in(nth(payload, i, payload_)), 1);
}

void SampledRecord::merge(MutableBytes state, Bytes other) const noexcept {
    for_each([&](const Place& place) {
        const std::size_t at = place.state(), size = place.run->inner->state_size();
        add(state.data() + at, load<std::uint64_t>(other.data() + at));
        place.run->inner->merge(state.subspan(at + counter_size, size),
                                other.subspan(at + counter_size, size));
    });
}

void SampledRecord::append_own_sums(std::size_t at, std::vector<OwnSum>& parts) const {
    for (const PartRun& run : runs_) {
        const std::size_t before = parts.size();
        run.inner->append_own_sums(at + run.state + counter_size, parts);
        const std::size_t each = parts.size() - before;
        for (std::size_t i = 1; each > 0 && i < run.length; ++i)
            for (std::size_t j = 0; j < each; ++j) {
                OwnSum next = parts[before + j];
                next.at += i * run.slot;
                parts.push_back(next);
            }
    }
}

// A value u that leads to these parts lies in all their segments, the i-th moved back by i turns. No such
// value exists if the parts are not in ascending order, or equal, or never drawn together.
template <class Size, class Sound>
bool SampledRecord::drawn_together(Bytes all, std::size_t width, Size size, Sound sound) const noexcept {
    std::int64_t low = 0, high = static_cast<std::int64_t>(turn_);
    for (std::size_t i = 0; i < s_; ++i) {
        const Bytes slot = nth(all, i, width);
        const std::size_t part = number_in(slot);
        if (part >= parts_) return false;
        const auto [run, number] = part_numbered(part);
        const auto begin = static_cast<std::int64_t>(run->begin + number * run->weight) -
                           static_cast<std::int64_t>(i * turn_);
        low = std::max(low, begin);
        high = std::min(high, begin + static_cast<std::int64_t>(run->weight));
        const std::size_t end = index_ + size(*run);
        if (!sound(*run->inner, slot.subspan(index_, end - index_))) return false;
        if (!all_zero(slot.subspan(end))) return false;
    }
    return low < high;
}

bool SampledRecord::valid_public(Bytes public_randomness) const noexcept {
    return drawn_together(
        public_randomness, public_, [](const PartRun& run) { return run.inner->public_size(); },
        [](const Mechanism& inner, Bytes own) { return inner.valid_public(own); });
}

bool SampledRecord::valid_payload(Bytes payload) const noexcept {
    return drawn_together(
        payload, payload_, [](const PartRun& run) { return run.answer; },
        [](const Mechanism& inner, Bytes own) { return inner.valid_payload(own); });
}

// People who report a series differ in their numbers of reports, so that numbers of reports are no numbers of
// people. The share of people who report a part is then its probability.
SummaryView SampledRecord::counted(const Counts& counts, const Place& place) const noexcept {
    const std::size_t at = place.state();
    SummaryView part{{load<std::uint64_t>(counts.state.data() + at),
                      counts.state.subspan(at + counter_size, place.run->inner->state_size())},
                     place.run->inner};
    if (rounds_ > 0) part.drawn = chance(*place.run);
    return part;
}

bool SampledRecord::valid_state(const Counts& counts) const noexcept {
    bool valid = true;
    std::uint64_t sum = 0;
    for_each([&](const Place& place) {
        const SummaryView part = counted(counts, place);
        const bool possible = place.run->weight == turn_ ? part.n == counts.n : part.n <= counts.n;
        valid = valid && possible && place.run->inner->valid_state(part);
        sum += part.n;
    });
    return valid && sum == s_ * counts.n;
}

}  // namespace ldp
