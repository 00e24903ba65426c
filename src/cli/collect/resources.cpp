#include "cli/collect/resources.hpp"

#include "core/base/sha256.hpp"
#include "core/delivery/delivery_receipt.hpp"

namespace ldp::collect {

namespace {

/// Adds the receipt of a published resource to the response that has it as its body.
HttpResponse with_receipt(HttpResponse response, const CatalogEntry& collection) {
    const auto content = sha256(std::as_bytes(std::span(response.body)));
    response.fields.emplace_back(receipt_field,
                                 delivery_receipt("GET", response.status, collection.name, {}, 0, content));
    return response;
}

}  // namespace

HttpResponse spec_response(const CatalogEntry& collection, std::string_view known) {
    // The owner may change the texts, which are not part of the fingerprint.
    const std::string tag =
        "\"" + collection.fingerprint + (collection.texts.empty() ? "" : "-" + collection.texts) + "\"";
    HttpResponse response{200, "application/json", collection.spec, {}};
    const bool unchanged = known.find(tag) != std::string_view::npos || known == "*";
    if (unchanged) response = {304};
    response.fields = {
        {"ETag", tag}, {"Last-Modified", collection.created}, {"Cache-Control", "public, max-age=300"}};
    if (!collection.history.empty()) response.fields.emplace_back(history_field, collection.history);
    return unchanged ? response : with_receipt(std::move(response), collection);
}

HttpResponse columns_response(const CatalogEntry& collection) {
    return with_receipt(
        {200, "application/json", to_json(collection.columns), {{"Cache-Control", "no-store"}}}, collection);
}

}  // namespace ldp::collect
