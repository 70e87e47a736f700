#include "gpu/machine/gpc.h"

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
    for (g.n = 0; sm >= g.first + g.n;) {
        u32 n = g.n;
        g.first += n;
        if (!size_read(&at, &g.n)) g.n = n;
    }
    g.n = min_u32(g.n, conf->count - g.first);
    return g;
}

bool gpcs_fit(const struct sm_conf *conf)
{
    const char *at = conf->gpcs.text;
    u32 n;
    if (!gpcs_given(conf)) return true;
    if (*at == '/') return false;
    while (size_read(&at, &n))
        if (!n) return false;
    return !*at;
}
