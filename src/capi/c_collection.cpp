#include <deque>
#include <optional>
#include <set>

#include "capi/c_boundary.hpp"
#include "client/in_quotes.hpp"
#include "core/base/random.hpp"
#include "core/contract/attributes.hpp"
#include "core/contract/json_object.hpp"
#include "core/contract/products.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/spent_signal.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_collection::ldp_collection(Offer offer, ContractTerms terms, Outside outside)
    : collection(std::move(offer), std::move(terms), outside),
      spec(collection.spec().to_json()),
      texts(collection.spec().texts().to_json()),
      fingerprint(fingerprint_text(collection.spec().fingerprint())),
      contract(collection.contract().to_json()),
      summary(collection.contract().summary()) {
    const auto& attributes = collection.spec().attributes();
    for (const std::size_t j : given(attributes)) names.push_back(attributes[j].name);
}

namespace ldp::capi {

namespace {

Outside checked(ldp_outside outside) {
    if (outside != LDP_CLAMP && outside != LDP_REFUSE)
        raise(ErrorCode::invalid_value, "unknown treatment of numbers outside their range",
              "Found " + std::to_string(outside) + ".", "Use LDP_CLAMP or LDP_REFUSE.");
    return outside == LDP_CLAMP ? Outside::clamp : Outside::refuse;
}

std::string text_or_empty(const char* text, const char* what) {
    return text == nullptr ? std::string() : std::string(text_of(text, LDP_TO_END, what));
}

std::optional<std::set<std::string>> names_of(const char* const* names, std::size_t count, const char* what) {
    if (names == nullptr) return std::nullopt;
    std::set<std::string> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace(text_of(names[i], LDP_TO_END, what));
    return all;
}

ContractTerms read_terms(const ldp_terms& terms) {
    const auto limit = [](double epsilon) { return epsilon == 0 ? std::nullopt : std::optional(epsilon); };
    ContractTerms read;
    if (terms.digest != nullptr) read.digest = text_or_empty(terms.digest, "digest");
    read.report_epsilon = limit(terms.report_epsilon);
    read.life_epsilon = limit(terms.life_epsilon);
    if (terms.reports != 0) read.reports = terms.reports;
    read.group_epsilon = limit(terms.group_epsilon);
    read.attributes = names_of(terms.attributes, terms.attribute_count, "name of an attribute");
    read.in_clear = names_of(terms.in_clear, terms.in_clear_count, "name of a public column");
    return read;
}

/// A record in JSON, whose values may be vectors: arrays, or objects. Throws Error (malformed).
Json parse_record(std::string_view text) {
    std::set<std::pair<std::string, std::string>> seen;  // keys, and for elements of a vector the key above
    std::string vector;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        const bool opens =
            event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
        if (depth > 2 || (depth == 2 && opens))
            raise(ErrorCode::malformed, "the record is nested too deeply", {},
                  "A value is a number, a string or null; a vector is an array or an object of numbers.");
        if (event != Json::parse_event_t::key) return true;
        auto key = parsed.get<std::string>();
        if (!seen.emplace(depth > 1 ? vector : std::string(), key).second)
            raise(ErrorCode::malformed, "the record has " + shown(parsed) + " twice");
        if (depth == 1) vector = std::move(key);
        return true;
    };
    Json record = json_of(text, Unsound::allowed, watch);
    if (!record.is_object())
        raise(ErrorCode::malformed, "the record is not a JSON object",
              record.is_discarded() ? "" : "Found " + shown(record) + ".",
              "A record is an object, such as {\"wage\": 612.5, \"region\": \"south\"}.");
    return record;
}

[[noreturn]] void refuse_missing(const std::string& name) {
    raise(ErrorCode::invalid_value, "the record has no " + in_quotes(name), {},
          "Use null for a missing answer.");
}

/// Returns an element of a vector: by its index in an array, or by its label in an object. Throws Error
/// (invalid_value).
const Json& element_of(const Json& vector, std::span<const Attribute> attributes, std::size_t j) {
    const Attribute& attribute = attributes[j];
    const auto of_vector = [&](const Attribute& one) { return one.vector == attribute.vector; };
    const auto first = std::ranges::find_if(attributes, of_vector);
    if (vector.is_array()) {
        const auto elements = static_cast<std::size_t>(std::ranges::count_if(attributes, of_vector));
        if (vector.size() != elements)
            raise(ErrorCode::invalid_value,
                  "the vector " + in_quotes(attribute.vector) + " has the wrong number of elements",
                  "Found " + std::to_string(vector.size()) + "; the spec has " + std::to_string(elements) +
                      ".");
        return vector[j - static_cast<std::size_t>(first - attributes.begin())];
    }
    if (!vector.is_object())
        raise(ErrorCode::invalid_value, shown(vector) + " is not a vector for " + in_quotes(attribute.vector),
              {}, "A vector is an array of numbers, or an object that maps labels to numbers.");
    const auto found = vector.find(element_label(attribute));
    if (found == vector.end()) refuse_missing(attribute.name);
    return *found;
}

/// Returns a set of labels as a text with semicolons between them. Throws Error (invalid_value).
std::string set_text(const Json& labels, const Attribute& attribute) {
    std::string text;
    for (const Json& label : labels) {
        const bool word = label.is_string();
        const bool separated =
            word && label.get_ref<const std::string&>().find(Attribute::separator) != std::string::npos;
        if ((!word && !label.is_number_unsigned()) || separated)
            raise(ErrorCode::invalid_value, shown(label) + " is not a label of " + in_quotes(attribute.name),
                  {}, "A set is an array of labels without semicolons.");
        if (&label != &labels[0]) text += Attribute::separator;
        text += word ? label.get<std::string>() : std::to_string(label.get<std::uint64_t>());
    }
    return text;
}

/// Returns the value of an attribute; it views its text, or one that is added to `texts`. Throws Error (invalid_value).
ldp_value read_value(const Json& record, std::span<const Attribute> attributes, std::size_t j,
                     std::deque<std::string>& texts) {
    static const std::string no_answer;
    const Attribute& attribute = attributes[j];
    auto key = record.find(attribute.name);
    const bool element = key == record.end() && !attribute.vector.empty();
    if (element) key = record.find(attribute.vector);
    if (key == record.end()) refuse_missing(element ? attribute.vector : attribute.name);
    const Json& found = element ? element_of(*key, attributes, j) : *key;
    if (found.is_number()) return ldp_number(found.get<double>());
    if (found.is_array() && attribute.several()) {
        const std::string& set = texts.emplace_back(set_text(found, attribute));
        return {set.c_str(), set.size(), 0};
    }
    if (!found.is_string() && !found.is_null())
        raise(ErrorCode::invalid_value, shown(found) + " is not a value of " + in_quotes(attribute.name), {},
              "A value is a number, a string or null; a set of labels is an array.");
    const std::string& text = found.is_null() ? no_answer : found.get_ref<const std::string&>();
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
        auto& made = place(collection, "pointer for the collection");
        made = new ldp_collection({Spec::from_json(text_of(spec, length, "spec"))}, {}, checked(outside));
    });
}
ldp_status ldp_collection_new_under(const char* spec, size_t length, ldp_outside outside,
                                    const ldp_terms* terms, ldp_collection** collection, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(collection, "pointer for the collection");
        need(terms, "terms");
        if (terms->size != sizeof(ldp_terms))
            raise(ErrorCode::invalid_value, "the terms have an unknown size",
                  "Found " + std::to_string(terms->size) + "; this library has " +
                      std::to_string(sizeof(ldp_terms)) + ".",
                  "Set the member \"size\" to sizeof(ldp_terms).");
        Offer offer{Spec::from_json(text_of(spec, length, "spec"))};
        offer.endpoint = text_or_empty(terms->endpoint, "endpoint");
        offer.collection = text_or_empty(terms->collection, "name of the collection");
        if (terms->public_columns != nullptr)
            offer.columns = public_columns(text_of(terms->public_columns, LDP_TO_END, "public columns"));
        made = new ldp_collection(std::move(offer), read_terms(*terms), checked(outside));
    });
}
const char* ldp_collection_contract(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->contract.c_str();
}
const char* ldp_collection_summary(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->summary.c_str();
}
void ldp_collection_free(ldp_collection* collection) {
    delete collection;
}

