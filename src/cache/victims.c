#include "cache/victims.h"
#include "cache/hash.h"

static u32 app_of(u64 line) { return line >> APP_SHIFT & (APPS_MAX - 1); }

static struct victim *slot_of(const struct victims *v, u64 line)
{
    return &v->slots[(u32)(hash_mix(line) >> 32) & v->mask];
}

void victims_init(struct victims *v, struct arena *arena, u32 lines)
{
    u32 slots = 1;
    while (slots < 4 * lines) slots *= 2;
    *v = (struct victims){.slots = arena_array(arena, struct victim, slots), .mask = slots - 1};
}

void victims_fill(struct victims *v, u64 line)
{
    u32 app = app_of(line);
    struct victim *slot = slot_of(v, line);
    v->fills[app]++;
    if (slot->line != line + 1) return;
    bool other = slot->culprit != app;
    v->lost[slot->culprit][app] += other && v->fills[app] <= slot->until;
    slot->line = 0;
}

void victims_replace(struct victims *v, u64 line, u32 culprit, u64 spare)
{
    *slot_of(v, line) = (struct victim){line + 1, v->fills[app_of(line)] + spare, culprit};
}
