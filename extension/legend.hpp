// What attributes and values are called. Reports do not say: the collection with their spec does, if there is
// one here; otherwise numbers stand for names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "boundary.hpp"

extern "C" {
#include "utils/jsonb.h"
}

namespace ldp {

/// Every function may jump: not beside C++ objects.
class Legend {
  public:
    Legend() = default;
    /// That of a summary's spec. It is looked up in the schema of the function called, as its caller may read
    /// it.
    Legend(FunctionCallInfo fcinfo, Bytes summary);

    /// All of it as JSON in UTF-8: an array of attributes, empty if nothing is known.
    [[nodiscard]] const char* json() const;
    /// An attribute's name, as text.
    [[nodiscard]] Datum name(std::size_t attribute) const;
    /// The label of one of its values, as text.
    [[nodiscard]] Datum label(std::size_t attribute, std::size_t value) const;
    /// The number of the attribute with this name, or else of this number; an error if there is none. Whether
    /// a number is too large is for others to find.
    [[nodiscard]] std::size_t attribute_called(std::string_view name) const;
    /// The number of the value with this label, or of this number if values have none.
    [[nodiscard]] std::size_t value_called(std::size_t attribute, std::string_view label) const;

  private:
    [[nodiscard]] JsonbContainer* labels(std::size_t attribute) const;

    JsonbContainer* attributes_ = nullptr;  ///< as a spec has them; maybe none
};

}  // namespace ldp
