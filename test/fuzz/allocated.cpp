#include "allocated.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t total = 0;

}  // namespace

std::size_t ldp::fuzz::allocated() noexcept {
    return total;
}

void* operator new(std::size_t size) {
    total += size;
    if (void* memory = std::malloc(size != 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    total += size;
    return std::malloc(size != 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
