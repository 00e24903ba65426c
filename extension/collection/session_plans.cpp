#include "collection/session_plans.hpp"

#include <algorithm>
#include <cstring>
#include <span>

extern "C" {
#include "executor/spi.h"
}

namespace ldp {

namespace {

/// A statement that this session has planned before, in memory that lasts as long as the session.
struct KeptPlan {
    char* statement;
    Oid* types;
    int count;
    int running;  ///< number of executions at the moment: a trigger may insert during an insertion
    SPIPlanPtr plan;
};

struct KeptPlans {
    std::span<KeptPlan> plans;
    std::size_t oldest;
};

KeptPlans& plans_of(PlanCache cache) {
    static KeptPlan insertions[16], catalog[16];
    static KeptPlans both[] = {{insertions, 0}, {catalog, 0}};
    return both[static_cast<std::size_t>(cache)];
}

/// Returns the plan of a statement, or null if all entries are running.
KeptPlan* kept_plan(KeptPlans& kept, const char* statement, int count, Oid* types) {
    const std::size_t size = kept.plans.size();
    KeptPlan* entry = nullptr;
    for (std::size_t i = 0; i < size; ++i) {
        KeptPlan& known = kept.plans[(kept.oldest + i) % size];
        if (known.plan != nullptr && known.count == count && std::strcmp(known.statement, statement) == 0 &&
            std::equal(types, types + count, known.types))
            return &known;
        if (entry == nullptr && known.running == 0) entry = &known;
    }
    if (entry == nullptr) return nullptr;
    SPIPlanPtr plan = SPI_prepare(statement, count, types);
    if (plan == nullptr) elog(ERROR, "a statement of ldp could not be prepared: %s", statement);
    // All memory is allocated before the entry changes, as each allocation may jump.
    char* text = MemoryContextStrdup(TopMemoryContext, statement);
    auto* copy = static_cast<Oid*>(
        MemoryContextAlloc(TopMemoryContext, static_cast<std::size_t>(count) * sizeof(Oid)));
    std::copy_n(types, count, copy);
    if (entry->plan != nullptr) {
        SPI_freeplan(entry->plan);
        pfree(entry->statement);
        pfree(entry->types);
    }
    SPI_keepplan(plan);
    *entry = {text, copy, count, 0, plan};
    kept.oldest = (static_cast<std::size_t>(entry - kept.plans.data()) + 1) % size;
    return entry;
}

int execute_plan(KeptPlan& kept, Datum* values, const char* nulls) {
    volatile int result = 0;
    ++kept.running;
    PG_TRY();
    { result = SPI_execute_plan(kept.plan, values, nulls, false, 0); }
    PG_FINALLY();
    { --kept.running; }
    PG_END_TRY();
    return result;
}

}  // namespace

std::uint64_t run_kept(PlanCache cache, const char* statement, const StatementParameter* parameters,
                       int count) {
    auto* types = static_cast<Oid*>(palloc(static_cast<std::size_t>(count) * sizeof(Oid)));
    auto* values = static_cast<Datum*>(palloc(static_cast<std::size_t>(count) * sizeof(Datum)));
    auto* nulls = static_cast<char*>(palloc(static_cast<std::size_t>(count) + 1));
    for (int i = 0; i < count; ++i) {
        types[i] = parameters[i].type;
        values[i] = parameters[i].value;
        nulls[i] = parameters[i].null ? 'n' : ' ';
    }
    nulls[count] = '\0';
    KeptPlan* const kept = kept_plan(plans_of(cache), statement, count, types);
    const int result = kept == nullptr
                           ? SPI_execute_with_args(statement, count, types, values, nulls, false, 0)
                           : execute_plan(*kept, values, nulls);
    if (result < 0) elog(ERROR, "a statement of ldp failed: %s", statement);
    return SPI_processed;
}

}  // namespace ldp
