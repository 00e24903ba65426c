// Values of public columns on their way into rows: from text to the types of a table's columns.
#pragma once

#include <string_view>

#include "boundary.hpp"

extern "C" {
#include "access/attnum.h"
}

namespace ldp {

/// The name under which a report has its token (client/store.hpp), as if it were a public column.
inline constexpr std::string_view token_column = "ldp_token";

/// The value of a public column, in PostgreSQL's memory.
struct PublicColumnValue {
    char* name;
    AttrNumber number;
    Oid type;
    Datum value;
    varlena* sent;  ///< as the type's send function writes it; null if the type has none
};

struct PublicColumns {
    PublicColumnValue* columns;
    int count;
    bool sendable;  ///< whether all types can be sent and received in binary
};

/// A key and its value in a jsonb argument, as texts in the server's encoding.
struct PublicText {
    char* name;
    char* value;  ///< null for JSON null
};

struct PublicTexts {
    PublicText* texts;
    int count;
};

/// The keys and values of a jsonb argument; none if it is NULL or JSON null. Raises an error if it is no object.
/// May jump.
[[nodiscard]] PublicTexts public_texts(FunctionCallInfo fcinfo, int argument);

/// The values that a jsonb argument has for public columns of a table; none if it is NULL. Raises an error that
/// names column and value if a key is not a public column, or a value is too long or not of the column's type.
/// May jump.
[[nodiscard]] PublicColumns public_columns(Oid table, FunctionCallInfo fcinfo, int argument);

}  // namespace ldp
