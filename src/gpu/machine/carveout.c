#include "gpu/machine/carveout.h"

#include <string.h>

enum { KB = 1024 };

/* Reads the next size, in bytes, and moves *at behind the size. Returns false at the end of the
 * list and before text that is no size. */
static bool size_read(const char **at, u32 *bytes)
{
    const char *digits = *at + (**at == '/');
    size_t n = strspn(digits, "0123456789");
    if (!n || n > 4) return false;
    *bytes = 0;
    for (size_t k = 0; k < n; k++) *bytes = *bytes * 10 + (u32)(digits[k] - '0');
    *bytes *= KB;
    *at = digits + n;
    return true;
}

u32 carveout_least(const struct sm_conf *conf, u64 bytes)
{
    const char *at = conf->carveouts.text;
    u32 size;
    while (carveouts_given(conf) && size_read(&at, &size))
        if (size >= bytes) return size;
    return conf->shared_bytes;
}

bool carveouts_fit(const struct machine *m)
{
    const char *at = m->sm.carveouts.text;
    u32 way_bytes = m->l1.sets * LINE_BYTES, size, last = 0;
    if (!carveouts_given(&m->sm)) return true;
    if (*at == '/') return false;
    for (bool first = true; size_read(&at, &size); first = false) {
        if ((!first && size <= last) || size % way_bytes || size / way_bytes >= m->l1.ways)
            return false;
        last = size;
    }
    return !*at && last == m->sm.shared_bytes;
}
