#include "cli/input/statistics_parser.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#ifdef LDP_READSTAT
#include <readstat.h>
#endif

#include "cli/input/codebook.hpp"
#include "cli/input/statistics_times.hpp"
#include "core/base/text.hpp"

namespace ldp::cli {

namespace {

constexpr std::pair<std::string_view, StatisticsFormat> endings[] = {
    {".sav", StatisticsFormat::sav},   {".zsav", StatisticsFormat::sav},
    {".por", StatisticsFormat::por},   {".dta", StatisticsFormat::dta},
    {".xpt", StatisticsFormat::xport}, {".sas7bdat", StatisticsFormat::sas7bdat},
};

}  // namespace

std::optional<StatisticsFormat> statistics_format(std::string_view file) {
    std::string name(file);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& [ending, format] : endings)
        if (name.ends_with(ending)) return format;
    return {};
}

#ifndef LDP_READSTAT

bool has_statistics_parser() noexcept {
    return false;
}

void run_statistics_parser(int, const std::string&, StatisticsFormat) {
    _exit(1);
}

#else

bool has_statistics_parser() noexcept {
    return true;
}

namespace {

/// Bytes of memory that the parser's process may allocate for a hostile file.
constexpr rlim_t most_memory = rlim_t{4} << 30;
/// Size of a frame of rows in bytes.
constexpr std::size_t frame_size = std::size_t{1} << 16;
/// Largest number of columns, value labels of a file, and bytes of a label, that are read.
constexpr std::size_t most_variables = 10000, most_all_labels = 1'000'000, longest_label = 1000;

/// What the callbacks of ReadStat share. They are called from C, so they do not throw.
struct ParserState {
    int descriptor = -1;
    StatisticsFormat format = StatisticsFormat::sav;
    Codebook codebook = {};
    std::map<std::string, std::vector<ValueLabel>> sets = {};  ///< value labels by the name of their set
    std::vector<std::string> set_of = {};                      ///< the name of each column's set
    std::vector<TimeUnit> units = {};                          ///< of each column
    std::size_t labels = 0;
    int column = 0;  ///< the next one of the row
    std::string rows = {};
    std::string problem = {};  ///< why the callbacks stopped the parser
    std::string last_error = {};
};

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void write_frame(int descriptor, FrameKind kind, std::string_view content) {
    std::array<char, 5> header{static_cast<char>(kind)};
    for (std::size_t i = 0; i < 4; ++i) header[i + 1] = static_cast<char>(content.size() >> (8 * i) & 0xFF);
    write_all(descriptor, {header.data(), header.size()});
    write_all(descriptor, content);
}

/// Returns a value as text: numbers with the fewest digits of their type.
std::string text_of(const readstat_value_t& value) {
    switch (readstat_value_type(value)) {
        case READSTAT_TYPE_STRING:
        case READSTAT_TYPE_STRING_REF: {
            const char* const text = readstat_string_value(value);
            return text == nullptr ? "" : text;
        }
        case READSTAT_TYPE_FLOAT: {
            char digits[64];
            const auto [end, problem] =
                std::to_chars(digits, digits + sizeof digits, readstat_float_value(value));
            return {digits, end};
        }
        case READSTAT_TYPE_DOUBLE:
            return shortest(readstat_double_value(value));
        case READSTAT_TYPE_INT8:
            return std::to_string(static_cast<signed char>(readstat_int8_value(value)));
        case READSTAT_TYPE_INT16:
            return std::to_string(readstat_int16_value(value));
        case READSTAT_TYPE_INT32:
            return std::to_string(readstat_int32_value(value));
    }
    return {};
}

bool is_text(readstat_type_t type) {
    return type == READSTAT_TYPE_STRING || type == READSTAT_TYPE_STRING_REF;
}

/// Whether a value is a missing answer: by the system, with a letter, or by the codes that the file declares.
bool is_missing(const readstat_value_t& value, readstat_variable_t* variable) {
    if (is_text(readstat_value_type(value))) {
        const std::string text = text_of(value);
        if (text.empty()) return true;
        for (int i = 0; i < readstat_variable_get_missing_ranges_count(variable); ++i) {
            const std::string low = text_of(readstat_variable_get_missing_range_lo(variable, i)),
                              high = text_of(readstat_variable_get_missing_range_hi(variable, i));
            if (low <= text && text <= high) return true;
        }
        return false;
    }
    if (readstat_value_is_missing(value, variable) != 0) return true;
    return !std::isfinite(readstat_double_value(value));
}

std::string bounded(const char* text) {
    return text == nullptr ? std::string() : shortened(text, longest_label);
}

ParserState& state_of(void* context) {
    return *static_cast<ParserState*>(context);
}

/// Calls a function, whose exceptions stop the parser.
template <class Function>
int guarded(void* context, Function function) noexcept {
    ParserState& state = state_of(context);
    try {
        function(state);
    } catch (const std::exception& error) {
        state.problem = error.what();
    }
    return state.problem.empty() ? READSTAT_HANDLER_OK : READSTAT_HANDLER_ABORT;
}

CodebookColumn::Measure measure_of(const readstat_variable_t* variable) {
    switch (readstat_variable_get_measure(variable)) {
        case READSTAT_MEASURE_NOMINAL:
            return CodebookColumn::Measure::nominal;
        case READSTAT_MEASURE_ORDINAL:
            return CodebookColumn::Measure::ordinal;
        case READSTAT_MEASURE_SCALE:
            return CodebookColumn::Measure::scale;
        case READSTAT_MEASURE_UNKNOWN:
            break;
    }
    return CodebookColumn::Measure::unknown;
}

int take_metadata(readstat_metadata_t* metadata, void* context) {
    return guarded(context, [&](ParserState& state) {
        state.codebook.title = bounded(readstat_get_file_label(metadata));
    });
}

int take_variable(int index, readstat_variable_t* variable, const char* set, void* context) {
    return guarded(context, [&](ParserState& state) {
        if (index != static_cast<int>(state.codebook.columns.size())) {
            state.problem = "the columns are not in order";
            return;
        }
        if (state.codebook.columns.size() >= most_variables) {
            state.problem = "there are too many columns";
            return;
        }
        const char* const written = readstat_variable_get_format(variable);
        const TimeUnit unit = time_unit(state.format, written == nullptr ? "" : written);
        CodebookColumn column{bounded(readstat_variable_get_name(variable)),
                              bounded(readstat_variable_get_label(variable)),
                              is_text(readstat_variable_get_type(variable)) ? CodebookColumn::ColumnKind::text
                              : unit != TimeUnit::none                      ? CodebookColumn::ColumnKind::date
                                                       : CodebookColumn::ColumnKind::number,
                              measure_of(variable)};
        for (int i = 0; i < readstat_variable_get_missing_ranges_count(variable); ++i) {
            std::string low = text_of(readstat_variable_get_missing_range_lo(variable, i));
            const std::string high = text_of(readstat_variable_get_missing_range_hi(variable, i));
            if (low != high) low += " to " + high;
            column.missing.push_back({low, {}});
        }
        state.codebook.columns.push_back(std::move(column));
        state.set_of.push_back(set == nullptr ? "" : set);
        state.units.push_back(unit);
    });
}

int pass_variable(int, readstat_variable_t*, const char*, void*) {
    return READSTAT_HANDLER_OK;
}

int take_label(const char* set, readstat_value_t value, const char* label, void* context) {
    return guarded(context, [&](ParserState& state) {
        if (set == nullptr || label == nullptr || *label == '\0') return;
        if (++state.labels > most_all_labels) {
            state.problem = "there are too many value labels";
            return;
        }
        std::string code;
        if (readstat_value_is_tagged_missing(value) != 0)
            code = std::string(".") + readstat_value_tag(value);
        else if (readstat_value_is_system_missing(value) == 0)
            code = text_of(value);
        if (!code.empty()) state.sets[set].push_back({code, bounded(label)});
    });
}

void take_error(const char* message, void* context) {
    (void)guarded(context,
                  [&](ParserState& state) { state.last_error = without_controls(bounded(message)); });
}

std::string csv_field(std::string_view text) {
    std::string field = "\"";
    for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + "\"";
}

void flush_rows(ParserState& state) {
    if (!state.rows.empty()) write_frame(state.descriptor, FrameKind::rows, state.rows);
    state.rows.clear();
}

int take_value(int, readstat_variable_t* variable, readstat_value_t value, void* context) {
    return guarded(context, [&](ParserState& state) {
        const int last = static_cast<int>(state.codebook.columns.size()) - 1;
        if (readstat_variable_get_index(variable) != state.column) {
            state.problem = "a row is not complete";
            return;
        }
        if (!is_missing(value, variable)) {
            const TimeUnit unit = state.units[static_cast<std::size_t>(state.column)];
            std::optional<std::string> time;
            if (unit != TimeUnit::none) time = time_text(readstat_double_value(value), unit);
            const std::string text = time ? *time : text_of(value);
            state.rows += is_text(readstat_value_type(value)) ? csv_field(text) : text;
        }
        state.rows += state.column == last ? '\n' : ',';
        state.column = state.column == last ? 0 : state.column + 1;
        if (state.rows.size() >= frame_size) flush_rows(state);
    });
}

/// Takes missing codes out of the labels, and gives the missing codes their labels.
void join_labels(CodebookColumn& column, const std::vector<ValueLabel>& labels) {
    const auto as_number = [](const std::string& text) {
        double number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        return problem == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                          : std::nullopt;
    };
    for (const ValueLabel& each : labels) {
        if (each.code[0] == '.' && each.code.size() == 2 && column.kind != CodebookColumn::ColumnKind::text) {
            column.missing.push_back(each);
            continue;
        }
        bool missing = false;
        for (ValueLabel& code : column.missing) {
            if (code.code == each.code) {
                code.label = each.label;
                missing = true;
            } else if (const std::size_t to = code.code.find(" to "); to != std::string::npos) {
                const auto low = as_number(code.code.substr(0, to)),
                           high = as_number(code.code.substr(to + 4)), number = as_number(each.code);
                missing = missing || (low && high && number && *low <= *number && *number <= *high);
            }
        }
        if (!missing) column.labels.push_back(each);
    }
    std::ranges::stable_sort(column.labels, [&](const ValueLabel& one, const ValueLabel& other) {
        const auto first = as_number(one.code), second = as_number(other.code);
        return first && second ? *first < *second : one.code < other.code;
    });
}

using Json = nlohmann::json;

Json json_of(const std::vector<ValueLabel>& labels) {
    Json all = Json::array();
    for (const auto& [code, label] : labels) all.push_back({code, label});
    return all;
}

std::string json_of(const Codebook& codebook) {
    Json columns = Json::array();
    for (const CodebookColumn& each : codebook.columns)
        columns.push_back({{"name", each.name},
                           {"title", each.title},
                           {"kind", static_cast<int>(each.kind)},
                           {"measure", static_cast<int>(each.measure)},
                           {"labels", json_of(each.labels)},
                           {"missing", json_of(each.missing)}});
    return Json{{"title", codebook.title}, {"columns", columns}}.dump(-1, ' ', false,
                                                                      Json::error_handler_t::replace);
}

readstat_error_t parse(readstat_parser_t* parser, const std::string& file, StatisticsFormat format,
                       void* context) {
    switch (format) {
        case StatisticsFormat::sav:
            return readstat_parse_sav(parser, file.c_str(), context);
        case StatisticsFormat::por:
            return readstat_parse_por(parser, file.c_str(), context);
        case StatisticsFormat::dta:
            return readstat_parse_dta(parser, file.c_str(), context);
        case StatisticsFormat::sas7bdat:
            return readstat_parse_sas7bdat(parser, file.c_str(), context);
        case StatisticsFormat::xport:
            return readstat_parse_xport(parser, file.c_str(), context);
    }
    return READSTAT_ERROR_PARSE;
}

/// Ends the process with an error frame if the parser failed.
void need(ParserState& state, readstat_error_t error) {
    if (error == READSTAT_OK && state.problem.empty()) return;
    std::string message = !state.problem.empty() ? state.problem : readstat_error_message(error);
    if (state.problem.empty() && !state.last_error.empty()) message += " (" + state.last_error + ")";
    write_frame(state.descriptor, FrameKind::error, message);
    _exit(0);
}

/// Returns the bytes of address space that this process has. Sanitizers reserve terabytes.
rlim_t address_space() {
    std::ifstream sizes("/proc/self/statm");
    rlim_t pages = 0;
    return sizes >> pages ? pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void limit(decltype(RLIMIT_CORE) resource, rlim_t most) {
    const rlimit both{most, most};
    (void)setrlimit(resource, &both);
}

}  // namespace

void run_statistics_parser(int descriptor, const std::string& file, StatisticsFormat format) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_AS, address_space() + most_memory);
    ParserState state;
    state.descriptor = descriptor;
    state.format = format;
    try {
        // Some formats have their value labels behind the rows: the file is parsed once without its rows.
        readstat_parser_t* const parser = readstat_parser_init();
        if (parser == nullptr) need(state, READSTAT_ERROR_MALLOC);
        readstat_set_metadata_handler(parser, take_metadata);
        readstat_set_variable_handler(parser, take_variable);
        readstat_set_value_label_handler(parser, take_label);
        readstat_set_error_handler(parser, take_error);
        need(state, parse(parser, file, format, &state));
        if (state.codebook.columns.empty()) state.problem = "there are no columns";
        for (std::size_t j = 0; j < state.codebook.columns.size(); ++j)
            join_labels(state.codebook.columns[j], state.sets[state.set_of[j]]);
        need(state, READSTAT_OK);
        write_frame(descriptor, FrameKind::codebook, json_of(state.codebook));

        for (const CodebookColumn& column : state.codebook.columns)
            state.rows += (state.rows.empty() ? "" : ",") + csv_field(column.name);
        state.rows += '\n';
        readstat_parser_t* const reader = readstat_parser_init();
        if (reader == nullptr) need(state, READSTAT_ERROR_MALLOC);
        // ReadStat has no variables for the handler of values without a handler of variables.
        readstat_set_variable_handler(reader, pass_variable);
        readstat_set_value_handler(reader, take_value);
        readstat_set_error_handler(reader, take_error);
        need(state, parse(reader, file, format, &state));
        if (state.column != 0) state.problem = "the last row is not complete";
        need(state, READSTAT_OK);
        flush_rows(state);
        write_frame(descriptor, FrameKind::end, {});
    } catch (const std::exception& error) {
        write_frame(descriptor, FrameKind::error, error.what());
    }
    _exit(0);
}

#endif

}  // namespace ldp::cli
