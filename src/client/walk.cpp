#include "client/walk.hpp"

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

Walk::Walk(Collection collection, Store& store, BitSource& bits)
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
}

std::vector<Report> Walk::go(std::int32_t round, Cell value, BitSource& bits) {
    if (round < 1 || static_cast<std::uint32_t>(round) > series_.rounds())
        throw Error(ErrorCode::invalid_value, "the series has no round " + std::to_string(round),
                    "Its rounds are 1 to " + std::to_string(series_.rounds()) + ".");
    const auto last = static_cast<std::uint32_t>(round);
    if (last <= standing_.round)
        throw Error(ErrorCode::invalid_value, "round " + std::to_string(round) + " is over",
                    "The last report was in round " + std::to_string(standing_.round) +
                        "; what was answered then is never answered again.");
    const Mechanism& mechanism = collection_.mechanism();
    const Cell held = standing_.round == 0 ? value : standing_.value;
    Standing next = standing_;
    std::vector<Report> due;
    Report report(mechanism.block().begin(), mechanism.block().end());
    report.resize(report.size() + mechanism.payload_size());
    while (next.round < last)
        if (series_.advance(next, next.round + 1 < last ? held : value, enrolment_, bits,
                            MutableBytes(report).subspan(mechanism.block().size())))
            due.push_back(report);
    standing_ = next;
    return due;
}

Notes Walk::unsaved() {
    course_ = written(standing_);
    return {{}, course_, {}};
}

}  // namespace ldp
