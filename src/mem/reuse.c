#include "mem/reuse.h"

#define NOTHING UINT64_MAX

static u64 *stack_of(const struct reuse *r, u32 set, u64 line)
{
    u64 app = line >> APP_SHIFT;
    return r->lines + (app * r->sets + set / r->every) * r->ways;
}

void reuse_init(struct reuse *r, struct arena *arena, u32 sets, u32 ways, u32 every, u32 app_n)
{
    u32 watched = (u32)div_up(sets, every);
    size_t n = (size_t)app_n * watched * ways;
    *r = (struct reuse){.sets = watched, .ways = ways, .every = every, .app_n = app_n};
    r->lines = arena_array(arena, u64, n);
    r->hits = arena_array(arena, u64, (size_t)app_n * (ways + 1));
    for (size_t i = 0; i < n; i++) r->lines[i] = NOTHING;
}

u32 reuse_find(const struct reuse *r, u32 set, u64 line)
{
    const u64 *stack = stack_of(r, set, line);
    u32 place = 0;
    while (place < r->ways && stack[place] != line) place++;
    return place;
}

void reuse_use(struct reuse *r, u32 set, u64 line, u32 from)
{
    u64 *stack = stack_of(r, set, line), down = line;
    for (u32 place = 0; place < r->ways; place++) {
        u64 here = stack[place];
        stack[place] = down;
        down = here;
        if (place == from) return;
        if (here != NOTHING) continue;
        if (from < r->ways) stack[from] = NOTHING;
        return;
    }
}

void reuse_drop(struct reuse *r, u32 set, u64 line, u32 from)
{
    if (from < r->ways) stack_of(r, set, line)[from] = NOTHING;
}

void reuse_drop_app(struct reuse *r, u32 app)
{
    size_t n = (size_t)r->sets * r->ways;
    for (size_t i = 0; i < n; i++) r->lines[app * n + i] = NOTHING;
}
