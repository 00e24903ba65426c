#include "client/client.hpp"

#include "core/base/error.hpp"

namespace ldp {

Client::Client(Collection collection, std::unique_ptr<Store> store)
    : collection_(std::move(collection)),
      store_(std::move(store)),
      clamped_(collection_.spec().attributes().size()) {
    store_->bind(collection_.spec().fingerprint());
    if (collection_.spec().evolving()) diary_.emplace(collection_, *store_, bits_);
    if (as_series(collection_.mechanism()) != nullptr) walk_.emplace(collection_, *store_, bits_);
}

Client::Made Client::make(std::span<const Value> record) {
    if (diary_) {
        Placed placed = collection_.place(record);
        Diary::Entry entry = diary_->answer(placed.positions, bits_);
        return {std::move(entry.report), {std::move(placed.clamped), entry.coefficients, entry.origin}};
    }
    Encoded encoded = collection_.encode(record, bits_);
    return {collection_.mechanism().perturb(encoded.cells, bits_),
            {std::move(encoded.clamped), encoded.coefficients, Origin::drawn}};
}

const Receipt& Client::count(const Receipt& receipt) {
    for (const std::size_t j : receipt.clamped) ++clamped_[j];
    clamped_coefficients_ += receipt.coefficients;
    return receipt;
}

void Client::append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks) {
    store_->append(reports, round, marks, diary_ ? diary_->unsaved() : Notes{});
    if (diary_) diary_->saved(round);
}

Receipt Client::follow(std::span<const Value> record, std::int32_t round) {
    Placed placed = collection_.place(record);
    const Standing before = walk_->standing();
    const std::vector<Report> due = walk_->go(round, static_cast<Cell>(placed.positions[0]), bits_);
    try {
        store_->append(due, round, {}, walk_->unsaved());
    } catch (...) {
        walk_->restore(before);
        throw;
    }
    return count({std::move(placed.clamped), 0, due.empty() ? Origin::silent : Origin::drawn});
}

Receipt Client::report(std::span<const Value> record, std::int32_t round) {
    if (walk_) return follow(record, round);
    const auto before = diary_ ? std::optional(diary_->checkpoint()) : std::nullopt;
    const Made made = make(record);
    try {
        append({&made.report, 1}, round, {});
    } catch (...) {
        if (diary_) diary_->restore(*before);
        throw;
    }
    return count(made.receipt);
}

Receipt Client::stage(std::span<const Value> record) {
    if (walk_)
        throw Error(ErrorCode::unsupported, "a series is reported round by round",
                    "One person has one value in a round.", "Use report() and name the round.");
    Made made = make(record);
    staged_.push_back(std::move(made.report));
    return count(made.receipt);
}

void Client::commit(std::int32_t round, std::span<const Mark> marks) {
    append(staged_, round, marks);
    staged_.clear();
}

void Client::discard() {
    staged_.clear();
    if (diary_) diary_->restore();
}

std::span<const Answer> Client::ledger() const {
    if (walk_)
        throw Error(ErrorCode::unsupported, "a series has no ledger",
                    "However many of its rounds are reported, all of them together cost epsilon once.");
    if (!diary_)
        throw Error(ErrorCode::unsupported, "this collection has no ledger",
                    "Its reports are not remembered: each one costs its epsilon again.",
                    "A spec with \"evolving\" and \"budget\" has one.");
    return diary_->ledger();
}

Flushed Client::flush(Carrier& carrier, std::size_t most, const Progress& progress) {
    if (most == 0)
        throw Error(ErrorCode::invalid_value, "a batch must hold at least one report", "Found 0.",
                    "Batches of about 10000 reports are fast and small enough to repeat.");
    Flushed flushed;
    while (const auto batch = store_->next_batch(most)) {
        if (!carrier.deliver(*batch)) ++flushed.repeated;
        store_->confirm(batch->id);
        ++flushed.batches;
        flushed.reports += batch->reports.size();
        if (progress) progress(flushed);
    }
    return flushed;
}

}  // namespace ldp
