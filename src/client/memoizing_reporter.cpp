#include "client/memoizing_reporter.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "client/series_reporter.hpp"
#include "core/base/error.hpp"
#include "core/contract/response_count.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/vector/haar_vector.hpp"

namespace ldp {

namespace {

constexpr std::size_t rounding_state_size = 2 * sizeof(double) + 2 * sizeof(std::uint32_t);

std::vector<std::byte> written(std::span<const RoundingState> rounding_states, const BudgetTerms& budget,
                               bool spent) {
    Writer writer;
    for (const RoundingState& rounding_state : rounding_states) {
        writer.put(rounding_state.last);
        writer.put(rounding_state.moved);
        writer.put(rounding_state.moves);
        writer.put(rounding_state.level);
    }
    if (budget.can_end()) writer.put(static_cast<std::uint8_t>(spent));
    return std::move(writer.bytes());
}

}  // namespace

MemoizingReporter::MemoizingReporter(Collection collection, Store& store, BitSource& bits,
                                     std::vector<std::byte> drawn)
    : collection_(std::move(collection)),
      series_(series_parts(collection_.mechanism())),
      rounding_(collection_.spec(), collection_.mechanism()),
      max_responses_(most_responses(collection_.spec(), collection_.mechanism())),
      rounding_states_(rounding_.rounding_states()),
      budget_(budget_terms(collection_.mechanism().block())) {
    const Mechanism& mechanism = collection_.mechanism();
    if (budget_.has_signal()) signal_.emplace(mechanism);
    Memory memory = store.memory();
    if (memory.public_randomness.empty()) {
        if (!memory.responses.empty())
            refuse_memory("The store has permanent responses, but not their public randomness.");
        if (drawn.empty()) {
            drawn.resize(mechanism.public_size());
            mechanism.draw_public(bits, drawn);
        }
        memory.public_randomness = std::move(drawn);
        Writer alphas;
        for (std::size_t i = 0; i < rounding_.alphas(); ++i) alphas.put(bits.word());
        memory.public_randomness.insert(memory.public_randomness.end(), alphas.bytes().begin(),
                                        alphas.bytes().end());
        std::vector<Checkpoint> checkpoints{{"budget.responses", static_cast<std::int64_t>(max_responses_)}};
        if (signal_) {
            for (const bool spent : {false, true})
                memory.public_randomness.push_back(signal_->draw(spent, bits));
            checkpoints.push_back({"budget.signal", std::bit_cast<std::int64_t>(signal_->epsilon())});
        }
        memory.progress = written(rounding_states_, budget_, spent_);
        store.append({}, 0, checkpoints, {memory.public_randomness, memory.progress});
    }
    load(std::move(memory));
}

void MemoizingReporter::load(Memory memory) {
    const Mechanism& mechanism = collection_.mechanism();
    if (memory.public_randomness.size() != mechanism.public_size() +
                                               rounding_.alphas() * sizeof(std::uint64_t) +
                                               (signal_ ? std::size(signal_bits_) : 0))
        refuse_memory("The public randomness has the wrong size.");
    Reader public_randomness(memory.public_randomness);
    const Bytes own = public_randomness.take_bytes(mechanism.public_size());
    public_.assign(own.begin(), own.end());
    for (std::size_t i = 0; i < rounding_.alphas(); ++i)
        alphas_.push_back(public_randomness.take<std::uint64_t>());
    for (std::size_t i = 0; signal_ && i < std::size(signal_bits_); ++i)
        if ((signal_bits_[i] = public_randomness.take<std::byte>()) > std::byte{1})
            refuse_memory("The signal of a spent budget is invalid.");
    if (!mechanism.valid_public(public_)) refuse_memory("The public randomness is invalid.");
    spans_ = mechanism.key_spans(public_);

    if (memory.progress.size() != rounding_states_.size() * rounding_state_size + (budget_.can_end() ? 1 : 0))
        refuse_memory("The rounding state has the wrong size.");
    Reader rounding_state(memory.progress);
    for (std::size_t i = 0; i < rounding_states_.size(); ++i) {
        rounding_states_[i].last = rounding_state.take<double>();
        rounding_states_[i].moved = rounding_state.take<double>();
        rounding_states_[i].moves = rounding_state.take<std::uint32_t>();
        rounding_states_[i].level = rounding_state.take<std::uint32_t>();
        if (!rounding_.possible(i, rounding_states_[i])) refuse_memory("The rounding state is invalid.");
    }

    if (budget_.can_end()) {
        const auto spent = rounding_state.take<std::uint8_t>();
        if (spent > 1) refuse_memory("The state of the budget is invalid.");
        spent_ = spent == 1;
    }

    responses_ = std::move(memory.responses);
    for (const PermanentResponse& memoized : responses_) {
        if (memoized.key.size() != spans_.size() || memoized.permanent.size() != mechanism.permanent_size() ||
            memoized.epsilon != mechanism.epsilon())
            refuse_memory("A permanent response belongs to another mechanism.");
        if (!mechanism.valid_permanent(public_, memoized.permanent))
            refuse_memory("A permanent response is invalid.");
        if (!index_.emplace(memoized.key, index_.size()).second)
            refuse_memory("A value has two permanent responses.");
    }
    before_ = saved_ = {responses_.size(), rounding_states_, spent_};
}

Reporter::Reported MemoizingReporter::report(std::span<const Value> record, std::optional<std::int32_t> round,
                                             BitSource& bits) {
    const LocalRandomizer& mechanism = collection_.mechanism();
    // The same calls are valid for all people, whichever part they draw.
    if (series_ != nullptr) static_cast<void>(round_of_series(series_->rounds(), round));
    if (spent_ && budget_.end == BudgetEnd::stopped) {
        before_ = {responses_.size(), rounding_states_, spent_};
        return {{}, {{}, Origin::silent}};
    }
    GridRecord placed = collection_.to_grid(record);
    std::vector<RoundingState> rounding_states = rounding_states_;
    std::vector<Cell> cells = rounding_.follow(placed.positions, alphas_, rounding_states);
    placed.set_strings(cells);
    placed.set_labels(cells, [&](std::size_t attribute) { return rounding_.alpha_of(attribute, alphas_); });
    if (series_ != nullptr) cells = series_->constant_input(cells);
    PermanentResponse fresh{mechanism.response_key(cells, public_), {}, mechanism.epsilon()};
    const PermanentResponse* found = &fresh;
    Reported reported{{}, {std::move(placed.clamped), Origin::memoized}};
    auto& [clamped, origin] = reported.receipt;
    clamped.coefficients = collection_.mechanism().clamped(cells);
    if (const auto kept = index_.find(fresh.key); kept != index_.end()) {
        found = &responses_[kept->second];
    } else if (responses_.size() < max_responses_) {
        origin = Origin::drawn;
        fresh.permanent.resize(mechanism.permanent_size());
        mechanism.permanent_response(cells, public_, bits, fresh.permanent);
    } else if (budget_.end == BudgetEnd::stopped) {
        before_ = {responses_.size(), std::exchange(rounding_states_, std::move(rounding_states)),
                   std::exchange(spent_, true)};
        origin = Origin::silent;
        return reported;
    } else {
        origin = Origin::nearest;
        found = &nearest(fresh.key);
    }
    Report& report = reported.reports.emplace_back(frame_report(mechanism.block(), sent_size(mechanism)));
    const MutableBytes sent = payload_of(report, mechanism.block());
    mechanism.instantaneous_response(public_, found->permanent, bits, sent.first(mechanism.payload_size()));
    const bool spent = spent_ || origin == Origin::nearest;
    if (signal_) sent.back() = signal_->send(signal_bits_[spent ? 1 : 0], bits);
    before_.responses = responses_.size();
    if (origin == Origin::drawn) {
        responses_.push_back(std::move(fresh));
        try {
            index_.emplace(responses_.back().key, responses_.size() - 1);
        } catch (...) {
            responses_.pop_back();
            throw;
        }
    }
    before_.rounding_states = std::exchange(rounding_states_, std::move(rounding_states));
    before_.spent = std::exchange(spent_, spent);
    return reported;
}

// The distance of two keys is the sum of the distances of their entries, each divided by the entry's range.
const PermanentResponse& MemoizingReporter::nearest(std::span<const Cell> key) const {
    const auto distance = [&](const PermanentResponse& memoized) {
        double sum = 0;
        for (std::size_t i = 0; i < key.size(); ++i) {
            const Cell a = key[i], b = memoized.key[i];
            if (a != b) sum += spans_[i] == 0 ? 1 : static_cast<double>(a > b ? a - b : b - a) / spans_[i];
        }
        return sum;
    };
    return *std::ranges::min_element(responses_, {}, distance);
}

StateDelta MemoizingReporter::unsaved() {
    progress_ = written(rounding_states_, budget_, spent_);
    return {{}, progress_, std::span(responses_).subspan(saved_.responses)};
}

void MemoizingReporter::commit(std::int32_t round) {
    for (std::size_t i = saved_.responses; i < responses_.size(); ++i) responses_[i].round = round;
    saved_.responses = responses_.size();
    saved_.rounding_states = rounding_states_;
    saved_.spent = spent_;
    before_ = saved_;
}

void MemoizingReporter::restore(const Snapshot& snapshot) {
    for (; responses_.size() > snapshot.responses; responses_.pop_back()) index_.erase(responses_.back().key);
    rounding_states_ = snapshot.rounding_states;
    spent_ = snapshot.spent;
}

}  // namespace ldp
