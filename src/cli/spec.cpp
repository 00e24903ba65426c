// ldp spec check FILE

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>

#include "../client/quoted.hpp"
#include "../core/mechanism.hpp"
#include "../core/spec.hpp"
#include "command.hpp"

namespace ldp::cli {

namespace {

/// The standard error of one attribute's estimate from n reports, in the attribute's own unit; where it
/// depends on the truth, that of the least lucky one.
double standard_error(const Mechanism& mechanism, const Attribute& attribute, double n) {
    const auto at = [&](double truth) { return std::sqrt(mechanism.n_variance(truth) / n); };
    if (!attribute.numeric()) return at(1 / static_cast<double>(attribute.domain));
    return std::max(at(0), at(1)) * (attribute.max - attribute.min) / 2;
}

void explain(const Spec& spec, std::ostream& out) {
    const auto mechanism = make_mechanism(spec);
    out << "mechanism     " << spec.mechanism().name << ": " << spec.mechanism().title << "\n";
    if (spec.chosen()) out << "chosen        " << spec.chosen()->reason << "\n";
    out << "epsilon       " << spec.epsilon() << "\n"
        << "report        " << mechanism->block().size() + mechanism->payload_size() << " bytes\n"
        << "spec          " << fingerprint_text(spec.fingerprint()) << "\n"
        << "expected standard error:\n"
        << "              1,000 reports   1,000,000 reports\n"
        << std::left << std::setprecision(4);
    for (const Attribute& attribute : spec.attributes()) {
        out << "  " << std::setw(11) << attribute.name << " " << std::setw(15)
            << standard_error(*mechanism, attribute, 1e3) << " " << std::setw(19)
            << standard_error(*mechanism, attribute, 1e6);
        if (attribute.numeric())
            out << "of its mean, in its unit (" << attribute.min << " to " << attribute.max << ")\n";
        else
            out << "of each value's share (" << attribute.domain << " values)\n";
    }
}

Options options() {
    Options options;
    options.add_options()("action", boost::program_options::value<std::string>()->required())(
        "file", boost::program_options::value<std::string>()->required());
    return options;
}

int run(const Arguments& arguments) {
    const auto& action = arguments["action"].as<std::string>();
    if (action != "check") throw UsageError("ldp spec knows check, not " + ldp::quoted(action));
    const Spec spec = Spec::from_json(read_text(arguments["file"].as<std::string>()));
    std::cout << spec.to_json() << std::endl;
    explain(spec, std::cerr);
    return Exit::done;
}

constexpr const char* positional[] = {"action", "file"};

}  // namespace

const Command spec_command{
    "spec",
    "check FILE|-",
    "validates a spec and shows what it promises",
    "Prints the canonical form of the spec, every default filled in, to standard output, and to standard "
    "error\n"
    "what it costs and yields: epsilon, bytes a report, and the standard error to expect. That error is the\n"
    "randomisation's alone; for a share it is that of a value with an average share, for a mean the largest.",
    options,
    positional,
    run};

}  // namespace ldp::cli
