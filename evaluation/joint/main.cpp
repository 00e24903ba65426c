// Several attributes together, as the evaluation has it, by itself and sooner: evaluate-joint [REPETITIONS].
// LDP_DATA names the folder of the census, by default ../shared/data. It runs from the project's root.

#include <cstdlib>
#include <iostream>

#include "../figures/panels.hpp"
#include "table_methods.hpp"

int main(int count, char** arguments) {
    try {
        using namespace evaluation;
        const char* const data = std::getenv("LDP_DATA");
        const Setup setup{data == nullptr ? "../shared/data" : data,
                          count > 1 ? std::stoul(arguments[1]) : least_repetitions};
        print(joint_figure(setup, census(setup.data)), std::cout);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << "\n";
        return 1;
    }
}
