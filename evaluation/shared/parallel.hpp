// Benchmarks on all processors.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace evaluation {

/// Runs work(0..jobs−1) on as many threads as there are processors.
template <class Work>
void in_parallel(std::size_t jobs, Work work) {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
        threads.emplace_back([&] {
            for (std::size_t job; (job = next++) < jobs;) work(job);
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace evaluation
