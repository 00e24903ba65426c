#include "capi/c_boundary.hpp"
#include "client/in_quotes.hpp"
#include "core/base/random.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/spec/json_object.hpp"
#include "core/spec/products.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_collection::ldp_collection(std::string_view json, Outside outside)
    : collection(Spec::from_json(json), outside),
      spec(collection.spec().to_json()),
      fingerprint(fingerprint_text(collection.spec().fingerprint())) {
    const auto& attributes = collection.spec().attributes();
    for (const std::size_t j : given(attributes)) names.push_back(attributes[j].name);
}

namespace ldp::capi {

namespace {

Outside checked(ldp_outside outside) {
    if (outside != LDP_CLAMP && outside != LDP_REFUSE)
        raise(ErrorCode::invalid_value, "there is no such way with numbers outside their range",
              "Found " + std::to_string(outside) + ".", "Use LDP_CLAMP or LDP_REFUSE.");
    return outside == LDP_CLAMP ? Outside::clamp : Outside::refuse;
}

/// A record in JSON. Throws Error (malformed).
Json parse_record(std::string_view text) {
    std::set<std::string> seen;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > 1 || (depth == 1 && event == Json::parse_event_t::array_start))
            raise(ErrorCode::malformed, "the record is nested", {}, "A value is a number, a string or null.");
        if (event == Json::parse_event_t::key && !seen.insert(parsed.get<std::string>()).second)
            raise(ErrorCode::malformed, "the record has " + shown(parsed) + " twice");
        return true;
    };
    Json record = json_of(text, Unsound::allowed, watch);
    if (!record.is_object())
        raise(ErrorCode::malformed, "the record is no JSON object",
              record.is_discarded() ? "" : "Found " + shown(record) + ".",
              "A record is one object, such as {\"wage\": 612.5, \"region\": \"south\"}.");
    return record;
}

/// The value of an attribute; it views its text. Throws Error (invalid_value).
ldp_value read_value(const Json& record, const std::string& name) {
    static const std::string no_answer;
    const auto found = record.find(name);
    if (found == record.end())
        raise(ErrorCode::invalid_value, "the record has no " + in_quotes(name), {},
              "Where there is no answer, say null.");
    if (found->is_number()) return ldp_number(found->get<double>());
    if (!found->is_string() && !found->is_null())
        raise(ErrorCode::invalid_value, shown(*found) + " is not a value of " + in_quotes(name), {},
              "A value is a number, a string or null.");
    const std::string& text = found->is_null() ? no_answer : found->get_ref<const std::string&>();
    return {text.c_str(), text.size(), 0};
}

/// The values and their texts, in one piece of memory.
ldp_value* in_one_piece(std::span<const ldp_value> values) {
    std::size_t size = values.size_bytes();
    for (const ldp_value& value : values) size += value.text == nullptr ? 0 : value.length + 1;
    auto* const piece = static_cast<char*>(std::calloc(size, 1));
    if (piece == nullptr) throw std::bad_alloc();
    char* text = piece + values.size_bytes();
    auto* const copies = reinterpret_cast<ldp_value*>(piece);
    for (std::size_t i = 0; i < values.size(); ++i) {
        copies[i] = values[i];
        if (values[i].text == nullptr) continue;
        std::memcpy(text, values[i].text, values[i].length);
        copies[i].text = text;
        text += values[i].length + 1;
    }
    return copies;
}

}  // namespace

void read_values(const ldp_value* values, std::size_t count, std::vector<Value>& read) {
    read.clear();
    for (std::size_t i = 0; i < count; ++i) {
        if (values[i].text == nullptr)
            read.emplace_back(values[i].number);
        else
            read.emplace_back(text_of(values[i].text, values[i].length, "label"));
    }
}

}  // namespace ldp::capi

ldp_status ldp_collection_new(const char* spec, size_t length, ldp_outside outside,
                              ldp_collection** collection, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(collection, "place for the collection");
        made = new ldp_collection(text_of(spec, length, "spec"), checked(outside));
    });
}
void ldp_collection_free(ldp_collection* collection) {
    delete collection;
}

const char* ldp_collection_spec(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->spec.c_str();
}
const char* ldp_collection_fingerprint(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->fingerprint.c_str();
}
size_t ldp_collection_values(const ldp_collection* collection) {
    return collection == nullptr ? 0 : collection->names.size();
}
const char* ldp_collection_name(const ldp_collection* collection, size_t i) {
    return i < ldp_collection_values(collection) ? collection->names[i].c_str() : nullptr;
}
size_t ldp_collection_report_size(const ldp_collection* collection) {
    if (collection == nullptr) return 0;
    const Mechanism& mechanism = collection->collection.mechanism();
    return mechanism.block().size() + mechanism.payload_size();
}

ldp_status ldp_collection_record(const ldp_collection* collection, const char* json, size_t length,
                                 ldp_value** values, size_t* count, ldp_error** error) {
    return guarded(error, [&] {
        auto& read = place(values, "place for the values");
        auto& size = place(count, "place for the count");
        need(collection, "collection");
        const Json record = parse_record(text_of(json, length, "record"));
        std::vector<ldp_value> found;
        for (const std::string& name : collection->names) found.push_back(read_value(record, name));
        read = in_one_piece(found);
        size = found.size();
    });
}

ldp_status ldp_collection_perturb(const ldp_collection* collection, const ldp_value* values, size_t count,
                                  uint8_t* reports, size_t capacity, size_t* done, ldp_error** error) {
    size_t uncounted = 0;
    size_t& drawn = done == nullptr ? uncounted : *done;
    drawn = 0;
    return guarded(error, [&] {
        need(collection, "collection");
        if (count > 0) need(reports, "place for the reports");
        const std::size_t size = ldp_collection_report_size(collection);
        const std::size_t of_each = collection->names.size();
        if (count / of_each > capacity / size)
            raise(ErrorCode::invalid_value, "the place for the reports is too small",
                  "Found " + std::to_string(capacity) + " bytes; " + std::to_string(count / of_each) +
                      " reports of " + std::to_string(size) + " bytes were asked for.");
        SystemRandom bits;
        for_each_record(values, count, of_each, drawn, [&](std::span<const Value> record) {
            const Report report = collection->collection.perturb(record, bits).report;
            std::memcpy(reports + drawn * size, report.data(), size);
        });
    });
}
