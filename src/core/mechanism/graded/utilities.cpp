#include "core/mechanism/graded/utilities.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "core/format/header.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

namespace {

/// Largest coordinate or utility in a spec.
constexpr std::int64_t largest = 1000000;
constexpr unsigned most_bits = std::bit_width(std::uint64_t{2 * largest});

/// Integers of equal width, packed lowest bits first.
class Packed {
  public:
    void put(std::uint64_t number, unsigned width) {
        for (unsigned bit = 0; bit < width; ++bit, ++used_) {
            if (used_ % 8 == 0) bytes_.push_back(std::byte{0});
            bytes_.back() |= static_cast<std::byte>((number >> bit & 1) << used_ % 8);
        }
    }
    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
    std::size_t used_ = 0;
};

class Unpacked {
  public:
    explicit Unpacked(Bytes bytes) noexcept : bytes_(bytes) {}
    std::uint32_t take(unsigned width) noexcept {
        std::uint32_t number = 0;
        for (unsigned bit = 0; bit < width; ++bit, ++used_)
            number |= (std::to_integer<std::uint32_t>(bytes_[used_ / 8]) >> used_ % 8 & 1) << bit;
        return number;
    }

  private:
    Bytes bytes_;
    std::size_t used_ = 0;
};

/// Visits every step-th number, starting at `first`.
void each(auto& numbers, std::size_t first, std::size_t step, auto visit) {
    for (std::size_t i = first; i < numbers.size(); i += step) visit(numbers[i]);
}

/// Returns the number of bits that the largest of the numbers needs, at least 1.
unsigned width_of(const std::vector<std::uint32_t>& numbers, std::size_t first, std::size_t step) {
    std::uint32_t all = 1;
    each(numbers, first, step, [&](std::uint32_t number) { all |= number; });
    return static_cast<unsigned>(std::bit_width(all));
}

const IntegerRows& rows_of(const OptionValues& given, const char* name) {
    return std::get<IntegerRows>(given.at(name));
}

void check_rows(const char* name, const IntegerRows& rows, std::uint64_t k, std::size_t length,
                const char* wanted) {
    const auto wrong = [&](const std::string& found) {
        raise(ErrorCode::invalid_spec,
              "\"" + std::string(name) + "\" must have " + std::to_string(k) + " " + wanted, found,
              "Whole numbers from -" + std::to_string(largest) + " to " + std::to_string(largest) +
                  ", in the order of the domain.");
    };
    if (rows.size() != k) wrong("Found " + std::to_string(rows.size()) + ".");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != length)
            wrong("Number " + std::to_string(i) + " has " + std::to_string(rows[i].size()) + " numbers.");
        for (const std::int64_t number : rows[i])
            if (number < -largest || number > largest)
                wrong("Number " + std::to_string(i) + " has " + std::to_string(number) + ".");
    }
}

}  // namespace

Utilities::Utilities(std::uint64_t k, const OptionValues& given) : k_(k) {
    const IntegerRows &places = rows_of(given, "coordinates"), &table = rows_of(given, "utilities");
    const auto columns = std::get<std::uint64_t>(given.at("columns"));
    reach_ = static_cast<std::uint32_t>(std::get<std::uint64_t>(given.at("max_distance")));
    if ((columns != 0) + !places.empty() + !table.empty() > 1)
        raise(ErrorCode::invalid_spec, "\"columns\", \"coordinates\" and \"utilities\" exclude each other",
              "Each of them defines the distances of values.", "Keep one of them.");
    if (!table.empty() && reach_ != 0)
        raise(ErrorCode::invalid_spec, "\"max_distance\" and \"utilities\" cannot be combined", {},
              "Remove \"max_distance\", and limit the utilities directly.");
    if (columns > k)
        raise(ErrorCode::invalid_spec, "\"columns\" exceeds the number of values",
              "Found " + std::to_string(columns) + "; there are " + std::to_string(k) + " values.",
              "A row has \"columns\" tiles; the last one may have fewer.");
    columns_ = static_cast<std::uint32_t>(columns == 0 ? k : columns);
    if (places.empty() && table.empty()) return;
    kind_ = table.empty() ? UtilityKind::places : UtilityKind::table;
    columns_ = 0;
    if (kind_ == UtilityKind::places)
        check_rows("coordinates", places, k, 2, "pairs of coordinates");
    else
        check_rows("utilities", table, k, k, "rows of the same number of utilities");
    // Only differences matter: along either coordinate, or in the table.
    const std::size_t step = kind_ == UtilityKind::places ? 2 : 1;
    std::vector<std::int64_t> numbers;
    for (const auto& row : step == 2 ? places : table) numbers.insert(numbers.end(), row.begin(), row.end());
    for (std::size_t first = 0; first < step; ++first) {
        std::int64_t least = largest;
        each(numbers, first, step, [&](std::int64_t number) { least = std::min(least, number); });
        each(numbers, first, step, [&](std::int64_t& number) { number -= least; });
    }
    entries_.assign(numbers.begin(), numbers.end());
    Writer writer;
    write(writer);
    const std::size_t room = max_block_size - header_size - sizeof(std::uint32_t);
    if (writer.bytes().size() > room)
        raise(
            ErrorCode::invalid_spec,
            step == 2 ? "the coordinates are too large for a report" : "the table is too large for a report",
            "They need " + std::to_string(writer.bytes().size()) + " bytes; there are " +
                std::to_string(room) + ".",
            step == 2 ? "Round the coordinates, or use fewer values."
                      : "Use smaller numbers, fewer values, or \"coordinates\".");
}

