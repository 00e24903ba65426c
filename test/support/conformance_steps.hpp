// The steps of conformance/README.md that both the program of the vector files and the client of the checker make.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/memory_store.hpp"
#include "client/reporter.hpp"
#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/contract/labels.hpp"
#include "core/format/batch_frame.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/results/json_query.hpp"
#include "core/summary/batch.hpp"

namespace ldp::test {

/// Returns a value of a record as the client takes it: a number, or a text with semicolons between the labels of a set. A
/// missing value is an empty text. `text` holds the text.
inline Value client_value(const Json& value, std::string& text) {
    if (value.is_number()) return value.get<double>();
    if (value.is_string()) text = value.get<std::string>();
    if (value.is_array())
        for (const Json& label : value)
            text += (text.empty() ? "" : ";") + (label.is_string() ? label.get<std::string>() : label.dump());
    return text;
}

/// Returns a record in the order of the spec. Attributes that are products have no value. `texts` holds the texts. Throws
/// Json::exception if an attribute has no value, and Error (invalid_value) if the record has further keys.
inline std::vector<Value> client_record(const Spec& spec, const Json& record,
                                        std::vector<std::string>& texts) {
    std::vector<Value> values;
    texts.assign(spec.attributes().size(), {});
    for (std::size_t j = 0; j < texts.size(); ++j)
        if (const Attribute& attribute = spec.attributes()[j]; !attribute.derived())
            values.push_back(client_value(record.at(attribute.name), texts[j]));
    if (values.size() != record.size())
        raise(ErrorCode::invalid_value, "the record has keys that are no attributes");
    return values;
}

/// Returns the reports of a new client's records. The client draws its randomness from `bits`. The rounds are those of
/// README.md: 1, 2, … if responses are memoized or people report a series, and otherwise 0. Throws the errors of the client.
inline std::vector<Report> reports_of(const Spec& spec, const Json& records, BitSource& bits) {
    const Collection collection(spec);
    MemoryStore store;
    const auto reporter = make_reporter(collection, store, bits);
    const bool in_rounds = spec.evolving() || rounds_of_series(collection.mechanism()) > 0;
    std::vector<Report> reports;
    std::vector<std::string> texts;
    std::int32_t round = 0;
    for (const Json& record : records) {
        round += in_rounds ? 1 : 0;
        auto reported = reporter->report(client_record(spec, record, texts), round, bits);
        store.append(reported.reports, round, {}, reporter->unsaved());
        reporter->commit(round);
        for (Report& report : reported.reports) reports.push_back(std::move(report));
    }
    return reports;
}

/// Validates a message of the mechanism's spec. A batch may have either form. Throws Error (malformed, incompatible).
inline void check_message(const Mechanism& mechanism, Bytes bytes, Kind kind) {
    if (kind == Kind::batch && is_short_batch(bytes)) {
        check_batch(mechanism, with_block(bytes, mechanism.block()));
        return;
    }
    (void)read_header(bytes, kind);
    if (!begins_with_block(bytes, mechanism.block()))
        raise(ErrorCode::incompatible, "the message belongs to another spec");
    check_value(mechanism, bytes, kind);
}

/// Returns the rows of README.md. `texts` has pairs of an attribute of strings and a text. A series, whose estimates belong to
/// rounds, a number with means by group, and a mechanism that estimates ranges have no rows. Throws Error as json_rows() does.
inline Json rows_of(const Spec& spec, const Mechanism& mechanism, Bytes summary, const Json& texts) {
    const Labels labels(spec.attributes());
    Json rows = Json::array();
    if (is_series(mechanism) || find_capability<RangeLearner>(mechanism) != nullptr) return rows;
    const auto add = [&](Json query) {
        query["function"] = "estimate";
        for (const Json& row :
             json_of(json_rows(labels, &mechanism, summary, json_text(query)), Unsound::refused)) {
            if (row["statistic"].is_null()) continue;
            const auto statistic = row["statistic"].get<std::string>();
            if (statistic != "mean" && statistic != "direction" && statistic != "proportion" &&
                statistic != "response_rate")
                continue;
            Json chosen;
            for (const char* key : {"attribute", "label", "statistic", "estimate", "stderr"})
                chosen[key] = row.value(key, Json());
            rows.push_back(std::move(chosen));
        }
    };
    Json with_missing = Json::array();
    for (std::size_t j = 0; j < spec.attributes().size(); ++j) {
        const Attribute& attribute = spec.attributes()[j];
        if (attribute.numeric() && may_be_missing(attribute) && !is_number_of_groups(mechanism, j))
            with_missing.push_back(attribute.name);
    }
    Json usual = Json::object();
    if (!texts.empty()) usual["texts"] = texts;
    add(std::move(usual));
    if (!with_missing.empty()) add({{"attributes", with_missing}, {"statistics", {"response_rate"}}});
    return rows;
}

}  // namespace ldp::test
