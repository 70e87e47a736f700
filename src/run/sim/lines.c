#include "run/sim/lines.h"

#include <stdlib.h>
#include <string.h>
#include "gpu/dispatch/kernel.h"
#include "host/name/kernel_name.h"

struct lines *lines_new(u32 sm_n)
{
    struct lines *l = base_alloc(sizeof *l);
    arena_init(&l->arena);
    l->sm_n = sm_n;
    return l;
}

void lines_free(struct lines *l)
{
    if (!l) return;
    for (u32 i = 0; i < l->listing_n; i++) free(l->listings[i].counts);
    arena_free(&l->arena);
    free(l);
}

static const char *keep(struct lines *l, const char *text)
{
    return text ? arena_text(&l->arena, text, strlen(text)) : NULL;
}

/* Returns the index of the kept copy of a PTX text. */
static u32 text_of(struct lines *l, const struct source *s)
{
    if (!s) return UINT32_MAX;
    u32 i = 0;
    for (; i < l->text_n; i++) {
        const struct source *old = &l->texts[i];
        if (old->size == s->size && !memcmp(old->text, s->text, s->size)) return i;
    }
    *arena_push(&l->arena, l->texts, l->text_n, l->text_room) =
        (struct source){keep(l, s->name), arena_text(&l->arena, s->text, s->size), s->size};
    return i;
}

/* Returns the function that holds the instruction; NULL: the kernel itself. */
static const struct function *function_at(const struct program *p, u32 pc)
{
    const struct function *in = NULL;
    for (u32 k = 0; p->ptx && k < p->ptx->function_n; k++) {
        const struct function *f = &p->ptx->functions[k];
        if (f->pc != PC_NONE && f->pc <= pc && (!in || f->pc > in->pc)) in = f;
    }
    return in;
}

static bool is_same(const struct listing *old, const struct launch *launch)
{
    const struct program *p = launch->program;
    bool same = old->app_id == launch->app_id && old->code_n == p->code_n &&
                !strcmp(old->name, p->name);
    for (u32 pc = 0; same && pc < p->code_n; pc++) same = old->lines[pc].line == p->code[pc].line;
    return same;
}

static void origins_keep(struct lines *l, struct listing *x, const struct origin *from)
{
    const char *file = NULL, *kept = NULL;
    for (u32 pc = 0; from && pc < x->code_n; pc++) {
        struct origin *o = &x->lines[pc].origin;
        *o = from[pc];
        if (o->file && (!file || strcmp(o->file, file))) kept = keep(l, file = from[pc].file);
        if (o->file) o->file = kept;
        o->call_file = keep(l, o->call_file);
    }
}

static struct listing_line line_of(const struct program *p, u32 pc, u32 text)
{
    const struct inst *i = &p->code[pc];
    struct listing_line line = {.line = i->line, .text = text, .unit = i->unit, .cost = i->cost,
                                .space = i->space, .reads = i->score_row_n,
                                .group_steps = i->group_steps};
    for (u32 k = i->score_dst; k < i->score_n; k++)
        if (i->score[k] < p->row_n) line.writes++;
    line.loads = line.writes || (i->kind & INST_COPY);
    return line;
}

static struct listing listing_of(struct lines *l, const struct launch *launch)
{
    const struct program *p = launch->program;
    struct listing x = {.app_id = launch->app_id,
                        .code_n = p->code_n,
                        .name = keep(l, p->name),
                        .kernel = program_shown(p, &l->arena),
                        .functions = arena_array(&l->arena, const char *, p->code_n),
                        .lines = arena_array(&l->arena, struct listing_line, p->code_n),
                        .counts = base_alloc(sizeof *x.counts * p->code_n * l->sm_n)};
    const struct function *last = NULL;
    const char *name = x.kernel;
    u32 text = text_of(l, p->source);
    for (u32 pc = 0; pc < p->code_n; pc++) {
        const struct function *f = function_at(p, pc);
        if (f && f != last) {
            name = keep(l, f->name);
            text = text_of(l, f->source);
            last = f;
        }
        x.functions[pc] = name;
        x.lines[pc] = line_of(p, pc, text);
    }
    origins_keep(l, &x, p->ptx ? p->ptx->origins : NULL);
    return x;
}

struct inst_stat *lines_launch(struct lines *l, const struct launch *launch)
{
    for (u32 i = 0; i < l->listing_n; i++)
        if (is_same(&l->listings[i], launch)) return l->listings[i].counts;
    struct listing x = listing_of(l, launch);
    *arena_push(&l->arena, l->listings, l->listing_n, l->listing_room) = x;
    return x.counts;
}

void lines_sum(struct lines *l)
{
    for (u32 i = 0; i < l->listing_n; i++) {
        const struct listing *x = &l->listings[i];
        for (u32 k = x->code_n; k < l->sm_n * x->code_n; k++)
            stat_sum(&x->counts[k % x->code_n], &x->counts[k], sizeof *x->counts);
    }
}
