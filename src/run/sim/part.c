#include "run/sim/part.h"

#include <stdlib.h>
#include <string.h>

const char *by_name(enum by by)
{
#define CHOICE(id, word, sentence) word,
    static const char *const names[] = {
#include "run/sim/by.def"
    };
#undef CHOICE
    return names[by];
}

void part_from(struct board *g, const struct gpu_end *e, struct app_part *out)
{
    const struct launch *l = &e->launch;
    u64 end = e->ended == NEVER ? board_now(g) : e->ended;
    *out = (struct app_part){.app_id = l->app_id,
                         .stream = l->stream,
                         .kernel = l->program->name,
                         .shared_bytes = l->program->shared_bytes + l->dynamic_shared_bytes,
                         .number = l->number,
                         .launches = 1,
                         .arrived = e->arrived,
                         .began = e->began,
                         .ended = e->ended,
                         .cycles = e->began == NEVER ? 0 : end - e->began};
    memcpy(out->grid, l->grid, sizeof out->grid);
    memcpy(out->block, l->block, sizeof out->block);
    if (e->began != NEVER) out->uncounted = !board_launch_stat(g, e, &out->stats);
}

static bool belongs(const struct app_parts *p, const struct app_part *part,
                    const struct app_part *launch)
{
    if (part->app_id != launch->app_id) return false;
    if (p->by == BY_STREAM) return part->stream == launch->stream;
    return !strcmp(part->kernel, launch->kernel) &&
           !memcmp(part->block, launch->block, sizeof part->block) &&
           part->shared_bytes == launch->shared_bytes;
}

void parts_add(struct app_parts *p, const struct app_part *launch)
{
    struct app_part *part = NULL;
    for (u32 k = 0; k < p->n && p->by != BY_LAUNCH && !part; k++)
        if (belongs(p, &p->at[k], launch)) part = &p->at[k];
    if (!part) {
        *(struct app_part *)base_push(p->at, p->n, p->room) = *launch;
        return;
    }
    u64 most = max_u64(part->stats.max_resident, launch->stats.max_resident);
    part->launches++;
    part->uncounted += launch->uncounted;
    part->began = min_u64(part->began, launch->began);
    part->ended = max_u64(part->ended, launch->ended);
    part->cycles += launch->cycles;
    stat_sum(&part->stats, &launch->stats, sizeof part->stats);
    part->stats.max_resident = most;
}

void parts_rest(const struct app_parts *p, u32 app_id, const struct gpu_stat *app,
                struct gpu_stat *out)
{
    *out = *app;
    for (u32 k = 0; k < p->n; k++)
        if (p->at[k].app_id == app_id) stat_subtract(out, &p->at[k].stats, sizeof *out);
    out->max_resident = out->sm.active_cycles = 0;
}

void part_name(const struct app_parts *p, const struct app_part *part, struct text *out)
{
    u32 before = 0;
    text_add(out, "%s ", by_name(p->by));
    if (p->by == BY_LAUNCH) text_add(out, "%llu", (unsigned long long)part->number);
    if (p->by == BY_STREAM) text_add(out, "%u", part->stream);
    if (p->by != BY_KERNEL) return;
    for (const struct app_part *k = p->at; k < part; k++)
        before += k->app_id == part->app_id && !strcmp(k->kernel, part->kernel);
    text_add(out, "%s", part->kernel);
    if (before) text_add(out, ".%u", before + 1);
}

void parts_free(struct app_parts *p)
{
    free(p->at);
    *p = (struct app_parts){.by = p->by};
}
