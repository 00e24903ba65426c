// Public columns of a file, as the server checks them before the first report is drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "cli/records.hpp"
#include "cli/submission/destination.hpp"

namespace ldp::cli::submit {

/// Asks the server which values of public columns it would refuse. Only the server has the types, domains and constraints
/// of the columns. Each value is sent once, in the order of the values, without the rows that have it.
class ValueCheck {
  public:
    /// Borrows the destination.
    explicit ValueCheck(Destination& destination) : destination_(destination) {}

    /// Records the values of an otherwise valid row, and its line.
    void add(const PublicValues& values, std::uint64_t line);
    /// Sends the recorded values to the server, if there are many of them or if `all` is true. Throws Error
    /// (invalid_value) for the first line with a refused value; under BadRow::skip, writes the first of these
    /// lines to standard error instead.
    void ask(const CsvReader& csv, BadRow policy, bool all);
    /// The values that the server refuses.
    [[nodiscard]] const RefusedValues& refused() const noexcept { return refused_; }

  private:
    struct Noted {
        std::map<std::string, std::uint64_t> fresh;  ///< values with their first line
        std::set<std::string> asked;                 ///< values that the server accepts
    };

    Destination& destination_;
    std::map<std::string, Noted> columns_;
    std::size_t fresh_ = 0, notices_ = 0;
    RefusedValues refused_;
};

}  // namespace ldp::cli::submit
