#include "people.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "../test/support/seeded.hpp"

namespace bench {

namespace {

double uniform(ldp::BitSource& bits) {
    return std::ldexp(static_cast<double>(bits.word() >> 11), -53);
}

/// A value of 0..size−1 on [−1,1].
double scaled(double value, double size) {
    return 2 * value / (size - 1) - 1;
}

constexpr double census_domains[] = {16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2};
constexpr std::size_t census_people = 45222;

/// Most people have one of a few values next to each other, as in the census.
People made_up_census() {
    ldp::test::SeededBits bits(1994);
    std::vector<double> values;
    for (std::size_t i = 0; i < census_people; ++i)
        for (const double size : census_domains) {
            const double middle = std::floor(0.3 * size), fall = -std::log(uniform(bits)) * 0.12 * size;
            const double value = middle + (bits.word() % 2 == 0 ? fall : -fall);
            values.push_back(scaled(std::clamp(std::round(value), 0.0, size - 1), size));
        }
    return {"a made-up census (no adult_coarse.csv.gz was found)", std::size(census_domains),
            std::move(values)};
}

std::vector<double> domains(std::ifstream& file) {
    std::vector<double> sizes;
    std::string line, name, kind;
    std::getline(file, line);  // how many there are
    for (double size = 0; std::getline(file, line) && std::istringstream(line) >> name >> kind >> size;)
        sizes.push_back(size);
    return sizes;
}

}  // namespace

People::People(std::string title, std::size_t d, std::vector<double> values)
    : title_(std::move(title)), d_(d), values_(std::move(values)), means_(d) {
    for (std::size_t at = 0; at < values_.size(); ++at) means_[at % d] += values_[at];
    for (double& mean : means_) mean /= static_cast<double>(size());
}

People census(const std::string& folder) {
    const std::string csv = folder + "/adult_coarse.csv.gz";
    std::ifstream domain_file(folder + "/adult_coarse.domain");
    if (!domain_file || !std::ifstream(csv)) return made_up_census();
    const std::vector<double> sizes = domains(domain_file);

    setenv("LDP_CENSUS", csv.c_str(), 1);
    const std::unique_ptr<FILE, int (*)(FILE*)> gzip(popen("gzip -dc -- \"$LDP_CENSUS\"", "r"), pclose);
    std::vector<double> values;
    char line[1024];
    bool header = true;
    while (gzip && std::fgets(line, sizeof(line), gzip.get()) != nullptr) {
        if (std::exchange(header, false)) continue;
        const char* at = line;
        for (const double size : sizes) {
            char* end = nullptr;
            const double value = std::strtod(at, &end);
            if (end == at || value < 0 || value >= size)
                throw std::runtime_error(csv + " does not agree with its domains");
            values.push_back(scaled(value, size));
            at = end + (*end == ',' ? 1 : 0);
        }
    }
    if (values.empty()) throw std::runtime_error(csv + " cannot be read");
    return {"the 1994 census (Adult)", sizes.size(), std::move(values)};
}

People days(std::size_t people) {
    constexpr std::size_t times = 32;
    ldp::test::SeededBits bits(32);
    std::vector<double> values;
    values.reserve(people * times);
    for (std::size_t i = 0; i < people; ++i) {
        const double level = 0.8 * uniform(bits) - 0.4, swing = 0.5 * uniform(bits);
        const double phase = times * uniform(bits);
        for (std::size_t t = 0; t < times; ++t) {
            // Normal, by Box and Muller.
            const double noise = 0.02 * std::sqrt(-2 * std::log(1 - uniform(bits))) *
                                 std::cos(2 * std::numbers::pi * uniform(bits));
            const double angle = 2 * std::numbers::pi * (static_cast<double>(t) + phase) / times;
            values.push_back(std::clamp(level + swing * std::sin(angle) + noise, -1.0, 1.0));
        }
    }
    return {"smooth days of 32 readings", times, std::move(values)};
}

}  // namespace bench
