#include "gpu/machine/gpc.h"

#include <stdio.h>
#include <string.h>

/* Reads the next size and moves *at behind the size. Returns false at the end of the list and
 * before text that is no size. */
static bool size_read(const char **at, u32 *n)
{
    const char *digits = *at + (**at == '/');
    size_t length = strspn(digits, "0123456789");
    if (!length || length > 3) return false;
    *n = 0;
    for (size_t k = 0; k < length; k++) *n = *n * 10 + (u32)(digits[k] - '0');
    *at = digits + length;
    return true;
}

static bool gpcs_given(const struct sm_conf *conf) { return strcmp(conf->gpcs.text, "none") != 0; }

struct gpc gpc_of(const struct sm_conf *conf, u32 sm)
{
    const char *at = conf->gpcs.text;
    struct gpc g = {0, conf->count};
    if (!gpcs_given(conf)) return g;
    g.n = 0;
    for (u32 n; size_read(&at, &n); g.first += n) {
        g.n = n;
        if (sm < g.first + n) break;
    }
    return g;
}

/* Model: an instance has the GPCs of the GPU's first SMs (NVIDIA, MIG user guide: an instance has
 * whole slices, of a GPC each; guess). */
void gpcs_keep(struct sm_conf *conf)
{
    const char *at = conf->gpcs.text;
    size_t n = 0;
    u32 first = 0;
    if (!gpcs_given(conf)) return;
    char kept[sizeof conf->gpcs.text];
    for (u32 size; first < conf->count && size_read(&at, &size); first += size)
        n += (size_t)snprintf(kept + n, sizeof kept - n, "%s%u", n ? "/" : "",
                              min_u32(size, conf->count - first));
    memcpy(conf->gpcs.text, kept, n + 1);
}

bool gpcs_fit(const struct sm_conf *conf)
{
    const char *at = conf->gpcs.text;
    u32 sum = 0, n;
    if (!gpcs_given(conf)) return true;
    if (*at == '/') return false;
    while (size_read(&at, &n)) {
        if (!n) return false;
        sum += n;
    }
    return !*at && sum == conf->count;
}