const char* ldp_collection_spec(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->spec.c_str();
}
const char* ldp_collection_texts(const ldp_collection* collection) {
    return collection == nullptr ? nullptr : collection->texts.c_str();
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
    return mechanism.block().size() + sent_size(mechanism);
}

ldp_status ldp_collection_record(const ldp_collection* collection, const char* json, size_t length,
                                 ldp_value** values, size_t* count, ldp_error** error) {
    return guarded(error, [&] {
        auto& read = place(values, "pointer for the values");
        auto& size = place(count, "pointer for the count");
        need(collection, "collection");
        const Json record = parse_record(text_of(json, length, "record"));
        std::vector<ldp_value> found;
        std::deque<std::string> texts;
        const auto& attributes = collection->collection.spec().attributes();
        for (const std::size_t j : given(attributes))
            found.push_back(read_value(record, attributes, j, texts));
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
        if (count > 0) need(reports, "pointer for the reports");
        const std::size_t size = ldp_collection_report_size(collection);
        const std::size_t of_each = collection->names.size();
        if (count / of_each > capacity / size)
            raise(ErrorCode::invalid_value, "the buffer for the reports is too small",
                  "Found " + std::to_string(capacity) + " bytes; " + std::to_string(count / of_each) +
                      " reports of " + std::to_string(size) + " bytes were requested.");
        SystemRandom bits;
        for_each_record(values, count, of_each, drawn, [&](std::span<const Value> record) {
            const Report report = collection->collection.perturb(record, bits).report;
            std::memcpy(reports + drawn * size, report.data(), size);
        });
    });
}
