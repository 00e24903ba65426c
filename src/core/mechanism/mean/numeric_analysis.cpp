#include "core/mechanism/mean/numeric_analysis.hpp"

namespace ldp {

std::vector<std::pair<std::string, double>> NumericAnalysis::parameters() const {
    std::vector<std::pair<std::string, double>> all{
        {"min", parameters_.range.min},
        {"max", parameters_.range.max},
        {"grid", static_cast<double>(parameters_.channel->steps())}};
    for (const auto& parameter : parameters_.channel->parameters()) all.push_back(parameter);
    return all;
}

std::vector<Stake> NumericAnalysis::stakes() const {
    const auto [least, most] = parameters_.channel->reach();
    const double step = 2 * parameters_.range.half() / static_cast<double>(parameters_.channel->steps());
    return {{1,
             {parameters_.range.min + step * least, parameters_.range.min + step * most},
             {parameters_.range.min, parameters_.range.max}}};
}

double NumericAnalysis::n_variance(double truth) const {
    const auto steps = static_cast<double>(parameters_.channel->steps());
    return parameters_.channel->noise_at((truth + 1) / 2 * steps) * 4 / (steps * steps);
}

double NumericAnalysis::promised_variance_of_part(double part) const {
    const auto steps = static_cast<double>(parameters_.channel->steps());
    return parameters_.channel->most_noise(part) * 4 / (steps * steps);
}

Exact NumericAnalysis::probability(Input input, Bytes permanent) const {
    return parameters_.channel->probability(input[0], load_cell(permanent.data(), parameters_.width));
}

Exact NumericAnalysis::worst_ratio() const {
    return parameters_.channel->worst_ratio();
}

double NumericAnalysis::likeliest(Bytes payload) const {
    return parameters_.channel->likeliest(load_cell(payload.data(), parameters_.width));
}

}  // namespace ldp
