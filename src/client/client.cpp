#include "client/client.hpp"

#include <iterator>
#include <optional>

#include "client/reporter.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace ldp {

Client::Client(Collection collection, std::unique_ptr<Store> store)
    : collection_(std::move(collection)),
      store_(std::move(store)),
      bits_(std::make_unique<SystemRandom>()),
      moved_{std::vector<std::uint64_t>(collection_.spec().attributes().size())} {
    store_->bind(collection_.spec().fingerprint());
    reporter_ = make_reporter(collection_, *store_, *bits_);
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Receipt Client::report(std::span<const Value> record, std::int32_t round) {
    auto [reports, receipt] = reporter_->report(record, round, *bits_);
    try {
        append(reports, round, {});
    } catch (...) {
        reporter_->undo();
        throw;
    }
    moved_.add(receipt.moved);
    return std::move(receipt);
}

Receipt Client::stage(std::span<const Value> record) {
    auto [reports, receipt] = reporter_->report(record, std::nullopt, *bits_);
    try {
        staged_.insert(staged_.end(), std::move_iterator(reports.begin()), std::move_iterator(reports.end()));
    } catch (...) {
        reporter_->undo();
        throw;
    }
    moved_.add(receipt.moved);
    return std::move(receipt);
}

void Client::append(std::span<const Report> reports, std::int32_t round, std::span<const Mark> marks) {
    store_->append(reports, round, marks, reporter_->unsaved());
    reporter_->commit(round);
}

void Client::commit(std::int32_t round, std::span<const Mark> marks) {
    append(staged_, round, marks);
    staged_.clear();
}

void Client::discard() {
    staged_.clear();
    reporter_->rollback();
}

std::span<const Answer> Client::ledger() const {
    return reporter_->ledger();
}

Flushed Client::flush(Carrier& carrier, std::size_t most, const Progress& progress) {
    if (most == 0)
        raise(ErrorCode::invalid_value, "a batch must hold at least one report", "Found 0.",
              "Batches of about 10000 reports are fast and small enough to repeat.");
    constexpr int suspicious = 10;  // refused in a row
    const std::size_t aside = store_->refused().size();
    Flushed flushed;
    std::optional<Undelivered> refusal;
    const auto refuse_all = [&](const std::string& what) {
        raise(ErrorCode::environment, what + ": " + refusal->what(), refusal->detail(),
              "They were set aside, and can be queued again when the cause is found. " + refusal->hint());
    };
    int in_a_row = 0;
    while (const auto batch = store_->next_batch(batch_size_.at_most(most))) {
        try {
            if (!carrier.deliver(*batch)) ++flushed.repeated;
        } catch (const Undelivered& why) {
            const bool single = batch->reports.size() == 1;
            if (why.verdict() == Verdict::outdated) {
                store_->retire();
                store_->bind(collection_.spec().fingerprint());  // refuses, and says why
            }
            if (!single) {
                store_->release(batch->id);
                batch_size_.halve(batch->reports.size(), why.verdict() == Verdict::too_large);
                continue;
            }
            if (why.verdict() == Verdict::too_large) throw;
            store_->set_aside(batch->id, why.what());
            refusal = why;
            if (++in_a_row == suspicious) refuse_all("the server refuses one report after another");
            continue;
        }
        store_->confirm(batch->id);
        batch_size_.delivered();
        in_a_row = 0;
        ++flushed.batches;
        flushed.reports += batch->reports.size();
        if (progress) progress(flushed);
    }
    flushed.refused = store_->refused().size() - aside;
    if (refusal && flushed.batches == 0) refuse_all("the server refuses all reports");
    return flushed;
}

}  // namespace ldp
