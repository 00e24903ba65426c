// Synthetic records as jsonb.

#include "core/results/rows/synthetic_rows.hpp"

#include <charconv>
#include <string_view>

#include "arguments.hpp"
#include "summary_rows.hpp"

extern "C" {
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
}

using namespace ldp;

namespace {

constexpr auto record_columns = columns("bigint number", "json record");

/// Synthetic records. It has no destructor, so it may exist during jumps.
struct Records {
    struct Key {
        const char* text;    // a JSON array: the name of the attribute and its values; without values for a
                             // number in bins
        std::size_t at;      // position among the pairs of a record
        JsonbValue* values;  // values of `text` behind the name
    };
    const SyntheticRecords* records = nullptr;
    Key* keys = nullptr;
    std::size_t attributes = 0;
    JsonbPair* pairs = nullptr;  // of the current record

    [[nodiscard]] static std::span<const ResultColumn> columns() noexcept { return record_columns; }
    [[nodiscard]] std::size_t count() const noexcept { return records->count; }
    // Parsing the text of each record would dominate the cost.
    [[nodiscard]] Datum row(std::size_t number, TupleDesc shape) const {
        for (std::size_t j = 0; j < attributes; ++j) {
            const Key& key = keys[j];
            pairs[key.at].value = records->keys[j].ends.empty() ? key.values[records->item(number, j).value]
                                                                : json_number(records->number(number, j));
        }
        JsonbValue record;
        record.type = jbvObject;
        record.val.object.nPairs = static_cast<int>(attributes);
        record.val.object.pairs = pairs;
        Datum values[] = {Int64GetDatum(static_cast<std::int64_t>(number + 1)),
                          JsonbPGetDatum(JsonbValueToJsonb(&record))};
        bool missing[] = {false, false};
        return HeapTupleGetDatum(heap_form_tuple(shape, values, missing));
    }

    /// Reads the texts of the keys. PostgreSQL orders an object's pairs by the length of their names,
    /// then by bytes.
    void read() {
        pairs = static_cast<JsonbPair*>(palloc0((attributes + 1) * sizeof(JsonbPair)));
        auto* names = static_cast<JsonbValue*>(palloc((attributes + 1) * sizeof(JsonbValue)));
        for (std::size_t j = 0; j < attributes; ++j) {
            Jsonb* array = DatumGetJsonbP(json_value(keys[j].text));
            const std::uint32_t size = JB_ROOT_COUNT(array);
            names[j] = *getIthJsonbValueFromContainer(&array->root, 0);
            keys[j].values = static_cast<JsonbValue*>(palloc(size * sizeof(JsonbValue)));
            for (std::uint32_t v = 1; v < size; ++v) {
                CHECK_FOR_INTERRUPTS();
                JsonbValue* value = getIthJsonbValueFromContainer(&array->root, v);
                keys[j].values[v - 1] = *value;
                pfree(value);
            }
        }
        const auto name = [&](std::size_t j) {
            const auto& string = names[j].val.string;
            return std::pair(string.len, std::string_view(string.val, static_cast<std::size_t>(string.len)));
        };
        for (std::size_t j = 0; j < attributes; ++j) {
            keys[j].at = 0;
            for (std::size_t other = 0; other < attributes; ++other) keys[j].at += name(other) < name(j);
            pairs[keys[j].at].key = names[j];
        }
    }

  private:
    static JsonbValue json_number(double number) {
        char digits[32];
        *std::to_chars(digits, digits + sizeof(digits) - 1, number).ptr = '\0';
        JsonbValue value;
        value.type = jbvNumeric;
        value.val.numeric = DatumGetNumeric(DirectFunctionCall3(
            numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
        return value;
    }
};

/// Records that live as long as a memory context.
struct KeptRecords {
    SyntheticRecords records;
    MemoryContextCallback callback;
};

void release_records(void* kept) noexcept {
    static_cast<KeptRecords*>(kept)->~KeptRecords();
}

/// Draws the records into the kept object; returns the texts of their keys. C++ that does not jump.
Records drawn(SyntheticRecords& kept, const Subject& subject, const SummaryQuery& query) {
    kept = synthetic_records(subject, query);
    Records all;
    all.records = &kept;
    all.attributes = kept.keys.size();
    all.keys = static_cast<Records::Key*>(try_palloc((all.attributes + 1) * sizeof(Records::Key)));
    for (std::size_t j = 0; j < all.attributes; ++j) {
        std::string text = "[" + kept.keys[j].name;
        for (const std::string& value : kept.keys[j].values) text += "," + value;
        all.keys[j] = {keep(text + "]"), 0, nullptr};
    }
    return all;
}

}  // namespace

/// (summary, records, seed, significance, cells): a row for each record.
LDP_FUNCTION(ldp_synthesize) {
    return rows_found(fcinfo, [=]() -> Records* {
        const RowFunction& function = row_function("synthesize");
        if (!has_arguments(fcinfo, function)) return nullptr;
        const SummaryQuery query = query_arguments(fcinfo, function);
        const std::optional<Subject> subject = source_argument(fcinfo);
        if (!subject) return nullptr;
        auto* kept = new (palloc(sizeof(KeptRecords))) KeptRecords{};
        kept->callback.func = release_records;
        kept->callback.arg = kept;
        MemoryContextRegisterResetCallback(CurrentMemoryContext, &kept->callback);
        auto* all = static_cast<Records*>(palloc(sizeof(Records)));
        *all = drawn(kept->records, *subject, query);
        all->read();
        return all;
    });
}
