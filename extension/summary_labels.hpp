// The labels of a summary: names of its attributes and of their values. Reports do not contain labels. The
// fingerprint of the summary identifies the collection whose spec has them. Without a collection, numbers
// replace labels.
#pragma once

#include <cstddef>
#include <string_view>

#include "boundary.hpp"
#include "core/spec/labels.hpp"

extern "C" {
#include "utils/array.h"
}

namespace ldp {

/// Labels from the table of collections. It has no destructor, so it may exist during jumps.
class SummaryLabels {
  public:
    /// Numbers replace labels.
    SummaryLabels() = default;
    /// Labels of a summary's spec, as readable by the caller in the active snapshot. They live as
    /// long as the current memory context. May jump.
    SummaryLabels(FunctionCallInfo fcinfo, Bytes summary);

    [[nodiscard]] const Labels& operator*() const noexcept;
    [[nodiscard]] const Labels* operator->() const noexcept { return &**this; }
    /// The same for attributes with these numbers of values. Throws Error (malformed) if they do not
    /// fit.
    [[nodiscard]] const Labels& fitting(std::span<const std::uint64_t> sizes) const;

    // May jump. Texts are in the server's encoding; an unknown name throws Error (invalid_value).

    /// All names, as an array of text; null if they are unknown.
    [[nodiscard]] ArrayType* names() const;
    /// All labels of an attribute; null if it has none.
    [[nodiscard]] ArrayType* labels(std::size_t attribute) const;
    /// An attribute's name, or its number, as text.
    [[nodiscard]] Datum name(std::size_t attribute) const;
    /// The label of one of its values, or its number, as text.
    [[nodiscard]] Datum label(std::size_t attribute, std::size_t value) const;
    /// The number of the attribute with this name or number. Callers check the upper bound.
    [[nodiscard]] std::size_t attribute_called(std::string_view name) const;
    /// The number of the value with this label; with this number if the values have no labels.
    [[nodiscard]] std::size_t value_called(std::size_t attribute, std::string_view label) const;

  private:
    const Labels* labels_ = nullptr;  ///< null if no collection has the spec
};

}  // namespace ldp
