#include "cache/reuse.h"

#include <string.h>

#include "cache/hash.h"

#define NOTHING UINT64_MAX

/* ---- the lines of a set ---- */

static u8 fingerprint_of(u64 line) { return (u8)(hash_mix(line / LINE_BYTES) >> 56); }

static u32 stack_of(const struct reuse *r, u32 set, u64 line)
{
    return (u32)(line >> APP_SHIFT) * r->sets + set / r->every;
}
static u64 *lines_of(const struct reuse *r, u32 stack)
{
    return r->lines + (size_t)stack * r->ways;
}
static u8 *fingerprints_of(const struct reuse *r, u32 stack)
{
    return (u8 *)(r->fingerprints + (size_t)stack * r->words);
}

static void put(struct reuse *r, u32 stack, u32 position, u64 line)
{
    lines_of(r, stack)[position] = line;
    fingerprints_of(r, stack)[position] = fingerprint_of(line);
}

static u32 find(const struct reuse *r, u32 stack, u64 line) /* first position; ways: none */
{
    const u64 *lines = lines_of(r, stack), *words = r->fingerprints + (size_t)stack * r->words;
    u64 want = fingerprint_of(line) * EACH_BYTE;
    for (u32 k = 0; k < r->words; k++) {
        for (u64 same = fingerprints_same(words[k], want); same; same &= same - 1) {
            u32 position = k * WORD_BYTES + (u32)__builtin_ctzll(same) / 8;
            if (position < r->ways && lines[position] == line) return position;
        }
    }
    return r->ways;
}

static void stack_empty(struct reuse *r, u32 stack)
{
    for (u32 position = 0; position < r->ways; position++) put(r, stack, position, NOTHING);
    r->empty[stack] = r->ways;
}

/* ---- entry points ---- */

void reuse_init(struct reuse *r, struct arena *arena, u32 sets, u32 ways, u32 every, u32 app_n)
{
    u32 watched = (u32)div_up(sets, every), stacks = watched * app_n;
    *r = (struct reuse){.sets = watched, .ways = ways, .every = every,
                        .app_n = app_n, .words = (u32)div_up(ways, WORD_BYTES)};
    r->lines = arena_array(arena, u64, (size_t)stacks * ways);
    r->fingerprints = arena_array(arena, u64, (size_t)stacks * r->words);
    r->empty = arena_array(arena, u32, stacks);
    r->hits = arena_array(arena, u64, (size_t)app_n * (ways + 1));
    for (u32 s = 0; s < stacks; s++) stack_empty(r, s);
}

u32 reuse_find(const struct reuse *r, u32 set, u64 line)
{
    return find(r, stack_of(r, set, line), line);
}

void reuse_use(struct reuse *r, u32 set, u64 line, u32 from)
{
    u32 stack = stack_of(r, set, line), hole = r->ways;
    if (r->empty[stack]) hole = find(r, stack, NOTHING);
    u64 *lines = lines_of(r, stack);
    u8 *fingerprints = fingerprints_of(r, stack);
    u32 n = min_u32(min_u32(from, hole), r->ways - 1);
    memmove(lines + 1, lines, n * sizeof *lines);
    memmove(fingerprints + 1, fingerprints, n);
    if (hole < from && from < r->ways) put(r, stack, from, NOTHING);
    if (hole < from && from == r->ways) r->empty[stack]--;
    put(r, stack, 0, line);
}

void reuse_drop(struct reuse *r, u32 set, u64 line, u32 from)
{
    if (from == r->ways) return;
    u32 stack = stack_of(r, set, line);
    put(r, stack, from, NOTHING);
    r->empty[stack]++;
}

void reuse_drop_app(struct reuse *r, u32 app)
{
    for (u32 s = 0; s < r->sets; s++) stack_empty(r, app * r->sets + s);
}

void reuse_drop_all(struct reuse *r)
{
    for (u32 app = 0; app < r->app_n; app++) reuse_drop_app(r, app);
}
