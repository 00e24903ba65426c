// ldp ledger FILE

#include <algorithm>
#include <bit>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "accounting/composition.hpp"
#include "cli/command.hpp"
#include "client/fleet/sqlite_fleet.hpp"
#include "client/fleet/sqlite_ledger.hpp"
#include "client/in_quotes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/contract/spec.hpp"

namespace ldp::cli::ledger {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("file", po::value<std::string>()->required())(
        "delta", real_number(1e-6), "probability that advanced or optimal composition may fail")(
        "person", po::value<std::string>(), "name of a person in a fleet's file")(
        "all", po::bool_switch(), "FILE is the ledger of groups of collections that share a budget")(
        "group", po::value<std::string>(), "group whose budget is set in the ledger FILE, with --epsilon")(
        "epsilon", po::value<double>(), "budget of a person for all collections of the group")(
        "total", po::value<double>(), "budget of a person for all collections of the ledger FILE");
    return options;
}

/// A row of a group's table: the largest values of one person.
struct LargestOfPerson {
    std::map<std::string, std::pair<double, double>> people;  ///< spent and reserved, by name
    [[nodiscard]] double spent() const { return largest(&std::pair<double, double>::first); }
    [[nodiscard]] double reserved() const { return largest(&std::pair<double, double>::second); }
    void add(const LedgerEntry& entry) {
        auto& [spent, reserved] = people[entry.person];
        spent += entry.spent;
        reserved += entry.reserved;
    }

  private:
    [[nodiscard]] double largest(double std::pair<double, double>::*which) const {
        double most = 0;
        for (const auto& [person, one] : people) most = std::max(most, one.*which);
        return most;
    }
};

/// Prints the collections of each group: ε that was spent, and ε at most.
int print_groups(const std::string& file, const std::optional<std::string>& person) {
    struct OneGroup {
        double limit = 0;
        LargestOfPerson all = {};
        std::map<Fingerprint, std::pair<std::string, LargestOfPerson>> collections = {};
    };
    std::map<std::string, OneGroup> groups;
    LargestOfPerson total;
    const SqliteLedger ledger(file);
    for (const LedgerEntry& entry : ledger.entries()) {
        if (person && entry.person != *person) continue;
        total.add(entry);
        OneGroup& group = groups[entry.group];
        group.limit = entry.limit;
        group.all.add(entry);
        auto& [title, row] = group.collections[entry.fingerprint];
        title = entry.title;
        row.add(entry);
    }
    if (groups.empty())
        throw Error(ErrorCode::unsupported,
                    person ? file + " has no account of " + in_quotes(*person) : file + " has no accounts",
                    {}, "The first report of a collection opens an account.");
    std::cout << std::left << std::setprecision(6);
    bool first = true;
    for (const auto& [name, group] : groups) {
        std::cout << (first ? "" : "\n");
        if (name.empty())
            std::cout << "without a group\n";
        else
            std::cout << "group         " << in_quotes(name, 63) << ", epsilon " << group.limit
                      << " of each person\n";
        std::cout << "collection       people    epsilon   at most   title\n";
        first = false;
        const auto print = [](const std::string& collection, const LargestOfPerson& row) {
            std::cout << std::setw(17) << collection << std::setw(10) << row.people.size() << std::setw(10)
                      << row.spent() << std::setw(10) << row.reserved();
        };
        for (const auto& [fingerprint, one] : group.collections) {
            print(fingerprint_text(fingerprint.in_block()), one.second);
            std::cout << in_quotes(one.first, 60) << "\n";
        }
        print("all", group.all);
        if (!name.empty())
            std::cout << rounded(std::max(0.0, group.limit - group.all.reserved()), 6) << " left";
        std::cout << "\n";
    }
    const LedgerLimits limits = ledger.limits();
    const auto limit = limits.find({});
    std::cout << "\nall accounts  epsilon " << total.spent() << ", at most " << total.reserved();
    if (limit != limits.end())
        std::cout << " of " << limit->second << "; "
                  << rounded(std::max(0.0, limit->second - total.reserved()), 6) << " left";
    std::cout << "\n"
              << "\nepsilon: the cost of the responses drawn so far. at most: the reserved cost, with later "
                 "responses.\nBoth columns contain the largest value of a person.\n";
    return Exit::done;
}

