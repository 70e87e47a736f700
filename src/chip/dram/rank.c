#include "chip/dram/rank.h"

void dram_order_init(struct dram_order *o, struct arena *arena, u32 room)
{
    *o = (struct dram_order){.from = NEVER, .room = room};
    o->announced = arena_array(arena, struct dram_announcement, room);
}

void dram_order_tell(struct dram_order *o, u64 from, const struct dram_rank *rank)
{
    if (o->n && o->announced[o->n - 1].from == from) o->n--;
    check(o->n < o->room && (!o->n || o->announced[o->n - 1].from < from));
    o->announced[o->n++] = (struct dram_announcement){from, *rank};
    o->from = o->announced[0].from;
}

/* Returns true if app a has priority over app b. Apps of equal rank that take turns keep their
 * present order, initially by id. */
static bool goes_before(const struct dram_order *o, const struct dram_rank *rank, u32 a, u32 b)
{
    if (rank->of[a] != rank->of[b]) return rank->of[a] < rank->of[b];
    if (!rank->rotate) return false;
    return o->precedence[a] != o->precedence[b] ? o->precedence[a] < o->precedence[b] : a < b;
}

static void order_set(struct dram_order *o, const struct dram_rank *rank)
{
    u8 precedence[APPS_MAX] = {0};
    o->ranked = false;
    for (u32 a = 0; a < APPS_MAX; a++)
        for (u32 b = 0; b < APPS_MAX; b++) {
            bool before = goes_before(o, rank, b, a);
            precedence[a] = (u8)(precedence[a] + before);
            o->ranked |= before;
        }
    for (u32 a = 0; a < APPS_MAX; a++) o->precedence[a] = precedence[a];
    o->rank = *rank;
}

void dram_order_reach(struct dram_order *o, u64 cycle)
{
    u32 reached = 0;
    for (; reached < o->n && o->announced[reached].from <= cycle; reached++)
        order_set(o, &o->announced[reached].rank);
    o->n -= reached;
    for (u32 k = 0; k < o->n; k++) o->announced[k] = o->announced[k + reached];
    o->from = o->n ? o->announced[0].from : NEVER;
}

void dram_order_turn(struct dram_order *o, u32 app)
{
    if (!o->rank.rotate) return;
    u8 rank = o->rank.of[app], next = APPS_MAX;
    for (u32 a = 0; a < APPS_MAX; a++)
        if (o->rank.of[a] == rank && o->precedence[a] < next) next = o->precedence[a];
    for (u32 i = 1; i <= APPS_MAX; i++) {
        u32 a = (app + i) % APPS_MAX;
        if (o->rank.of[a] == rank) o->precedence[a] = next++;
    }
}
