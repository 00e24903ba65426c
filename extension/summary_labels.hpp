// The labels of a summary: names of its attributes and of their values. Reports do not contain labels. The
// fingerprint of the summary identifies the collection whose spec has them. Without a collection, numbers
// replace labels.
#pragma once

#include <cstddef>
#include <string_view>

#include "boundary.hpp"
#include "core/contract/labels.hpp"

extern "C" {
#include "utils/array.h"
}

namespace ldp {

/// Labels of a summary's spec from the table of collections, as readable by the caller in the active snapshot; none if no collection has the spec. They live as long as the current memory
/// context. May jump.
[[nodiscard]] const Labels& summary_labels(FunctionCallInfo fcinfo, Bytes summary);

// May jump. Texts are in the server's encoding; an unknown name throws Error (invalid_value).

/// UTF-8 text as a value.
[[nodiscard]] Datum text_datum(std::string_view utf8);
/// All names, as an array of text; null if they are unknown.
[[nodiscard]] ArrayType* name_array(const Labels& labels);
/// All labels of an attribute; null if it has none.
[[nodiscard]] ArrayType* label_array(const Labels& labels, std::size_t attribute);
/// The number of the attribute with this name or number. Callers check the upper bound.
[[nodiscard]] std::size_t attribute_called(const Labels& labels, std::string_view name);
/// The number of the value with this label; with this number if the values have no labels.
[[nodiscard]] std::size_t value_called(const Labels& labels, std::size_t attribute, std::string_view label);

}  // namespace ldp
