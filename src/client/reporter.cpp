#include "client/reporter.hpp"

#include "client/fresh_reporter.hpp"
#include "client/memoizing_reporter.hpp"
#include "client/series_reporter.hpp"

namespace ldp {

namespace {

/// Returns the public randomness of the mechanism in the store, or draws it if the store is empty.
std::vector<std::byte> public_randomness(const Mechanism& mechanism, const Store& store, BitSource& bits) {
    std::vector<std::byte> all = store.memory().public_randomness;
    const bool stored = !all.empty();
    all.resize(mechanism.public_size());
    if (!stored) mechanism.draw_public(bits, all);
    return all;
}

}  // namespace

std::unique_ptr<Reporter> make_reporter(const Collection& collection, Store& store, BitSource& bits) {
    const Mechanism& mechanism = collection.mechanism();
    if (is_series(mechanism)) return std::make_unique<SeriesReporter>(collection, store, bits);
    if (const SeriesParts* parts = series_parts(mechanism)) {
        std::vector<std::byte> drawn = public_randomness(mechanism, store, bits);
        if (!mechanism.valid_public(drawn)) refuse_memory("The public randomness is invalid.");
        if (parts->series_attribute(drawn))
            return std::make_unique<SeriesReporter>(collection, store, bits, std::move(drawn));
        return std::make_unique<MemoizingReporter>(collection, store, bits, std::move(drawn));
    }
    if (collection.spec().evolving()) return std::make_unique<MemoizingReporter>(collection, store, bits);
    return std::make_unique<FreshReporter>(collection);
}

}  // namespace ldp
