#include "cli/file_options.hpp"

#include <algorithm>
#include <cstdint>

#include "client/in_quotes.hpp"

namespace ldp::cli {

namespace {

constexpr std::string_view delimiters = ",;|\t";

char delimiter_of(const std::string& given) {
    if (given == "tab" || given == "\\t") return '\t';
    if (given.size() != 1 || delimiters.find(given[0]) == std::string_view::npos)
        throw UsageError("--delimiter must be ',', ';', '|' or tab, not " + in_quotes(given));
    return given[0];
}

}  // namespace

char delimiter_option(const Arguments& arguments) {
    return delimiter_of(arguments["delimiter"].as<std::string>());
}

void add_file_options(Options& options) {
    namespace po = boost::program_options;
    options.add_options()("delimiter", po::value<std::string>(),
                          "delimiter of the fields in a CSV file: ',' (the default), ';', '|' or tab")(
        "decimal", po::value<std::string>(), "decimal mark of numbers in a CSV file: . (the default) or ,")(
        "missing", po::value<std::vector<std::string>>()->composing(),
        "texts in the file that mean a missing answer, separated by commas, such as NA,-9; an empty field "
        "is always missing")(
        "encoding", po::value<std::string>(),
        "encoding of a CSV file, such as latin1 or windows-1252 (default: UTF-8, or UTF-16 with a byte "
        "order mark)")(
        "header-rows", po::value<std::int64_t>()->default_value(1),
        "number of rows before the first person in a CSV file; the first row names the columns")(
        "set-separator", po::value<std::string>()->default_value(";"),
        "separator of the labels of a set in one field, such as , or |; spaces around labels are omitted");
}

CsvFormat file_format(const Arguments& arguments) {
    CsvFormat format;
    if (arguments.count("delimiter") != 0) format.delimiter = delimiter_option(arguments);
    if (arguments.count("decimal") != 0) {
        const auto& given = arguments["decimal"].as<std::string>();
        if (given != "." && given != ",")
            throw UsageError("--decimal must be . or ,, not " + in_quotes(given));
        format.decimal = given[0];
    }
    if (arguments.count("encoding") != 0) format.encoding = arguments["encoding"].as<std::string>();
    const auto rows = arguments["header-rows"].as<std::int64_t>();
    if (rows < 1 || rows > 100)
        throw UsageError("--header-rows must be 1 to 100, not " + std::to_string(rows));
    format.header_rows = static_cast<std::size_t>(rows);
    format.set_separator = arguments["set-separator"].as<std::string>();
    if (format.set_separator.size() != 1 || format.set_separator[0] == '"')
        throw UsageError("--set-separator must be one character, not " + in_quotes(format.set_separator));
    if (arguments.count("missing") == 0) return format;
    for (const std::string& given : arguments["missing"].as<std::vector<std::string>>())
        for (std::size_t at = 0; at <= given.size();) {
            const std::size_t end = std::min(given.find(',', at), given.size());
            if (end == at) throw UsageError("--missing has an empty text; an empty field is always missing");
            format.missing.push_back(given.substr(at, end - at));
            at = end + 1;
        }
    std::ranges::sort(format.missing);
    return format;
}

std::string format_options(const CsvFormat& format) {
    std::string text;
    if (format.delimiter)
        text += " --delimiter " + (*format.delimiter == '\t' ? std::string("tab")
                                                             : "'" + std::string(1, *format.delimiter) + "'");
    if (format.decimal != '.') text += " --decimal ,";
    if (!format.encoding.empty()) text += " --encoding " + format.encoding;
    if (format.header_rows != 1) text += " --header-rows " + std::to_string(format.header_rows);
    if (format.set_separator != ";") text += " --set-separator '" + format.set_separator + "'";
    if (!format.missing.empty()) {
        std::string all;
        for (const std::string& one : format.missing) all += (all.empty() ? "" : ",") + one;
        text += " --missing='" + all + "'";
    }
    return text;
}

}  // namespace ldp::cli
