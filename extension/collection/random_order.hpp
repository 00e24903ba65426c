// The order in which the reports of a batch become rows.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>

#include "boundary.hpp"
#include "core/base/interrupt.hpp"
#include "core/math/insecure_bits.hpp"

namespace ldp {

/// The numbers below `count` in random order, in PostgreSQL's memory; allowed beside C++ objects. The reports
/// of a batch are sorted, so the first rows of a table, or some of its pages, would be a biased sample of
/// them. The order is no secret and depends on nothing in the batch.
[[nodiscard]] inline std::uint32_t* random_order(std::size_t count) {
    std::uint64_t seed;
    if (!pg_strong_random(&seed, sizeof seed))
        throw Error(ErrorCode::environment, "the system provides no random numbers");
    auto* order = static_cast<std::uint32_t*>(try_palloc((count + 1) * sizeof(std::uint32_t)));
    std::iota(order, order + count, 0u);
    InsecureBits bits(seed);
    for_each_index(count, [&](std::size_t i) { std::swap(order[i], order[i + bits.below(count - i)]); });
    return order;
}

}  // namespace ldp