int run(const Arguments& arguments) {
    const auto& file = arguments["file"].as<std::string>();
    const bool of_groups = arguments["all"].as<bool>();
    if ((arguments.count("group") == 0) != (arguments.count("epsilon") == 0))
        throw UsageError("--group and --epsilon must be used together");
    if (arguments.count("group") != 0) {
        if (of_groups || arguments.count("person") != 0 || arguments.count("total") != 0)
            throw UsageError("--group cannot be combined with --all, --person or --total");
        const auto& group = arguments["group"].as<std::string>();
        const double epsilon = arguments["epsilon"].as<double>();
        if (group.empty()) throw UsageError("--group needs the name of a group");
        SqliteLedger(file).set_limit(group, epsilon);
        std::cout << "group " << in_quotes(group, 63) << ": at most epsilon " << shortest(epsilon)
                  << " of each person\n";
        return Exit::done;
    }
    if (arguments.count("total") != 0) {
        if (of_groups || arguments.count("person") != 0)
            throw UsageError("--total cannot be combined with --all or --person");
        const double epsilon = arguments["total"].as<double>();
        SqliteLedger(file).set_limit({}, epsilon);
        std::cout << "all collections: at most epsilon " << shortest(epsilon) << " of each person\n";
        return Exit::done;
    }
    need_state_file(file, of_groups ? "ledger" : "state file");
    if (of_groups)
        return print_groups(file, arguments.count("person") != 0
                                      ? std::optional(arguments["person"].as<std::string>())
                                      : std::nullopt);
    const bool of_person = arguments.count("person") != 0;
    const std::uint64_t people = of_person ? 0 : SqliteFleet(file).people();
    const SqliteStore store =
        of_person ? SqliteFleet(file).store(arguments["person"].as<std::string>()) : SqliteStore(file);
    const Memory memory = store.memory();
    if (memory.public_randomness.empty() && people > 0)
        throw Error(ErrorCode::invalid_value,
                    file + " has the ledgers of " + grouped(people) + (people == 1 ? " person" : " people"),
                    {}, "Name a person: --person.");
    if (memory.public_randomness.empty())
        throw Error(
            ErrorCode::unsupported, file + " has no ledger",
            "Only specs with changing values have a ledger. Reports of other specs are not memoized, and "
            "each report costs epsilon again.");
    const std::optional<std::int64_t> most = store.checkpoint("budget.responses");
    if (!most)
        throw Error(ErrorCode::unsupported, file + " has no ledger",
                    "The file belongs to a series. All rounds of a series together cost epsilon once.");
    const double epsilon = memory.responses.empty() ? 0 : memory.responses.front().epsilon;
    const double signal = std::bit_cast<double>(store.checkpoint("budget.signal").value_or(0));
    const Spent all = spent(memory.responses.size(), epsilon, arguments["delta"].as<double>(), signal);
    std::map<std::int32_t, std::uint64_t> by_round;
    for (const PermanentResponse& response : memory.responses) ++by_round[response.round];

    std::cout << std::left << std::setprecision(6) << "spec          "
              << fingerprint_text(memory.fingerprint.value_or(Fingerprint{})) << "\n"
              << "responses     " << all.responses << " of at most " << *most << "\n";
    if (!by_round.empty()) {
        std::cout << "epsilon       " << all.epsilon << " for each response, between any two values\n";
        if (all.signal > 0)
            std::cout << "signal        " << all.signal
                      << " for the bit that states whether the budget is spent\n";
        std::cout << "total         ";
        if (all.by() != Composition::basic)
            std::cout << std::setprecision(10) << all.least() << std::setprecision(6) << " at delta "
                      << all.delta << ", by " << name(all.by())
                      << " composition, the smallest bound\n              ";
        std::cout
            << all.sum << " at delta 0, the sum\n"
            << "              for any two series of values of this person that change at the same times\n";
        std::cout << "\nround         responses epsilon\n";
    }
    for (const auto& [round, responses] : by_round)
        std::cout << std::setw(14) << round << std::setw(10) << responses
                  << static_cast<double>(responses) * all.epsilon << "\n";
    return Exit::done;
}

constexpr const char* positional[] = {"file"};

}  // namespace

const Command command{
    "ledger",
    "[--delta D] [--person NAME] [--all | --group NAME --epsilon E | --total E] FILE",
    "shows the privacy budget that a person has spent",
    "Reads the state file of a client whose values change. Shows the number of permanent responses that\n"
    "were drawn for the person, their rounds, their total cost, and the maximum number of responses.\n"
    "Reports that repeat a response cost nothing. The client must not have the file open.\n"
    "With --all, FILE is the ledger of groups, in which several collections share one budget of each\n"
    "person. Shows the collections of each group, the epsilon that each collection has spent, and its\n"
    "maximum.\n"
    "With --group and --epsilon, sets the budget of a person in the group; the ledger is created if it\n"
    "does not exist. Reports of specs with another epsilon for the group are then refused. With --total,\n"
    "sets the budget of a person for all collections that use the ledger, with and without a group.",
    options,
    positional,
    run};

}  // namespace ldp::cli::ledger