Utilities::Utilities(std::uint64_t k, Reader& reader) : k_(k) {
    const auto malformed = [](const char* what) { refuse_block("the utilities are invalid", what); };
    const auto kind = reader.take<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(UtilityKind::table)) malformed("Their kind is unknown.");
    kind_ = static_cast<UtilityKind>(kind);
    reach_ = static_cast<std::uint32_t>(take_number(reader, "max_distance", 0, options[3].most));
    if (kind_ == UtilityKind::tiles) {
        columns_ = static_cast<std::uint32_t>(take_number(reader, "number of columns", 1, k));
        return;
    }
    if (kind_ == UtilityKind::table && reach_ != 0) malformed("A table must not have a maximum distance.");
    const std::size_t step = kind_ == UtilityKind::places ? 2 : 1;
    const std::size_t count = kind_ == UtilityKind::places ? 2 * k : k * k;
    unsigned widths[2] = {}, together = 0;
    for (std::size_t i = 0; i < step; ++i) {
        widths[i] = reader.take<std::uint8_t>();
        if (widths[i] < 1 || widths[i] > most_bits) malformed("A number has an invalid number of bits.");
        together += widths[i];
    }
    const Bytes packed = reader.take_bytes((count / step * together + 7) / 8);
    Unpacked numbers(packed);
    entries_.resize(count);
    for (std::size_t i = 0; i < count; ++i) entries_[i] = numbers.take(widths[i % step]);
    for (std::size_t first = 0; first < step; ++first) {
        std::uint32_t least = ~std::uint32_t{0}, most = 0;
        each(entries_, first, step,
             [&](std::uint32_t number) { least = std::min(least, number), most = std::max(most, number); });
        if (least != 0 || most > 2 * largest)
            malformed("The smallest number is not 0, or a number is too large.");
    }
    if (std::ranges::max(entries_) == 0) malformed("All values are equal.");
    Writer again;
    write(again);
    if (!std::ranges::equal(Bytes(again.bytes()).last(packed.size()), packed) ||
        width_of(entries_, 0, step) != widths[0] || width_of(entries_, step - 1, step) != widths[step - 1])
        malformed("The numbers are not packed correctly.");
}

void Utilities::write(Writer& writer) const {
    writer.put(kind_);
    writer.put(reach_);
    if (kind_ == UtilityKind::tiles) {
        writer.put(columns_);
        return;
    }
    const std::size_t step = kind_ == UtilityKind::places ? 2 : 1;
    Packed packed;
    unsigned widths[2] = {};
    for (std::size_t i = 0; i < step; ++i) {
        widths[i] = width_of(entries_, i, step);
        writer.put(static_cast<std::uint8_t>(widths[i]));
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) packed.put(entries_[i], widths[i % step]);
    writer.put_bytes(packed.bytes());
}

Utilities::Coordinates Utilities::place(std::uint64_t value) const noexcept {
    if (kind_ == UtilityKind::places)
        return {static_cast<double>(entries_[2 * value]), static_cast<double>(entries_[2 * value + 1])};
    const std::uint64_t column = value % columns_, row = value / columns_;
    return {static_cast<double>(column), static_cast<double>(row)};
}

double Utilities::distance(std::uint64_t a, std::uint64_t b) const noexcept {
    const Coordinates from = place(a), to = place(b);
    const double across = from.across - to.across, down = from.down - to.down;
    const double straight = std::sqrt(across * across + down * down);
    return reach_ == 0 ? straight : std::min(straight, static_cast<double>(reach_));
}

}  // namespace ldp
