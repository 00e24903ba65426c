#include "client/series_reporter.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace ldp {

namespace {

std::vector<std::byte> written(const SeriesState& series_state) {
    Writer writer;
    writer.put(series_state.round);
    writer.put(series_state.value);
    writer.put(series_state.told);
    writer.put(series_state.changes);
    return std::move(writer.bytes());
}

}  // namespace

SeriesReporter::SeriesReporter(Collection collection, Store& store, BitSource& bits)
    : collection_(std::move(collection)), series_(capability<SeriesRandomizer>(collection_.mechanism())) {
    Memory memory = store.memory();
    if (!memory.answers.empty()) refuse_memory("There are answers, which a series does not keep.");
    if (memory.public_randomness.empty() && memory.course.empty()) {
        memory.public_randomness.resize(collection_.mechanism().public_size());
        collection_.mechanism().draw_public(bits, memory.public_randomness);
        memory.course = written(standing_);
        store.append({}, 0, {}, {memory.public_randomness, memory.course});
    }
    if (memory.public_randomness.size() != collection_.mechanism().public_size())
        refuse_memory("The public randomness has another size.");
    if (memory.course.size() != written(standing_).size()) refuse_memory("The standing has another size.");
    Reader reader(memory.course);
    for (std::uint32_t* field : {&standing_.round, &standing_.value, &standing_.told, &standing_.changes})
        *field = reader.take<std::uint32_t>();
    if (!series_.possible(standing_, memory.public_randomness))
        refuse_memory("It stands where no reports lead to.");
    public_ = std::move(memory.public_randomness);
    before_ = saved_ = standing_;
}

Reporter::Reported SeriesReporter::report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) {
    if (!round)
        raise(ErrorCode::unsupported, "a series is reported round by round",
              "One person has one value in a round.", "Use report() and name the round.");
    if (*round < 1 || static_cast<std::uint32_t>(*round) > series_.rounds())
        raise(ErrorCode::invalid_value, "the series has no round " + std::to_string(*round),
              "Its rounds are 1 to " + std::to_string(series_.rounds()) + ".");
    const auto last = static_cast<std::uint32_t>(*round);
    if (last <= standing_.round)
        raise(ErrorCode::invalid_value, "round " + std::to_string(*round) + " is over",
              "The last report was in round " + std::to_string(standing_.round) +
                  "; what was answered then is never answered again.");
    Placed placed = collection_.place(record);
    const auto value = static_cast<Cell>(placed.positions[0]);
    const LocalRandomizer& mechanism = collection_.mechanism();
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

Notes SeriesReporter::unsaved() {
    course_ = written(standing_);
    return {{}, course_, {}};
}

std::span<const Answer> SeriesReporter::ledger() const {
    raise(ErrorCode::unsupported, "a series has no ledger",
          "However many of its rounds are reported, all of them together cost epsilon once.");
}

}  // namespace ldp
