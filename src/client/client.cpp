#include "client.hpp"

#include "../core/error.hpp"

namespace ldp {

Client::Client(Collection collection, std::unique_ptr<Store> store)
    : collection_(std::move(collection)),
      store_(std::move(store)),
      clamped_(collection_.spec().attributes().size()) {
    store_->bind(collection_.spec().fingerprint());
}

Receipt Client::count(Encoded encoded) {
    for (const std::size_t j : encoded.clamped) ++clamped_[j];
    clamped_coefficients_ += encoded.coefficients;
    return {std::move(encoded.clamped), encoded.coefficients};
}

Receipt Client::report(std::span<const Value> record, std::int32_t round) {
    Encoded encoded = collection_.encode(record, bits_);
    const Report report = collection_.mechanism().perturb(encoded.cells, bits_);
    store_->append({&report, 1}, round);
    return count(std::move(encoded));
}

Receipt Client::stage(std::span<const Value> record) {
    Encoded encoded = collection_.encode(record, bits_);
    staged_.push_back(collection_.mechanism().perturb(encoded.cells, bits_));
    return count(std::move(encoded));
}

void Client::commit(std::int32_t round, std::span<const Mark> marks) {
    store_->append(staged_, round, marks);
    staged_.clear();
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
