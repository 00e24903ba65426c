#include "client/series_reporter.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/mechanism/role/spent_signal.hpp"

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

std::uint32_t round_of_series(std::uint32_t rounds, std::optional<std::int32_t> round) {
    if (!round)
        raise(ErrorCode::unsupported, "reports of a series need a round",
              "A person has one value in each round.", "Use report() with a round.");
    if (*round < 1 || static_cast<std::uint32_t>(*round) > rounds)
        raise(ErrorCode::invalid_value, "the series does not have round " + std::to_string(*round),
              "Its rounds are 1 to " + std::to_string(rounds) + ".");
    return static_cast<std::uint32_t>(*round);
}

SeriesReporter::SeriesReporter(Collection collection, Store& store, BitSource& bits,
                               std::vector<std::byte> drawn)
    : collection_(std::move(collection)),
      series_(find_capability<SeriesRandomizer>(collection_.mechanism())),
      parts_(series_parts(collection_.mechanism())),
      rounds_(rounds_of_series(collection_.mechanism())) {
    const Mechanism& mechanism = collection_.mechanism();
    Memory memory = store.memory();
    if (memory.public_randomness.empty() && memory.progress.empty() && memory.responses.empty()) {
        if (drawn.empty()) {
            drawn.resize(mechanism.public_size());
            mechanism.draw_public(bits, drawn);
        }
        memory.public_randomness = std::move(drawn);
        std::vector<Checkpoint> checkpoints;
        if (mechanism.header().kept) checkpoints.push_back({"budget.responses", 1});
        if (has_signal(mechanism))
            memory.public_randomness.push_back(SpentSignal(mechanism).draw(false, bits));
        memory.progress = written(standing_);
        store.append({}, 0, checkpoints, {memory.public_randomness, memory.progress});
    }
    load(std::move(memory));
}

void SeriesReporter::load(Memory memory) {
    const Mechanism& mechanism = collection_.mechanism();
    const std::size_t size = mechanism.public_size();
    const bool signal = has_signal(mechanism);
    if (memory.public_randomness.size() != size + (signal ? 1 : 0))
        refuse_memory("The public randomness has the wrong size.");
    if (memory.progress.size() != written(standing_).size())
        refuse_memory("The state of the series has the wrong size.");
    Reader reader(memory.progress);
    for (std::uint32_t* field : {&standing_.round, &standing_.value, &standing_.sign, &standing_.changes})
        *field = reader.take<std::uint32_t>();
    public_.assign(memory.public_randomness.begin(),
                   memory.public_randomness.begin() + static_cast<std::ptrdiff_t>(size));
    if (signal && (signal_ = memory.public_randomness.back()) > std::byte{1})
        refuse_memory("The signal of a spent budget is invalid.");
    if (!(series_ != nullptr ? series_->possible(standing_, public_) : parts_->possible(standing_, public_)))
        refuse_memory("The state of the series is invalid.");
    if (parts_ != nullptr) attribute_ = parts_->series_attribute(public_).value();
    if (memory.responses.size() != (mechanism.header().kept && standing_.round > 0 ? 1 : 0))
        refuse_memory("The permanent responses do not belong to a series.");
    for (const PermanentResponse& memoized : memory.responses)
        if (!memoized.key.empty() || !memoized.permanent.empty() || memoized.epsilon != mechanism.epsilon())
            refuse_memory("A permanent response belongs to another mechanism.");
    responses_ = std::move(memory.responses);
    before_ = saved_ = {standing_, responses_.size()};
}

bool SeriesReporter::advance(SeriesState& series_state, Cell value, BitSource& bits,
                             MutableBytes payload) const {
    return series_ != nullptr ? series_->advance(series_state, value, public_, bits, payload)
                              : parts_->advance(series_state, value, public_, bits, payload);
}

Reporter::Reported SeriesReporter::report(std::span<const Value> record, std::optional<std::int32_t> round,
                                          BitSource& bits) {
    const std::uint32_t last = round_of_series(rounds_, round);
    if (last <= standing_.round)
        raise(ErrorCode::invalid_value, "round " + std::to_string(last) + " is over",
              "The last report was in round " + std::to_string(standing_.round) +
                  ". Rounds must be reported in ascending order.");
    GridRecord placed = collection_.to_grid(record);
    const Mechanism& mechanism = collection_.mechanism();
    // A number is reported as its nearest grid point. Random rounding would make a constant number change.
    const auto value = static_cast<Cell>(std::lround(placed.positions[attribute_]));
    const Cell held = standing_.round == 0 ? value : standing_.value;
    Reported reported{{}, {std::move(placed.clamped), Origin::silent}};
    SeriesState next = standing_;
    Report report = frame_report(mechanism.block(), sent_size(mechanism));
    const MutableBytes sent = payload_of(report, mechanism.block());
    const std::optional<SpentSignal> signal =
        has_signal(mechanism) ? std::optional<SpentSignal>(mechanism) : std::nullopt;
    while (next.round < last)
        if (advance(next, next.round + 1 < last ? held : value, bits, sent.first(mechanism.payload_size()))) {
            if (signal) sent.back() = signal->send(signal_, bits);
            reported.reports.push_back(report);
            reported.receipt.origin = Origin::drawn;
        }
    before_ = {std::exchange(standing_, next), responses_.size()};
    if (mechanism.header().kept && responses_.empty()) responses_.push_back({{}, {}, mechanism.epsilon()});
    return reported;
}

StateDelta SeriesReporter::unsaved() {
    progress_ = written(standing_);
    return {{}, progress_, std::span(responses_).subspan(saved_.responses)};
}

void SeriesReporter::commit(std::int32_t round) {
    for (std::size_t i = saved_.responses; i < responses_.size(); ++i) responses_[i].round = round;
    before_ = saved_ = {standing_, responses_.size()};
}

void SeriesReporter::restore(const SavedSeries& saved) {
    standing_ = saved.standing;
    responses_.resize(saved.responses);
}

std::span<const PermanentResponse> SeriesReporter::ledger() const {
    if (collection_.mechanism().header().kept) return responses_;
    raise(ErrorCode::unsupported, "a series has no ledger",
          "All rounds of a series together cost epsilon once.");
}

}  // namespace ldp
