#include "summary_labels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/contract/attributes.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/results/summary_query.hpp"

extern "C" {
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
}

// A backend caches labels. The labels follow from the fingerprint alone, because it covers the spec. The
// caller's right to read them does not. Therefore each call reads the row of the collection again, with
// the rights and the snapshot of its statement, through a plan that the backend keeps. Cached labels are
// used only if they were read from this version of this row. Thus a replaced collection, or a second spec
// with the same fingerprint, is never confused with it.

namespace ldp {

namespace {

/// One version of a row of ldp_collection.
struct RowVersion {
    Oid table = InvalidOid;
    TransactionId inserted = InvalidTransactionId;
    ItemPointerData at = {};

    [[nodiscard]] bool found() const noexcept { return OidIsValid(table); }
    [[nodiscard]] bool is(const RowVersion& other) const noexcept {
        return table == other.table && inserted == other.inserted &&
               ItemPointerGetBlockNumberNoCheck(&at) == ItemPointerGetBlockNumberNoCheck(&other.at) &&
               ItemPointerGetOffsetNumberNoCheck(&at) == ItemPointerGetOffsetNumberNoCheck(&other.at);
    }
};

struct Known {
    explicit Known(std::vector<Attribute> all) : attributes(std::move(all)), labels(attributes) {}
    Known(const Known&) = delete;
    Known& operator=(const Known&) = delete;

    std::vector<Attribute> attributes;
    Labels labels;

    [[nodiscard]] std::size_t size() const noexcept {
        std::size_t count = 0;
        for (const Attribute& one : attributes) count += one.labels.size();
        return count;
    }
};
using Shared = std::shared_ptr<const Known>;

/// The owner of a fingerprint: a collection, or a part of a record that has a fingerprint of its own.
struct LabelSource {
    static constexpr std::size_t whole = std::numeric_limits<std::size_t>::max();
    std::uint64_t collection = 0;
    std::size_t attribute = whole;  ///< the first attribute of the part
    std::size_t attributes = 1;     ///< of the part
};

struct Entry {
    std::uint64_t fingerprint;
    LabelSource source;
    RowVersion row;
    Shared known;
};

/// Cache of this backend.
struct LabelCache {
    static constexpr std::size_t most_entries = 32, most_labels = std::size_t{1} << 21, most_records = 4096;

    SPIPlanPtr find_row = nullptr, all_rows = nullptr;
    std::vector<Entry> entries;  ///< newest last
    /// For each collection of records, by fingerprint: the number of attributes of each of its parts.
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> records;

