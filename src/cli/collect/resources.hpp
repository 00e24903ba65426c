// Responses with what the endpoint publishes of a collection: its spec and its public columns.
#pragma once

#include <string_view>

#include "cli/collect/catalogue.hpp"
#include "cli/collect/http_response.hpp"

namespace ldp::collect {

/// Returns the response with the spec; 304 if `known`, the request's If-None-Match, has its fingerprint.
[[nodiscard]] HttpResponse spec_response(const CatalogEntry& collection, std::string_view known);
/// Returns the response with the list of public columns that clients may fill.
[[nodiscard]] HttpResponse columns_response(const CatalogEntry& collection);

}  // namespace ldp::collect
