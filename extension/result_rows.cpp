#include "result_rows.hpp"

#include <algorithm>

namespace ldp {

void check_columns(FunctionCallInfo fcinfo, TupleDesc result, std::span<const Column> columns) {
    const auto found = static_cast<std::size_t>(result->natts);
    for (std::size_t i = 0; i < std::max(found, columns.size()); ++i) {
        const FormData_pg_attribute* returned =
            i < found ? TupleDescAttr(result, static_cast<int>(i)) : nullptr;
        const Column* written = i < columns.size() ? &columns[i] : nullptr;
        if (returned != nullptr && written != nullptr && returned->atttypid == written->type &&
            std::string_view(NameStr(returned->attname)) == written->name)
            continue;
        const char* column = written != nullptr ? written->name : NameStr(returned->attname);
        ereport(
            ERROR,
            (errcode(ERRCODE_INTERNAL_ERROR),
             errmsg("result columns of function %s do not match the library",
                    get_func_name(fcinfo->flinfo->fn_oid)),
             returned == nullptr  ? errdetail("Column \"%s\" is not returned.", column)
             : written == nullptr ? errdetail("Column \"%s\" is not written.", column)
                                  : errdetail("Column %d is \"%s\" of type %s; \"%s\" of type %s is written.",
                                              static_cast<int>(i) + 1, NameStr(returned->attname),
                                              format_type_be(returned->atttypid), written->name,
                                              format_type_be(written->type)),
             errhint("The extension's script and library are of different versions: run ALTER EXTENSION ldp "
                     "UPDATE, and connect again.")));
    }
}

}  // namespace ldp
