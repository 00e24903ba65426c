// The labels of a summary: names of its attributes and of their values. Reports do not contain labels. The
// fingerprint of the summary identifies the collection whose spec has them. Without a collection, numbers
// replace labels.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "boundary.hpp"
#include "core/contract/labels.hpp"
#include "core/results/result_table.hpp"

namespace ldp {

/// Labels of a summary's spec from the table of collections, as readable by the caller in the active snapshot; none if no collection has the spec. They live as long as the current memory
/// context. May jump.
[[nodiscard]] const Labels& summary_labels(FunctionCallInfo fcinfo, Bytes summary);

// May jump. Texts are in the server's encoding; an unknown name throws Error (invalid_value).

/// UTF-8 text as a value.
[[nodiscard]] Datum text_datum(std::string_view utf8);
/// A row for each label of each attribute, and one for an attribute without labels. They read `labels`, which must outlive
/// them.
[[nodiscard]] std::unique_ptr<Results> label_rows(const Labels& labels);
/// The number of the attribute with this name or number. Callers check the upper bound.
[[nodiscard]] std::size_t attribute_called(const Labels& labels, std::string_view name);
/// The number of the value with this label; with this number if the values have no labels.
[[nodiscard]] std::size_t value_called(const Labels& labels, std::size_t attribute, std::string_view label);

}  // namespace ldp
