// The functions of rows are declared in core, with names, types and defaults of their arguments. SQL declares the same, and the
// bindings list the same names.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/results/row_functions.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(sql_signatures)

namespace {

std::string sql_text() {
    std::ostringstream all;
    for (const auto& entry : std::filesystem::directory_iterator("sql"))
        if (entry.path().extension() == ".sql") all << std::ifstream(entry.path()).rdbuf();
    return all.str();
}

std::string trimmed(const std::string& text) {
    const std::size_t from = text.find_first_not_of(" \n"), to = text.find_last_not_of(" \n");
    return from == std::string::npos ? "" : text.substr(from, to + 1 - from);
}

/// The declarations of the arguments of a function of SQL, in their order.
std::vector<std::string> arguments_in(const std::string& sql, const std::string& function) {
    const std::string begin = "CREATE FUNCTION @extschema@.ldp_" + function + "(";
    std::size_t at = sql.find(begin);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, function);
    std::vector<std::string> all{""};
    bool quoted = false;
    for (at += begin.size(); quoted || sql[at] != ')'; ++at) {
        if (sql[at] == '\'') quoted = !quoted;
        if (sql[at] == ',' && !quoted)
            all.emplace_back();
        else
            all.back() += sql[at];
    }
    for (std::string& one : all) one = trimmed(one);
    return all;
}

template <class Number>
std::string array_of(std::span<const Number> numbers) {
    std::ostringstream all;
    for (const Number one : numbers) all << (all.str().empty() ? "" : ",") << one;
    return "'{" + all.str() + "}'";
}

/// The type of an argument in SQL, and its default.
struct SqlArgument {
    const char* type;
    std::string value = "NULL";
};

struct SqlArguments {
    const SummaryQuery& defaults;

    template <class Type>
    SqlArgument operator()(Type SummaryQuery::*member) const {
        const Type& value = defaults.*member;
        std::ostringstream text;
        if constexpr (std::is_same_v<Type, bool>) {
            return {"boolean", value ? "true" : "false"};
        } else if constexpr (std::is_same_v<Type, double>) {
            text << value;
            return {"float8", text.str()};
        } else if constexpr (std::is_same_v<Type, std::int32_t>) {
            return {"integer", std::to_string(value)};
        } else if constexpr (std::is_same_v<Type, std::int64_t>) {
            return {"bigint", std::to_string(value)};
        } else if constexpr (std::is_same_v<Type, std::string_view>) {
            return {"text", "'" + std::string(value) + "'"};
        } else if constexpr (std::is_same_v<Type, JsonText>) {
            return {"jsonb", "'" + std::string(value.text) + "'"};
        } else if constexpr (std::is_same_v<Type, std::span<const double>>) {
            return {"float8[]", array_of(value)};
        } else if constexpr (std::is_same_v<Type, std::span<const std::int32_t>>) {
            return {"integer[]", array_of(value)};
        } else if constexpr (std::is_same_v<Type, Bytes>) {
            return {"@extschema@.ldp_source"};
        } else if constexpr (std::is_same_v<Type, SummaryQuery::Texts> ||
                             std::is_same_v<Type, std::optional<SummaryQuery::Texts>>) {
            return {"text[]"};
        } else if constexpr (std::is_same_v<Type, std::optional<std::string_view>>) {
            return {"text"};
        } else if constexpr (std::is_same_v<Type, std::optional<double>>) {
            return {"float8"};
        } else if constexpr (std::is_same_v<Type, std::optional<std::int32_t>>) {
            return {"integer"};
        } else if constexpr (std::is_same_v<Type, std::optional<JsonText>>) {
            return {"jsonb"};
        } else {
            return {"unexpected"};
        }
    }
};

/// The argument's declaration, without quotes around its name.
std::string declaration_of(const QueryParameter& parameter, const SummaryQuery& defaults) {
    const SqlArgument one = std::visit(SqlArguments{defaults}, parameter.member);
    return std::string(parameter.name) + " " + one.type + (parameter.required ? "" : " DEFAULT " + one.value);
}

/// The words in quotes of a file, between two texts.
std::set<std::string> words_between(const char* path, const std::string& begin, const std::string& end) {
    std::ostringstream whole;
    whole << std::ifstream(path).rdbuf();
    const std::string text = whole.str();
    std::size_t at = text.find(begin);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, path << " has no " << begin);
    const std::size_t last = text.find(end, at);
    std::set<std::string> words;
    while ((at = text.find('"', at)) < last) {
        const std::size_t close = text.find('"', at + 1);
        words.insert(text.substr(at + 1, close - at - 1));
        at = close + 1;
    }
    return words;
}

}  // namespace

BOOST_AUTO_TEST_CASE(bindings_list_every_function) {
    std::set<std::string> of_summaries, of_groups;
    for (const RowFunction& function : row_functions()) {
        if (!function.needs_groups()) of_summaries.insert(function.name);
        if (function.groups != GroupUse::none) of_groups.insert(function.name);
    }
    BOOST_TEST(words_between("bindings/python/ldp/summary.py", "\nFUNCTIONS = (", ")") == of_summaries);
    BOOST_TEST(words_between("bindings/python/ldp/summary.py", "\nGROUP_FUNCTIONS = (", ")") == of_groups);
    BOOST_TEST(words_between("bindings/js/results.d.ts", "export type RowFunction =", ";") == of_summaries);
    BOOST_TEST(words_between("bindings/js/results.d.ts", "export type GroupFunction =", ";") == of_groups);
}

BOOST_AUTO_TEST_CASE(every_function_has_the_arguments_of_its_declaration) {
    const std::string sql = sql_text();
    for (const RowFunction& function : row_functions()) BOOST_TEST_CONTEXT(function.name) {
            std::vector<std::string> found = arguments_in(sql, function.name);
            for (std::string& one : found)
                if (one[0] == '"') one.erase(one.find('"', 1), 1).erase(0, 1);  // a reserved word as a name
            std::vector<std::string> expected{found[0]};  // the source, which has several names
            BOOST_TEST(found[0].ends_with(" @extschema@.ldp_source"));
            const std::string by = "by text[] DEFAULT NULL";
            if (function.groups == GroupUse::required) expected.push_back(by);
            for (const QueryParameter& one : function.parameters)
                expected.push_back(declaration_of(one, function.defaults));
            if (function.may_have_groups()) expected.push_back(by);
            BOOST_TEST(found == expected, boost::test_tools::per_element());
        }
}

BOOST_AUTO_TEST_CASE(every_function_of_a_source_is_declared) {
    const std::string sql = sql_text(), begin = "CREATE FUNCTION @extschema@.ldp_";
    std::set<std::string> found, declared;
    for (std::size_t at = sql.find(begin); at != std::string::npos; at = sql.find(begin, at + 1)) {
        const std::size_t name = at + begin.size(), arguments = sql.find('(', name);
        const std::string first =
            sql.substr(arguments, std::min(sql.find(',', arguments), sql.find(')', arguments)) - arguments);
        if (first.ends_with(" @extschema@.ldp_source")) found.insert(sql.substr(name, arguments - name));
    }
    for (const RowFunction& function : row_functions()) declared.insert(function.name);
    BOOST_TEST(found == declared, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
