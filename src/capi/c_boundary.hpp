// The objects behind the handles of ldp.h, and the conversion of exceptions into errors.
#pragma once

#include <concepts>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capi/ldp.h"
#include "client/client.hpp"
#include "core/base/error.hpp"

struct ldp_error {
    ldp_status code;
    std::string message, detail, hint;
};

struct ldp_collection {
    ldp_collection(ldp::Offer offer, ldp::ContractTerms terms, ldp::Outside outside);

    ldp::Collection collection;
    std::string spec, texts, fingerprint, contract, summary;
    std::vector<std::string> names;  ///< of the attributes for which a record has values
};

struct ldp_client {
    ldp_client(const ldp::Collection& collection, std::unique_ptr<ldp::Store> own);

    ldp::Store* store;  ///< the client's
    ldp::Client client;
    std::size_t values;  ///< of a record
};

struct ldp_ledger {
    std::shared_ptr<ldp::BudgetLedger> ledger;
    const ldp::MemoryLedger* memory;  ///< the ledger; null if it is a file
};

struct ldp_batch {
    ldp::Batch batch;
    std::string fingerprint;
    std::string columns;  ///< in JSON
};

struct ldp_flush {
    std::string fingerprint;  ///< of the spec
    ldp::Flush flush;
    const char* history;  ///< where the transport writes the history of the server; may be null
    std::optional<ldp_batch> batch = {};  ///< current batch
    bool set_back_raised = false;
};

namespace ldp::capi {

/// Returns the destination of the caller; unknown if it is null.
Destination destination_of(const ldp_destination* to);
/// Returns its buffer for the history, or null.
const char* history_of(const ldp_destination* to);

/// Largest size of a text in bytes, equal to that of a spec.
inline constexpr std::size_t max_text = std::size_t{1} << 20;

/// Stores the exception that is being handled in `error`. Returns its status.
ldp_status tell(ldp_error** error) noexcept;

/// Runs the body of a function that can fail.
template <class Body>
ldp_status guarded(ldp_error** error, Body&& body) noexcept {
    if (error != nullptr) *error = nullptr;
    try {
        body();
        return LDP_OK;
    } catch (...) {
        return tell(error);
    }
}

/// Throws Error (invalid_value) for a pointer that is null.
void need(const void* pointer, const char* what);
/// The output of a result, which is empty until the result is known.
template <class T>
T& place(T* result, const char* what) {
    need(result, what);
    return *result = T{};
}
/// An argument's text. Throws Error: invalid_value if it is null, too long or no UTF-8.
[[nodiscard]] std::string_view text_of(const char* text, std::size_t length, const char* what);

/// The values in the types of the C++ interface, checked one by one. They refer to their texts. Throws Error
/// (invalid_value).
void read_values(const ldp_value* values, std::size_t count, std::vector<Value>& read);

/// Returns the values of public columns. Throws Error (invalid_value).
[[nodiscard]] PublicValues read_columns(const ldp_column* columns, std::size_t count);

/// Runs take(record) for each record of `of_each` values. `done` counts the records. Throws Error
/// (invalid_value) if `count` is not a multiple of `of_each`, and the exceptions of `take`.
template <class Take>
void for_each_record(const ldp_value* values, std::size_t count, std::size_t of_each, std::size_t& done,
                     Take&& take) {
    if (count > 0) need(values, "array of values");
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(ldp_value))
        raise(ErrorCode::invalid_value, "the values do not fit in memory",
              "Found " + std::to_string(count) + ".", "Pass the number of values, not of bytes.");
    if (count % of_each != 0)
        raise(ErrorCode::invalid_value, "the number of values is not a multiple of the record length",
              "Found " + std::to_string(count) + "; a record has " + std::to_string(of_each) + ".");
    std::vector<Value> record;
    for (std::size_t at = 0; at < count; at += of_each, ++done) {
        read_values(values + at, of_each, record);
        take(std::span<const Value>(record));
    }
}

/// Memory for ldp_free() with a copy of the bytes, followed by at least one byte 0.
template <class T>
[[nodiscard]] T* handed_over(const void* bytes, std::size_t size) {
    void* memory = std::calloc(size + 1, 1);
    if (memory == nullptr) throw std::bad_alloc();
    if (size > 0) std::memcpy(memory, bytes, size);
    return static_cast<T*>(memory);
}

}  // namespace ldp::capi
