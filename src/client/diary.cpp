#include "client/diary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/composition.hpp"
#include "core/base/error.hpp"

namespace ldp {

namespace {

constexpr std::size_t course_size = 2 * sizeof(double) + 2 * sizeof(std::uint32_t);

std::vector<std::byte> written(std::span<const Course> courses) {
    Writer writer;
    for (const Course& course : courses) {
        writer.put(course.last);
        writer.put(course.moved);
        writer.put(course.moves);
        writer.put(course.rung);
    }
    return std::move(writer.bytes());
}

}  // namespace

Spent spent(std::span<const Answer> ledger, double delta) {
    if (!(delta > 0 && delta < 1))
        throw Error(ErrorCode::invalid_value, "delta must be between 0 and 1",
                    "It is the probability with which the advanced figure may not hold.");
    const double epsilon = ledger.empty() ? 0 : ledger.front().epsilon;
    const std::uint64_t count = ledger.size();
    return {count, epsilon, static_cast<double>(count) * epsilon, advanced_composition(count, epsilon, delta),
            delta};
}

Diary::Diary(const Collection& collection, Store& store, BitSource& bits)
    : collection_(collection),
      rounding_(collection.spec(), collection.mechanism()),
      most_answers_(std::min(collection.mechanism().most_keys(),
                             collection.spec().budget().value().answers(collection.spec().epsilon()))),
      courses_(rounding_.courses()) {
    const Mechanism& mechanism = collection_.mechanism();
    Memory memory = store.memory();
    if (memory.enrolment.empty()) {
        if (!memory.answers.empty())
            refuse_memory("There are answers, but not the enrolment they were drawn under.");
        memory.enrolment.resize(mechanism.enrolment_size());
        mechanism.enrol(bits, memory.enrolment);
        Writer alphas;
        for (std::size_t i = 0; i < rounding_.alphas(); ++i) alphas.put(bits.word());
        memory.enrolment.insert(memory.enrolment.end(), alphas.bytes().begin(), alphas.bytes().end());
        memory.course = written(courses_);
        const Mark marks[] = {{"budget.answers", static_cast<std::int64_t>(most_answers_)}};
        store.append({}, 0, marks, {memory.enrolment, memory.course});
    }
    load(std::move(memory));
}

void Diary::load(Memory memory) {
    const Mechanism& mechanism = collection_.mechanism();
    if (memory.enrolment.size() != mechanism.enrolment_size() + rounding_.alphas() * sizeof(std::uint64_t))
        refuse_memory("The enrolment has another size.");
    Reader enrolment(memory.enrolment);
    const Bytes own = enrolment.take_bytes(mechanism.enrolment_size());
    enrolment_.assign(own.begin(), own.end());
    for (std::size_t i = 0; i < rounding_.alphas(); ++i) alphas_.push_back(enrolment.take<std::uint64_t>());
    spans_ = mechanism.key_spans(enrolment_);

    if (memory.course.size() != courses_.size() * course_size)
        refuse_memory("The windows have another size.");
    Reader course(memory.course);
    for (std::size_t i = 0; i < courses_.size(); ++i) {
        courses_[i].last = course.take<double>();
        courses_[i].moved = course.take<double>();
        courses_[i].moves = course.take<std::uint32_t>();
        courses_[i].rung = course.take<std::uint32_t>();
        if (!rounding_.possible(i, courses_[i])) refuse_memory("A window holds what no reports lead to.");
    }

    answers_ = std::move(memory.answers);
    for (const Answer& answer : answers_) {
        if (answer.key.size() != spans_.size() || answer.memo.size() != mechanism.memo_size() ||
            answer.epsilon != mechanism.epsilon())
            refuse_memory("An answer is of another mechanism.");
        if (!index_.emplace(answer.key, index_.size()).second) refuse_memory("A value has two answers.");
    }
    saved_ = checkpoint();
}

Diary::Entry Diary::answer(std::span<const double> positions, BitSource& bits) {
    const Mechanism& mechanism = collection_.mechanism();
    std::vector<Course> courses = courses_;
    const std::vector<Cell> cells = rounding_.follow(positions, alphas_, courses);
    Answer fresh{mechanism.memo_key(cells, enrolment_), {}, mechanism.epsilon()};
    const Answer* found = &fresh;
    Entry entry{Report(mechanism.block().size() + mechanism.payload_size()), mechanism.clamped(cells),
                Origin::kept};
    if (const auto kept = index_.find(fresh.key); kept != index_.end()) {
        found = &answers_[kept->second];
    } else if (answers_.size() < most_answers_) {
        entry.origin = Origin::drawn;
        fresh.memo.resize(mechanism.memo_size());
        mechanism.randomise(cells, enrolment_, bits, fresh.memo);
    } else if (collection_.spec().budget()->when_spent == Budget::Spent::repeat) {
        entry.origin = Origin::nearest;
        found = &nearest(fresh.key);
    } else {
        throw Error(
            ErrorCode::spent, "the budget of this person is spent",
            "It paid for " + std::to_string(most_answers_) + " answers, and this value has none of them.",
            "Values that were answered before can still be reported. A spec whose budget says "
            "\"when_spent\": \"repeat\" gives the nearest answer instead.");
    }
    std::ranges::copy(mechanism.block(), entry.report.begin());
    mechanism.respond(enrolment_, found->memo, bits,
                      MutableBytes(entry.report).subspan(mechanism.block().size()));
    if (entry.origin == Origin::drawn) {
        answers_.push_back(std::move(fresh));
        try {
            index_.emplace(answers_.back().key, answers_.size() - 1);
        } catch (...) {
            answers_.pop_back();
            throw;
        }
    }
    courses_.swap(courses);
    return entry;
}

// The distance of two keys is the sum of their entries', each as a share of what it can be.
const Answer& Diary::nearest(std::span<const Cell> key) const {
    const auto distance = [&](const Answer& answer) {
        double sum = 0;
        for (std::size_t i = 0; i < key.size(); ++i) {
            const Cell a = key[i], b = answer.key[i];
            if (a != b) sum += spans_[i] == 0 ? 1 : static_cast<double>(a > b ? a - b : b - a) / spans_[i];
        }
        return sum;
    };
    return *std::ranges::min_element(answers_, {}, distance);
}

Notes Diary::unsaved() {
    course_ = written(courses_);
    return {{}, course_, std::span(answers_).subspan(saved_.answers)};
}

void Diary::saved(std::int32_t round) {
    for (std::size_t i = saved_.answers; i < answers_.size(); ++i) answers_[i].round = round;
    saved_ = checkpoint();
}

void Diary::restore(const Checkpoint& checkpoint) {
    for (; answers_.size() > checkpoint.answers; answers_.pop_back()) index_.erase(answers_.back().key);
    courses_ = checkpoint.courses;
}

}  // namespace ldp