    [[nodiscard]] const Entry* find(std::uint64_t fingerprint) const noexcept {
        const auto found = std::ranges::find(entries, fingerprint, &Entry::fingerprint);
        return found == entries.end() ? nullptr : &*found;
    }
    void keep(Entry entry) {
        std::erase_if(entries, [&](const Entry& old) { return old.fingerprint == entry.fingerprint; });
        entries.push_back(std::move(entry));
        std::size_t labels = 0;
        for (const Entry& one : entries) labels += one.known->size();
        while (entries.size() > 1 && (entries.size() > most_entries || labels > most_labels)) {
            labels -= entries.front().known->size();
            entries.erase(entries.begin());
        }
    }
};

LabelCache& cache() {
    static auto* const all = new LabelCache;  // never destroyed
    return *all;
}

/// Keeps labels as long as a memory context.
struct Pin {
    Shared known;
    MemoryContextCallback callback;
};

void release(void* pin) noexcept {
    static_cast<Pin*>(pin)->~Pin();
}

/// The owner in the current memory context. May jump.
Pin* new_pin() {
    auto* pin = new (palloc(sizeof(Pin))) Pin;
    pin->callback.func = release;
    pin->callback.arg = pin;
    MemoryContextRegisterResetCallback(CurrentMemoryContext, &pin->callback);
    return pin;
}

// Reading the table of collections; may jump. ---------------------------------------------------------------

/// Prepares a reusable query.
SPIPlanPtr prepared(const char* query, int arguments, Oid type) {
    SPIPlanPtr plan = SPI_prepare_cursor(query, arguments, &type, CURSOR_OPT_GENERIC_PLAN);
    if (plan == nullptr || SPI_keepplan(plan) != 0)
        elog(ERROR, "ldp could not prepare the query of its collections");
    return plan;
}

/// Runs it with the rights and the snapshot of the statement; returns the number of rows.
std::uint64_t run(SPIPlanPtr plan, Datum* values) {
    if (SPI_execute_plan(plan, values, nullptr, true, 0) != SPI_OK_SELECT)
        elog(ERROR, "ldp could not read its collections");
    return SPI_processed;
}

Datum column(std::uint64_t row, int number) {
    bool missing;
    return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, number, &missing);
}

/// Prepares the plans once. SPI is connected.
void prepare() {
    LabelCache& all = cache();
    if (all.find_row != nullptr && all.all_rows != nullptr) return;
    if (all.find_row != nullptr) SPI_freeplan(std::exchange(all.find_row, nullptr));
    if (all.all_rows != nullptr) SPI_freeplan(std::exchange(all.all_rows, nullptr));
    all.find_row = prepared(
        "SELECT c.tableoid, c.xmin, c.ctid, c.reports FROM ldp_internal.ldp_collection AS c "
        "WHERE pg_catalog.left(c.fingerprint, 16) OPERATOR(pg_catalog.=) $1",
        1, TEXTOID);
    all.all_rows = prepared("SELECT c.parameters, c.reports FROM ldp_internal.ldp_collection AS c", 0, 0);
}

/// Whether the table of reports exists. A collection whose table was dropped is ignored.
bool has_table(Datum reports) {
    return SearchSysCacheExists1(RELOID, reports);
}

/// The row of a collection with this fingerprint; of several, the one that was read before, if it exists.
RowVersion find_row(std::uint64_t fingerprint, const RowVersion& before) {
    char digits[2 * sizeof(fingerprint) + 1] = {};
    std::array<std::byte, sizeof(fingerprint)> bytes;
    store(bytes.data(), fingerprint);
    to_hex(bytes, digits);
    Datum text = CStringGetTextDatum(digits);
    RowVersion found;
    const std::uint64_t rows = run(cache().find_row, &text);
    for (std::uint64_t i = 0; i < rows && !(found.found() && found.is(before)); ++i)
        if (has_table(column(i, 4)))
            found = {DatumGetObjectId(column(i, 1)), DatumGetTransactionId(column(i, 2)),
                     *reinterpret_cast<ItemPointer>(DatumGetPointer(column(i, 3)))};
    SPI_freetuptable(SPI_tuptable);
    return found;
}

/// The record with an attribute of this fingerprint, if a collection has one.
LabelSource find_record(std::uint64_t fingerprint) {
    const std::uint64_t rows = run(cache().all_rows, nullptr);
    for (std::uint64_t i = 0; i < rows; ++i) {
        CHECK_FOR_INTERRUPTS();
        if (!has_table(column(i, 2))) continue;
        const Bytes block = contents(reinterpret_cast<varlena*>(PG_DETOAST_DATUM_PACKED(column(i, 1))));
        const std::uint64_t collection = unchecked_header(block).fingerprint;
        // From here on, C++ that does not jump.
        auto& records = cache().records;
        auto known = records.find(collection);
        if (known == records.end()) {
            if (records.size() >= LabelCache::most_records) records.clear();
            const std::unique_ptr<const Mechanism> mechanism = load_mechanism(block, Kind::report);
            std::vector<std::size_t> parts;
            if (find_capability<Record>(*mechanism) != nullptr)
                for (const RecordPart& part : parts_of(*mechanism)) parts.push_back(part.count);
            known = records.emplace(collection, std::move(parts)).first;
        }
        std::size_t first = 0;
        for (const std::size_t attributes : known->second) {
            if (part_fingerprint(collection, first) == fingerprint) return {collection, first, attributes};
            first += attributes;
        }
    }
    return {};
}

/// The attributes of the spec in this row as JSON in UTF-8, in the memory of SPI's caller; null if the
/// row does not exist.
const char* attributes_in(const RowVersion& row) {
    Oid type = TIDOID;
    ItemPointerData at = row.at;
    Datum value = PointerGetDatum(&at);
    const int done = SPI_execute_with_args(
        "SELECT c.spec OPERATOR(pg_catalog.->) 'attributes'::pg_catalog.text "
        "FROM ldp_internal.ldp_collection AS c WHERE c.ctid OPERATOR(pg_catalog.=) $1",
        1, &type, &value, nullptr, true, 1);
    if (done != SPI_OK_SELECT || SPI_processed != 1) return nullptr;
    Jsonb* attributes = DatumGetJsonbP(column(0, 1));
    const std::string_view json = core_text(JsonbToCString(nullptr, &attributes->root, VARSIZE(attributes)));
    auto* copy = static_cast<char*>(SPI_palloc(json.size() + 1));
    std::memcpy(copy, json.data(), json.size() + 1);
    return copy;
}

/// C++ that does not jump.
Shared keep_labels(std::uint64_t fingerprint, const LabelSource& source, const RowVersion& row,
                   const char* json) {
    std::vector<Attribute> attributes = read_attributes(json);
    if (source.attribute != LabelSource::whole) {
        const auto begin = attributes.begin();
        const std::size_t first = std::min(source.attribute, attributes.size()),
                          end = std::min(first + source.attributes, attributes.size());
        attributes = std::vector<Attribute>(begin + static_cast<std::ptrdiff_t>(first),
                                            begin + static_cast<std::ptrdiff_t>(end));
    }
    Shared known = std::make_shared<const Known>(std::move(attributes));
    cache().keep({fingerprint, source, row, known});
    return known;
}

/// The labels of this fingerprint; null if no collection has it.
const Labels* look_up(std::uint64_t fingerprint) {
    // A policy of the table may request labels, too. So no reference into the cache is held during the
    // query.
    Pin* pin = new_pin();
    LabelSource source{fingerprint};
    RowVersion before;
    if (const Entry* entry = cache().find(fingerprint)) {
        pin->known = entry->known;
        source = entry->source;
        before = entry->row;
    }
    SPI_connect();
    prepare();
    RowVersion row = find_row(source.collection, before);
    if (!row.found()) {
        source = find_record(fingerprint);
        if (source.attribute != LabelSource::whole) row = find_row(source.collection, before);
    }
    const bool cached = row.found() && row.is(before);
    const char* json = row.found() && !cached ? attributes_in(row) : nullptr;
    SPI_finish();
    if (json != nullptr) {
        pin->known = keep_labels(fingerprint, source, row, json);
        pfree(const_cast<char*>(json));
    } else if (!cached) {
        pin->known.reset();
    }
    return pin->known != nullptr ? &pin->known->labels : nullptr;
}

constexpr auto label_columns =
    columns("text attribute", "text label", "integer attribute_number", "integer value");

/// A row for each label of each attribute, and one for an attribute without labels.
struct LabelRows {
    std::span<const Attribute> attributes;
    std::vector<std::size_t> first = {};  ///< of each attribute: the number of its first row
    std::size_t count = 0;

