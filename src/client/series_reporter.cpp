#include "client/series_reporter.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"

namespace ldp {

namespace {

std::vector<std::byte> written(const SeriesState& series_state) {
    Writer writer;
    writer.put(series_state.round);
    writer.put(series_state.value);
    writer.put(series_state.sign);
    writer.put(series_state.changes);
    return std::move(writer.bytes());
}

}  // namespace

SeriesReporter::SeriesReporter(Collection collection, Store& store, BitSource& bits)
    : collection_(std::move(collection)), series_(capability<SeriesRandomizer>(collection_.mechanism())) {
    Memory memory = store.memory();
    if (!memory.responses.empty())
        refuse_memory("The store has permanent responses, but a series does not have any.");
    if (memory.public_randomness.empty() && memory.course.empty()) {
        memory.public_randomness.resize(collection_.mechanism().public_size());
        collection_.mechanism().draw_public(bits, memory.public_randomness);
        memory.course = written(standing_);
        store.append({}, 0, {}, {memory.public_randomness, memory.course});
    }
    if (memory.public_randomness.size() != collection_.mechanism().public_size())
        refuse_memory("The public randomness has the wrong size.");
    if (memory.course.size() != written(standing_).size())
        refuse_memory("The state of the series has the wrong size.");
    Reader reader(memory.course);
    for (std::uint32_t* field : {&standing_.round, &standing_.value, &standing_.sign, &standing_.changes})
        *field = reader.take<std::uint32_t>();
    if (!series_.possible(standing_, memory.public_randomness))
        refuse_memory("The state of the series is impossible.");
    public_ = std::move(memory.public_randomness);
    before_ = saved_ = standing_;
}

Reporter::Reported SeriesReporter::report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) {
    if (!round)
        raise(ErrorCode::unsupported, "reports of a series need a round",
              "A person has one value in each round.", "Use report() with a round.");
    if (*round < 1 || static_cast<std::uint32_t>(*round) > series_.rounds())
        raise(ErrorCode::invalid_value, "the series does not have round " + std::to_string(*round),
              "Its rounds are 1 to " + std::to_string(series_.rounds()) + ".");
    const auto last = static_cast<std::uint32_t>(*round);
    if (last <= standing_.round)
        raise(ErrorCode::invalid_value, "round " + std::to_string(*round) + " is over",
              "The last report was in round " + std::to_string(standing_.round) +
                  ". Rounds must be reported in ascending order.");
    GridRecord placed = collection_.to_grid(record);
    const LocalRandomizer& mechanism = collection_.mechanism();
    // A number is reported as its nearest grid point. Random rounding would make a constant number change.
    const auto value = static_cast<Cell>(std::lround(placed.positions[0]));
    const Cell held = standing_.round == 0 ? value : standing_.value;
    Reported reported{{}, {std::move(placed.clamped), Origin::silent}};
    SeriesState next = standing_;
    Report report = frame_report(mechanism.block(), mechanism.payload_size());
    while (next.round < last)
        if (series_.advance(next, next.round + 1 < last ? held : value, public_, bits,
                            payload_of(report, mechanism.block()))) {
            reported.reports.push_back(report);
            reported.receipt.origin = Origin::drawn;
        }
    before_ = std::exchange(standing_, next);
    return reported;
}

StateDelta SeriesReporter::unsaved() {
    course_ = written(standing_);
    return {{}, course_, {}};
}

std::span<const PermanentResponse> SeriesReporter::ledger() const {
    raise(ErrorCode::unsupported, "a series has no ledger",
          "All rounds of a series together cost epsilon once.");
}

}  // namespace ldp
