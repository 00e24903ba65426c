// Text as a CSV file: what is read is read again the same when it is written with every field quoted, and
// from the middle of the file.

#include "cli/input/csv.hpp"

#include <optional>
#include <sstream>

#include "core/base/error.hpp"
#include "examine.hpp"

namespace ldp::fuzz {

namespace {

using Row = std::vector<std::string>;

/// All sound records of what is left, up to the fault that ends the file, if there is one.
std::vector<Row> rows(cli::CsvReader& reader, std::size_t columns,
                      std::vector<cli::CsvReader::Position>* places = nullptr) {
    std::vector<Row> all;
    for (bool more = true; more;) {
        Row row;
        try {
            more = reader.next();
            if (!more) break;
            for (std::size_t i = 0; i < columns; ++i) row.emplace_back(reader.field(i));
        } catch (const Error& error) {
            need(!error.hint().empty(), "an error without a hint");
            if (error.code() == ErrorCode::malformed) break;
            need(error.code() == ErrorCode::invalid_value, "an error of another kind");
            continue;
        }
        all.push_back(std::move(row));
        if (places != nullptr) places->push_back(reader.position());
    }
    return all;
}

std::string in_quotes(const Row& row) {
    std::string line;
    for (const std::string& field : row) {
        line += line.empty() ? "\"" : ",\"";
        for (const char c : field) line += c == '"' ? "\"\"" : std::string(1, c);
        line += '"';
    }
    return line + "\n";
}

}  // namespace

bool csv(Bytes bytes) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::istringstream in(text);
    std::optional<cli::CsvReader> reader;
    if (refused({ErrorCode::malformed}, [&] { reader.emplace(in, "file.csv"); })) return false;
    // The reader does not return the number of columns of the header: a record of another length is
    // rejected.
    std::size_t columns = 0;
    {
        const std::string header = text.substr(0, reader->position().offset);
        bool inside = false;
        for (const char c : header) {
            inside ^= c == '"';
            columns += !inside && c == ',' ? 1 : 0;
        }
        ++columns;
    }
    refused({ErrorCode::malformed}, [&] { static_cast<void>(reader->column("a", "Name one.")); });
    std::vector<cli::CsvReader::Position> places;
    const std::vector<Row> first = rows(*reader, columns, &places);
    std::string written(columns - 1, ',');
    written += '\n';
    for (const Row& row : first) written += in_quotes(row);
    if (columns > 1) {
        std::istringstream again(written);
        cli::CsvReader other(again, "file.csv");
        need(rows(other, columns) == first, "what is written is read as something else");
    }
    if (places.empty()) return false;
    const std::size_t middle = places.size() / 2;
    reader->seek(places[middle]);
    need(rows(*reader, columns) ==
             std::vector<Row>(first.begin() + static_cast<std::ptrdiff_t>(middle) + 1, first.end()),
         "a file is read differently from its middle");
    return true;
}

}  // namespace ldp::fuzz
