#include "allocated.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

// Blocks that another thread allocated are subtracted, too, and may make the difference wrap around.
// Differences stay right, since the targets run in one thread.
thread_local std::size_t live = 0, peak = 0;

void* counted(void* memory) noexcept {
    if (memory != nullptr) peak = std::max(peak, live += malloc_usable_size(memory));
    return memory;
}

void* allocate(std::size_t size) noexcept {
    return counted(std::malloc(size != 0 ? size : 1));
}

void release(void* memory) noexcept {
    if (memory != nullptr) live -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

namespace ldp::fuzz {

LiveMemory::LiveMemory() noexcept : before_(live) {
    peak = live;
}

std::size_t LiveMemory::most() const noexcept {
    return peak - before_;
}

}  // namespace ldp::fuzz

void* operator new(std::size_t size) {
    if (void* memory = allocate(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return allocate(size);
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
