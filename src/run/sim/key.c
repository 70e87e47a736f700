#include "run/sim/key.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "run/io/file.h"
#include "run/io/hasher.h"

static void add_machine(struct hasher *h, const struct machine *machine)
{
    struct text value = {0};
    for (u32 i = 0; i < machine_row_n; i++) {
        hasher_text(h, machine_rows[i].section);
        hasher_text(h, machine_rows[i].field);
        value.size = 0;
        conf_show(machine, &machine_rows[i], &value);
        hasher_text(h, text_get(&value));
    }
    text_free(&value);
}

static void add_policy(struct hasher *h, const struct mechanisms *policy)
{
    hasher_number(h, policy->n);
    for (u32 i = 0; i < policy->n; i++) {
        const struct mechanism *one = &policy->at[i];
        hasher_text(h, one->policy->name);
        if (one->plugin.policy) hasher_number(h, one->plugin.hash);
        for (u32 o = 0; o < one->option_n; o++) hasher_text(h, one->texts[o]);
    }
}

void key_of_run(u64 hash[2], const struct sim_setup *setup, const struct input_set *inputs,
                const struct mechanisms *policy)
{
    struct hasher h;
    hasher_start(&h);
    add_machine(&h, &setup->gpu->machine);
    add_policy(&h, policy);
    hasher_number(&h, setup->until);
    hasher_number(&h, setup->cycles);
    hasher_number(&h, setup->instructions);
    hasher_number(&h, setup->seed);
    if (setup->timed.last) {
        hasher_number(&h, setup->timed.first);
        hasher_number(&h, setup->timed.last);
    }
    for (u32 i = 0; i < inputs->n; i++) {
        hasher_text(&h, input_name(inputs->inputs[i]));
        input_feed(inputs->inputs[i], hasher_add, &h);
        u64 start = setup->at_once ? 0 : input_start(inputs->inputs[i]);
        if (start) hasher_number(&h, start);
        s32 priority = input_priority(inputs->inputs[i]);
        if (priority) hasher_number(&h, (u64)(s64)priority);
        if (input_draws(inputs->inputs[i])) hasher_number(&h, setup->first_app + i);
    }
    hasher_end(&h, hash);
}

/* Hashes the binary without the commit id: a commit without code changes still finds earlier
 * entries. */
static void hash_binary(u64 hash[2], const char *bytes, size_t size)
{
    struct hasher h;
    size_t n = sizeof version_commit;
    const char *commit = memmem(bytes, size, version_commit, n);
    size_t before = commit ? (size_t)(commit - bytes) : size;
    hasher_start(&h);
    hasher_add(&h, bytes, before);
    if (commit) hasher_add(&h, commit + n, size - before - n);
    hasher_end(&h, hash);
}

/* Hash of the running binary, made once per process: a sweep makes keys for all its points. */
static struct {
    pthread_mutex_t lock;
    bool known;
    u64 hash[2];
} binary = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool binary_known(struct fail *fail)
{
    static const char self[] = "/proc/self/exe";
    struct text why = {0};
    char *bytes;
    size_t size;
    pthread_mutex_lock(&binary.lock);
    if (!binary.known && file_read(self, &bytes, &size, &why)) {
        hash_binary(binary.hash, bytes, size);
        binary.known = true;
        free(bytes);
    }
    pthread_mutex_unlock(&binary.lock);
    if (why.size) fail_plain(fail, "cannot read corun itself, %s: %s", self, text_get(&why));
    text_free(&why);
    return binary.known;
}

/* The binary is part of the key, because a corun with a changed model must not find old entries. */
bool key_of_program(u64 hash[2], const u64 run[2], struct fail *fail)
{
    if (!binary_known(fail)) return false;
    struct hasher h;
    hasher_start(&h);
    hasher_add(&h, binary.hash, sizeof binary.hash);
    hasher_text(&h, CORUN_VERSION);
    hasher_number(&h, run[0]);
    hasher_number(&h, run[1]);
    hasher_end(&h, hash);
    return true;
}

void key_of_point(u64 hash[2], const u64 run[2], u64 alone_from, u64 alone_on, u64 by)
{
    struct hasher h;
    hasher_start(&h);
    hasher_number(&h, run[0]);
    hasher_number(&h, run[1]);
    hasher_number(&h, alone_from);
    hasher_number(&h, alone_on);
    if (by) hasher_number(&h, by); /* otherwise the key of databases written without `by` */
    hasher_end(&h, hash);
}
