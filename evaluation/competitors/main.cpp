// Shares of ranges by all methods, as Markdown tables: evaluate-competitors [REPETITIONS]. Means of numbers that people
// may leave out: evaluate-competitors missing. Sets of labels: evaluate-competitors sets. Means by a private group:
// evaluate-competitors by_group. It runs from the project's root.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "../shared/parallel.hpp"
#include "group_means.hpp"
#include "key_value.hpp"
#include "ranges.hpp"
#include "set_rivals.hpp"

int main(int arguments, char** words) {
    try {
        if (arguments > 1 && std::string_view(words[1]) == "missing") {
            evaluation::print_key_value_tables();
            return 0;
        }
        if (arguments > 1 && std::string_view(words[1]) == "sets") {
            evaluation::print_label_set_table();
            return 0;
        }
        if (arguments > 1 && std::string_view(words[1]) == "by_group") {
            evaluation::print_group_mean_table(arguments > 2 ? std::strtoul(words[2], nullptr, 10) : 40);
            return 0;
        }
        const std::size_t repetitions = arguments > 1 ? std::strtoul(words[1], nullptr, 10) : 10;
        constexpr double epsilons[] = {0.5, 1, 2};
        for (const evaluation::RangePeople& people : evaluation::range_people()) {
            std::printf("\n%s\n\n| | 0.5 | 1 | 2 |\n|---|---:|---:|---:|\n", people.title.c_str());
            const auto& methods = evaluation::range_methods();
            std::vector<double> sums(methods.size() * std::size(epsilons)), expected(sums.size());
            evaluation::in_parallel(sums.size(), [&](std::size_t cell) {
                for (std::size_t r = 0; r < repetitions; ++r) {
                    const auto [found, formula] = evaluation::range_error(
                        methods[cell / std::size(epsilons)], people, epsilons[cell % std::size(epsilons)],
                        91000000 + 1000 * cell + r);
                    sums[cell] += found / static_cast<double>(repetitions);
                    expected[cell] += formula / static_cast<double>(repetitions);
                }
            });
            for (std::size_t cell = 0; cell < sums.size(); ++cell) {
                if (cell % std::size(epsilons) == 0)
                    std::printf("| %s", methods[cell / std::size(epsilons)].c_str());
                std::printf(" | %.3g", sums[cell]);
                if (expected[cell] == expected[cell]) std::printf(" (%.3g)", expected[cell]);
                if (cell % std::size(epsilons) + 1 == std::size(epsilons)) std::printf(" |\n");
            }
        }
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
