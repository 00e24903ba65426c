#include "client/series_reporter.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace ldp {

namespace {

std::vector<std::byte> written(const Standing& standing) {
    Writer writer;
    writer.put(standing.round);
    writer.put(standing.value);
    writer.put(standing.told);
    writer.put(standing.changes);
    return std::move(writer.bytes());
}

}  // namespace

SeriesReporter::SeriesReporter(Collection collection, Store& store, BitSource& bits)
    : collection_(std::move(collection)), series_(*as_series(collection_.mechanism())) {
    Memory memory = store.memory();
    if (!memory.answers.empty()) refuse_memory("There are answers, which a series does not keep.");
    if (memory.enrolment.empty() && memory.course.empty()) {
        memory.enrolment.resize(collection_.mechanism().enrolment_size());
        collection_.mechanism().enrol(bits, memory.enrolment);
        memory.course = written(standing_);
        store.append({}, 0, {}, {memory.enrolment, memory.course});
    }
    if (memory.enrolment.size() != collection_.mechanism().enrolment_size())
        refuse_memory("The enrolment has another size.");
    if (memory.course.size() != written(standing_).size()) refuse_memory("The standing has another size.");
    Reader reader(memory.course);
    for (std::uint32_t* field : {&standing_.round, &standing_.value, &standing_.told, &standing_.changes})
        *field = reader.take<std::uint32_t>();
    if (!series_.possible(standing_, memory.enrolment)) refuse_memory("It stands where no reports lead to.");
    enrolment_ = std::move(memory.enrolment);
    before_ = saved_ = standing_;
}

Reporter::Reported SeriesReporter::report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) {
    if (!round)
        throw Error(ErrorCode::unsupported, "a series is reported round by round",
                    "One person has one value in a round.", "Use report() and name the round.");
    if (*round < 1 || static_cast<std::uint32_t>(*round) > series_.rounds())
        throw Error(ErrorCode::invalid_value, "the series has no round " + std::to_string(*round),
                    "Its rounds are 1 to " + std::to_string(series_.rounds()) + ".");
    const auto last = static_cast<std::uint32_t>(*round);
    if (last <= standing_.round)
        throw Error(ErrorCode::invalid_value, "round " + std::to_string(*round) + " is over",
                    "The last report was in round " + std::to_string(standing_.round) +
                        "; what was answered then is never answered again.");
    Placed placed = collection_.place(record);
    const auto value = static_cast<Cell>(placed.positions[0]);
    const Mechanism& mechanism = collection_.mechanism();
    const Cell held = standing_.round == 0 ? value : standing_.value;
    Reported reported{{}, {std::move(placed.moved), Origin::silent}};
    Standing next = standing_;
    Report report = frame_report(mechanism.block(), mechanism.payload_size());
    while (next.round < last)
        if (series_.advance(next, next.round + 1 < last ? held : value, enrolment_, bits,
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
    throw Error(ErrorCode::unsupported, "a series has no ledger",
                "However many of its rounds are reported, all of them together cost epsilon once.");
}

}  // namespace ldp