    void write(RowCells<label_columns>& row, std::size_t number) const {
        const auto attribute =
            static_cast<std::size_t>(std::ranges::upper_bound(first, number) - first.begin()) - 1;
        const Attribute& one = attributes[attribute];
        row.put("attribute", one.name);
        row.put("attribute_number", static_cast<std::int32_t>(attribute));
        if (one.labels.empty()) return;
        const std::size_t value = number - first[attribute];
        row.put("label", one.labels[value]);
        row.put("value", static_cast<std::int32_t>(value));
    }
};

}  // namespace

const Labels& summary_labels(FunctionCallInfo fcinfo, Bytes summary) {
    // A direct call may have no snapshot.
    if (fcinfo->flinfo == nullptr) return no_labels();
    const Labels* found = look_up(read_header(summary, Kind::summary).fingerprint);
    return found != nullptr ? *found : no_labels();
}

Datum text_datum(std::string_view utf8) {
    const char* server = pg_any_to_server(utf8.data(), static_cast<int>(utf8.size()), PG_UTF8);
    // Text without conversion is returned in place and is not zero-terminated.
    const std::size_t size = server == utf8.data() ? utf8.size() : std::strlen(server);
    return PointerGetDatum(cstring_to_text_with_len(server, static_cast<int>(size)));
}

std::unique_ptr<Results> label_rows(const Labels& labels) {
    LabelRows rows{labels.attributes()};
    for (const Attribute& one : rows.attributes) {
        rows.first.push_back(rows.count);
        rows.count += std::max<std::size_t>(one.labels.size(), 1);
    }
    return results<label_columns>(std::move(rows));
}

std::size_t attribute_called(const Labels& labels, std::string_view name) {
    const std::string_view utf8 = core_text(name);
    return labels.attribute_called(utf8, std::numeric_limits<std::size_t>::max(),
                                   "ldp_labels(summary) lists all attributes.");
}

std::size_t value_called(const Labels& labels, std::size_t attribute, std::string_view label) {
    const std::string_view utf8 = core_text(label);
    return labels.value_called(attribute, utf8, "ldp_labels(summary) lists all labels.");
}

}  // namespace ldp
