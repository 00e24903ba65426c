// Files of summaries: one summary, as its bytes or in hexadecimal, or CSV with a summary of each group.
#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli {

/// A summary, and the values of the columns of its group; no value for NULL.
struct GroupSummary {
    std::vector<std::optional<std::string>> values = {};
    std::vector<std::byte> summary = {};
};

/// The summaries of a file.
struct SummaryTable {
    std::vector<std::string> columns = {};  ///< of groups; none for one summary
    std::vector<GroupSummary> groups = {};
};

/// Reads a file of summaries, which are not checked. Calls `begin` with the columns of groups, and then `take` for each
/// summary. `name` is the file's name in errors. Throws Error: malformed for CSV that is no file of summaries, environment if
/// the file cannot be read.
void read_summaries(std::istream& in, const std::string& name,
                    const std::function<void(const std::vector<std::string>&)>& begin,
                    const std::function<void(GroupSummary)>& take);
/// Returns all summaries of a file, as read_summaries() reads them.
[[nodiscard]] SummaryTable summary_table(std::istream& in, const std::string& name);

/// Returns the sum of all summaries, which check_summary() accepts. Throws Error: full, malformed if the table is empty.
[[nodiscard]] std::vector<std::byte> merged(const Mechanism& mechanism, const SummaryTable& table);

/// Writes a file of summaries: one line of hexadecimal digits, or CSV with the columns of the groups, n and summary.
class SummaryWriter {
  public:
    /// The stream must outlive this object.
    SummaryWriter(std::ostream& out, std::vector<std::string> columns);
    /// Writes a summary of n reports. Without columns, it is the only one.
    void put(const GroupSummary& group, std::uint64_t n);

  private:
    std::ostream& out_;
    std::size_t columns_;
};

}  // namespace ldp::cli
