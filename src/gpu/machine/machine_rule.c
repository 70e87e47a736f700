/* The rules between options, made from the rows of machine_rule.def, and the error for a violated
 * rule: the error shows the values of all keys concerned and points at the value given last. */
#include <string.h>
#include "gpu/machine/carveout.h"
#include "gpu/machine/clock.h"
#include "gpu/machine/gpc.h"
#include "gpu/machine/machine.h"

_Static_assert(PORTS_MAX == 256,
               "rule xbar_ports and the ranges of sm.count and map.channels say 256");

static bool clocks_fit(const struct machine *m)
{
    struct clocks c;
    const struct rational mhz[DOMAIN_N] = {[DOMAIN_SM] = m->clock.sm_mhz,
                                           [DOMAIN_XBAR] = m->clock.xbar_mhz,
                                           [DOMAIN_L2] = m->clock.l2_mhz,
                                           [DOMAIN_DRAM] = m->clock.dram_mhz};
    return clocks_init(&c, mhz);
}

#define RULE(name, keys, holds, sentence) \
    static bool name##_holds(const struct machine *m) { return holds; }
#include "gpu/machine/machine_rule.def"
#undef RULE

#define RULE(name, keys, holds, sentence) {#name, keys, name##_holds, sentence},
const struct machine_rule machine_rules[] = {
#include "gpu/machine/machine_rule.def"
};
#undef RULE
const u32 machine_rule_n = COUNT_OF(machine_rules);

/* Copies the next key of a rule into `key`. Returns false if no key is left. */
static bool next_key(const char **keys, struct text *key)
{
    *keys += strspn(*keys, " ");
    size_t n = strcspn(*keys, " ");
    key->size = 0;
    text_put(key, *keys, n);
    *keys += n;
    return n > 0;
}

static void refuse(const struct machine *m, const struct machine_rule *rule,
                   const struct conf_place *places, struct fail *fail)
{
    struct text key = {0}, said = {0};
    const struct conf_place *last = NULL;
    for (const char *keys = rule->keys; next_key(&keys, &key);) {
        const struct conf_row *row = conf_find(machine_rows, machine_row_n, key.bytes);
        check(row);
        text_add(&said, "%s%s is ", said.size ? ", " : "", key.bytes);
        conf_show(m, row, &said);
        const struct conf_place *place = places ? &places[row - machine_rows] : NULL;
        if (place && place->source && (!last || place->order > last->order)) last = place;
    }
    if (last) fail_at(fail, last->source, last->offset, "%s: %s", said.bytes, rule->sentence);
    else fail_plain(fail, "%s: %s", said.bytes, rule->sentence);
    text_free(&key);
    text_free(&said);
}

bool machine_check(const struct machine *m, const struct conf_place *places, struct fail *fail)
{
    bool right = true;
    for (u32 i = 0; i < machine_rule_n; i++) {
        if (machine_rules[i].holds(m)) continue;
        refuse(m, &machine_rules[i], places, fail);
        right = false;
    }
    return right;
}
