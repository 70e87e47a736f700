#include "run/study/mix.h"

#include <stdlib.h>

static void add(struct mixes *m, bool split, const u32 *number)
{
    struct mix *one = base_push(m->at, m->n, m->room);
    *one = (struct mix){.split = split};
    for (u32 a = 0; a < m->app_n; a++) one->number[a] = number[a];
}

/* ---- tables ---- */

const struct sim_kernel *mix_kernel(const struct alone *a)
{
    const struct sim_kernel *best = NULL;
    for (u32 i = 0; i < a->kernel_n; i++)
        if (!best || a->kernels[i].cycles > best->cycles) best = &a->kernels[i];
    return best;
}

struct mix_needs {
    struct corun_resources sm;
    const struct corun_resources *need[APPS_MAX]; /* resources of a block */
    u32 blocks[APPS_MAX];
};

static void add_tables(struct mixes *m, struct mix_needs *t, struct corun_resources used, u32 app)
{
    if (app == m->app_n) {
        for (u32 a = 0; a < app; a++)
            if (corun_room(&t->sm, &used, t->need[a])) return;
        add(m, false, t->blocks);
        return;
    }
    u32 room = corun_room(&t->sm, &used, t->need[app]);
    for (t->blocks[app] = 1; t->blocks[app] <= room && m->n <= MIXES_MOST; t->blocks[app]++) {
        struct corun_resources more = used;
        corun_take(&more, t->need[app], t->blocks[app]);
        add_tables(m, t, more, app + 1);
    }
}

void mixes_add_tables(struct mixes *m, const struct sm_conf *sm, const struct alone *alone)
{
    struct mix_needs t = {{sm->threads, sm->registers, sm->shared_bytes, sm->blocks}, {0}, {0}};
    for (u32 a = 0; a < m->app_n; a++) {
        const struct sim_kernel *k = mix_kernel(&alone[a]);
        if (!k) return;
        t.need[a] = &k->fits.need;
    }
    add_tables(m, &t, (struct corun_resources){0}, 0);
}

/* ---- splits ---- */

static void add_splits(struct mixes *m, u32 *share, u32 app, u32 left)
{
    u32 others = m->app_n - app - 1;
    if (!others) {
        share[app] = left;
        add(m, true, share);
        return;
    }
    for (u32 n = 1; n + others <= left && m->n <= MIXES_MOST; n++) {
        share[app] = n;
        add_splits(m, share, app + 1, left - n);
    }
}

void mixes_add_splits(struct mixes *m, u32 sm_n)
{
    u32 share[APPS_MAX];
    if (m->app_n <= sm_n) add_splits(m, share, 0, sm_n);
}

/* ---- all ---- */

bool mixes_are_few(const struct mixes *m, struct fail *fail)
{
    if (m->n <= MIXES_MOST) return true;
    fail_plain(fail, "the oracle would try more than %d partitions of %u apps", MIXES_MOST,
               m->app_n);
    return false;
}

void mixes_free(struct mixes *m)
{
    free(m->at);
    *m = (struct mixes){0};
}

void mix_spec(const struct mix *m, u32 app_n, struct text *out)
{
    text_add(out, "%s", m->split ? "spatial[split=" : "fixed[blocks=");
    for (u32 a = 0; a < app_n; a++) text_add(out, "%s%u", a ? "/" : "", m->number[a]);
    text_put(out, "]", 1);
}
