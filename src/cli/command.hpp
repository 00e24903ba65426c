// The table of subcommands, exit codes, and functions that all subcommands use.
#pragma once

#include <boost/program_options.hpp>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp {

class Mechanism;

}  // namespace ldp

namespace ldp::cli {

struct SummaryTable;  // input/summary_file.hpp

/// Exit codes, with the reaction of a script. Codes 5 to 7 are in records.hpp, terms_options.hpp and progress.hpp.
enum Exit {
    done = 0,      ///< continues
    failed = 1,    ///< notifies a person
    misused = 2,   ///< is corrected
    refused = 3,   ///< notifies a person, but continues
    later = 4,     ///< runs the same command again later
    no_power = 8,  ///< runs the command again with more samples
    problems = 9,  ///< notifies a person, who reads the remedies
    differs = 10,  ///< notifies a person, who decides on a new approval
};

/// A command line that cannot be understood: exit code `misused`.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A temporary failure, which ends without intervention: exit code `later`.
class Unavailable : public Error {
  public:
    using Error::Error;
};

using Options = boost::program_options::options_description;

/// Help text of --dsn.
inline constexpr const char* dsn_help =
    "connection string; missing parameters come from PGHOST, PGDATABASE, ... and ~/.pgpass";
using Arguments = boost::program_options::variables_map;

struct Command {
    const char* name;
    const char* synopsis;  ///< the text after "ldp NAME" in the usage
    const char* purpose;   ///< one line
    const char* help;      ///< what a user must know before running it
    Options (*options)();
    /// Names of the arguments without a dash, in order; they are options as well.
    std::span<const char* const> positional;
    int (*run)(const Arguments&);
};

/// All subcommands, in the order of the help.
[[nodiscard]] std::span<const Command* const> commands() noexcept;

// The subcommands, each in the namespace of its file.
// clang-format off
namespace spec { extern const Command command; }
namespace advise { extern const Command command; }
namespace plan { extern const Command command; }
namespace perturb { extern const Command command; }
namespace submit { extern const Command command; }
namespace contract { extern const Command command; }
namespace queue { extern const Command command; }
namespace collect { extern const Command command; }
namespace summarize { extern const Command command; }
namespace attach { extern const Command command; }
namespace refresh { extern const Command command; }
namespace doctor { extern const Command command; }
namespace ledger { extern const Command command; }
namespace estimate { extern const Command command; }
namespace query { extern const Command command; }
namespace simulate { extern const Command command; }
namespace model { extern const Command command; }
namespace synthesize { extern const Command command; }
namespace audit { extern const Command command; }
namespace disclosure { extern const Command command; }
namespace reference { extern const Command command; }
namespace help { extern const Command command; }
// clang-format on

/// Opens a file for reading. Throws Error (environment).
void open(std::ifstream& file, const std::string& name);
/// Throws Error (environment) if a state file, or another file of this kind, does not exist. Call it before
/// opening the file, which would create it.
void need_state_file(const std::string& name, const char* kind = "state file");
/// The whole of a file, or of standard input if the name is "-". Throws Error (environment) if it cannot be
/// read, and Error (malformed) if it is UTF-16 or larger than 1 MiB.
[[nodiscard]] std::string read_text(const std::string& name);
/// The text of a spec: the argument itself if it is JSON, the spec of a collection if it is collection:NAME,
/// else read_text() of the argument.
[[nodiscard]] std::string spec_text(const std::string& given);
/// Returns the bytes of a summary from a file or, for "-", from standard input. The file has the bytes or, as psql writes
/// them, a line of hexadecimal digits. If it has summaries of groups (input/summary_file.hpp), they are added up. Throws Error: environment if the file does not exist, malformed if it has no
/// summary, incompatible if the summary belongs to another mechanism.
[[nodiscard]] std::vector<std::byte> summary_in_file(const std::string& name, const Mechanism& mechanism);
/// Checks the bytes of a summary, which `name` names in errors. Throws Error (malformed, incompatible) as summary_in_file()
/// does.
void check_summary_of(const Mechanism& mechanism, Bytes summary, const std::string& name);
/// Returns all summaries of a file or, for "-", of standard input, which are not checked. Throws Error: environment, malformed.
[[nodiscard]] SummaryTable summaries_in_file(const std::string& name);
/// Returns the content of a file with a summary of any mechanism, which is not checked. Throws Error (environment).
[[nodiscard]] std::vector<std::byte> bytes_in_file(const std::string& name);

/// The value of an option with a number. --help shows the default as given.
[[nodiscard]] inline auto* real_number(double fallback) {
    return boost::program_options::value<double>()->default_value(fallback, shortest(fallback));
}

/// An option with a fixed set of values.
template <class Value>
struct Choice {
    const char* option;
    std::vector<std::pair<const char*, Value>> values;

    [[nodiscard]] Value chosen(const Arguments& arguments) const {
        const auto& found = arguments[option].as<std::string>();
        std::string allowed;
        for (const auto& [word, choice] : values) {
            if (found == word) return choice;
            allowed += (allowed.empty() ? "" : " or ") + std::string(word);
        }
        throw UsageError("--" + std::string(option) + " must be " + allowed + ", not \"" + found + "\"");
    }
};

}  // namespace ldp::cli
