#include "client/reporter.hpp"

#include "client/fresh_reporter.hpp"
#include "client/memoizing_reporter.hpp"
#include "client/series_reporter.hpp"

namespace ldp {

std::unique_ptr<Reporter> make_reporter(const Collection& collection, Store& store, BitSource& bits) {
    if (collection.spec().evolving()) return std::make_unique<MemoizingReporter>(collection, store, bits);
    if (collection.spec().mechanism().series)
        return std::make_unique<SeriesReporter>(collection, store, bits);
    return std::make_unique<FreshReporter>(collection);
}

}  // namespace ldp
