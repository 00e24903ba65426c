// Summaries and their results, without a server.

#include "capi/c_boundary.hpp"
#include "core/results/json_query.hpp"
#include "core/results/summary_query.hpp"
#include "core/summary/batch.hpp"

using namespace ldp;
using namespace ldp::capi;

ldp_status ldp_summarize(const ldp_collection* collection, const uint8_t* reports, size_t count,
                         const int32_t* rounds, uint8_t** summary, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(summary, "pointer for the summary");
        auto& made_size = place(size, "pointer for the size");
        need(collection, "collection");
        if (count > 0) need(reports, "array of reports");
        const Bytes bytes{reinterpret_cast<const std::byte*>(reports),
                          count * ldp_collection_report_size(collection)};
        const std::span<const std::int32_t> numbers(rounds, rounds == nullptr ? 0 : count);
        const std::vector<std::byte> counted = summarize(collection->collection.mechanism(), bytes, numbers);
        made = handed_over<uint8_t>(counted.data(), counted.size());
        made_size = counted.size();
    });
}

ldp_status ldp_merge_summaries(const uint8_t* one, size_t one_size, const uint8_t* other, size_t other_size,
                               uint8_t** summary, size_t* size, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(summary, "pointer for the summary");
        auto& made_size = place(size, "pointer for the size");
        need(one, "summary");
        need(other, "second summary");
        const std::vector<std::byte> merged =
            merge_summaries({reinterpret_cast<const std::byte*>(one), one_size},
                            {reinterpret_cast<const std::byte*>(other), other_size});
        made = handed_over<uint8_t>(merged.data(), merged.size());
        made_size = merged.size();
    });
}

ldp_status ldp_query_summary(const ldp_collection* collection, const uint8_t* summary, size_t size,
                             const char* query, size_t length, char** rows, ldp_error** error) {
    return guarded(error, [&] {
        auto& made = place(rows, "pointer for the rows");
        if (size > 0) need(summary, "summary");
        // A second summary may be large.
        need(query, "query");
        const std::string_view text_of_query(query, length == LDP_TO_END ? std::strlen(query) : length);
        const Bytes bytes{reinterpret_cast<const std::byte*>(summary), size};
        const std::optional<Bytes> whole = summary == nullptr ? std::nullopt : std::optional(bytes);
        const std::string all = collection == nullptr
                                    ? json_rows(no_labels(), nullptr, whole, text_of_query)
                                    : json_rows(Labels(collection->collection.spec().attributes()),
                                                &collection->collection.mechanism(), whole, text_of_query);
        made = handed_over<char>(all.data(), all.size());
    });
}
