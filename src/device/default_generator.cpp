// The random generator of programs that do not define ldp_device_random(): the one of the Linux kernel. The file is an
// object of its own in the archive, which the linker takes only if the program has no such function.
#include <sys/random.h>

#include <cerrno>

#include "capi/ldp_device.h"

int ldp_device_random(void* bytes, size_t size) {
    auto* at = static_cast<char*>(bytes);
    while (size > 0) {
        const ssize_t got = getrandom(at, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        at += got;
        size -= static_cast<size_t>(got);
    }
    return 0;
}
