// ldp perturb --spec S [--input F]

#include <cstdio>
#include <iostream>

#include "cli/command.hpp"
#include "cli/file_options.hpp"
#include "cli/input/people_file.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "cli/terms_options.hpp"
#include "core/base/bytes.hpp"
#include "core/base/random.hpp"
#include "core/choice/resolve.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::cli::perturb {

namespace {

Options options() {
    namespace po = boost::program_options;
    Options options;
    options.add_options()("spec", po::value<std::string>()->required(),
                          "a file, or the JSON itself (required)")(
        "input", po::value<std::string>()->default_value("-"), "file with a header; - is standard input");
    add_file_options(options);
    add_record_options(options);
    add_terms_options(options);
    return options;
}

int run(const Arguments& arguments) {
    const BadRow policy = bad_row_policy(arguments);
    const Outside outside = outside_policy(arguments);
    const Collection collection(resolve(spec_text(arguments["spec"].as<std::string>())), outside,
                                terms_option(arguments, {}));
    check_fingerprint(arguments, collection.spec());

    collection.mechanism().check_estimates();  // nobody else may have, and many people are about to report

    const ColumnMap columns = record_columns(arguments, collection.spec());
    const auto& input = arguments["input"].as<std::string>();
    PeopleFile file(input, file_format(arguments));
    Records records(file.rows(), collection.spec(), policy, columns, &std::cerr);
    std::cerr << shown_contract(collection.contract(), collection.spec(), columns);

    SystemRandom bits;
    std::string line;
    const auto perturb = [&](std::span<const Value> record) {
        Perturbed perturbed = collection.perturb(record, bits);
        line = to_hex(perturbed.report) + "\n";
        return perturbed;
    };
    while (std::cout && records.next(perturb)) std::cout << line;
    finish_output();
    std::cerr << summary(records.tally(), collection.spec(), "written") << "\n" << records.reasons();
    return records.exit_code(Exit::done);
}

}  // namespace

const Command command{
    "perturb",
    "--spec SPEC [OPTION...] < values.csv > reports.copy",
    "randomizes the rows of a file into reports",
    "Reads the columns that the spec names and writes one report per line, in the format of\n"
    "    \\copy TABLE (report) from 'reports.copy'\n"
    "Each run draws new reports. Load the output of a run only once: publishing two runs over the same\n"
    "people spends epsilon twice. ldp submit prevents this. Before the first report, the command shows\n"
    "the mechanism, epsilon, the columns that it reads and the digest of the contract. A person with\n"
    "several rows spends epsilon for each row, unless --average-by combines the rows into one record.",
    options,
    {},
    run};

}  // namespace ldp::cli::perturb
