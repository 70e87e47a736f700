#include "run/sim/key.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct mill {
    XXH3_state_t *state;
};

static void mill_add(void *to, const void *bytes, size_t n)
{
    struct mill *m = to;
    XXH3_128bits_update(m->state, bytes, n);
}

static void add_text(struct mill *m, const char *text) { mill_add(m, text, strlen(text) + 1); }

static void add_number(struct mill *m, u64 v)
{
    u8 bytes[8];
    for (u32 i = 0; i < 8; i++) bytes[i] = (u8)(v >> (8 * i));
    mill_add(m, bytes, sizeof bytes);
}

static void mill_start(struct mill *m)
{
    m->state = XXH3_createState();
    check(m->state);
    XXH3_128bits_reset(m->state);
}

static void mill_end(struct mill *m, u64 hash[2])
{
    XXH128_hash_t h = XXH3_128bits_digest(m->state);
    hash[0] = h.high64;
    hash[1] = h.low64;
    XXH3_freeState(m->state);
}

static void add_machine(struct mill *m, const struct machine *machine)
{
    struct text value = {0};
    for (u32 i = 0; i < machine_row_n; i++) {
        add_text(m, machine_rows[i].section);
        add_text(m, machine_rows[i].field);
        value.size = 0;
        conf_show(machine, &machine_rows[i], &value);
        add_text(m, text_get(&value));
    }
    text_free(&value);
}

static void add_policy(struct mill *m, const struct mechanisms *policy)
{
    add_number(m, policy->n);
    for (u32 i = 0; i < policy->n; i++) {
        const struct mechanism *one = &policy->at[i];
        add_text(m, one->policy->name);
        if (one->plugin.policy) add_number(m, one->plugin.hash);
        for (u32 o = 0; o < one->option_n; o++) add_text(m, one->texts[o]);
    }
}

void key_of_run(u64 hash[2], const struct sim_setup *setup, const struct input_set *inputs,
                const struct mechanisms *policy)
{
    struct mill m;
    mill_start(&m);
    add_machine(&m, &setup->gpu->machine);
    add_policy(&m, policy);
    add_number(&m, setup->until);
    add_number(&m, setup->cycles);
    add_number(&m, setup->instructions);
    add_number(&m, setup->seed);
    for (u32 i = 0; i < inputs->n; i++) {
        add_text(&m, input_name(inputs->inputs[i]));
        input_feed(inputs->inputs[i], mill_add, &m);
    }
    mill_end(&m, hash);
}

/* Model-changing edits of corun itself must not find old entries: the binary is part of the key. */
void key_of_program(u64 hash[2], const u64 run[2])
{
    struct mill m;
    mill_start(&m);
    char *bytes = NULL;
    size_t size;
    struct text why = {0};
    if (file_read("/proc/self/exe", &bytes, &size, &why)) mill_add(&m, bytes, size);
    add_text(&m, CORUN_VERSION);
    add_number(&m, run[0]);
    add_number(&m, run[1]);
    text_free(&why);
    free(bytes);
    mill_end(&m, hash);
}

void key_of_point(u64 hash[2], const u64 run[2], u64 alone_from, u64 alone_on)
{
    struct mill m;
    mill_start(&m);
    add_number(&m, run[0]);
    add_number(&m, run[1]);
    add_number(&m, alone_from);
    add_number(&m, alone_on);
    mill_end(&m, hash);
}

u64 key_of_bytes(const void *bytes, size_t n) { return XXH3_64bits(bytes, n); }

void key_show(const u64 hash[2], struct text *out)
{
    text_add(out, "%016llx%016llx", (unsigned long long)hash[0], (unsigned long long)hash[1]);
}
