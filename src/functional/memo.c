#include "functional/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "mem/digest.h"

/* Costs are bytes hashed or copied. A purse limits the costs to a share of the time of all
 * executed launches, and of the time saved:
 *   PURSE_FIRST     at the start
 *   PURSE_EXECUTED  for each warp instruction executed: 4 bytes are hashed in about 2 % of the time
 *   PURSE_REPEATED  for each warp instruction of a repeated launch: about a third of the time
 * KEPT_BYTES: contents kept for repetitions, of all launches; the least recently used go first. */
enum { PURSE_FIRST = 32 << 20, PURSE_EXECUTED = 4, PURSE_REPEATED = 64 };
enum { KEPT_BYTES = 256 << 20, KEYS_MAX = 1 << 16, OUTCOMES_MAX = 1 << 16, BUCKETS = 1 << 12 };

struct used { /* an allocation used by a kernel */
    u64 start, size_bytes;
    u64 version;           /* after the last execution */
};

/* A kernel with shape and arguments. */
struct key {
    struct key *next;      /* in the bucket */
    struct hash128 id;
    struct used *used;     /* sorted by start */
    u32 used_n;
    u64 stored_bytes;      /* size of the allocations to hash after an execution */
    bool excluded;         /* the last execution cannot be repeated */
    /* The last execution loaded from no allocation that the execution stored to: a repetition
     * changes nothing, as long as the memory used has no other changes. */
    bool separate;
    u64 epoch;             /* of the image at the last execution */
    u64 warp_instructions; /* of the last execution */
};

struct chunk { /* a chunk changed by a launch */
    u64 start;             /* of the allocation */
    u32 number, size_bytes;
    struct hash128 hash;
    u8 *bytes;
};

/* The outcome of a launch: what changes, given the key and the contents of memory. */
struct outcome {
    struct outcome *next;  /* in the bucket */
    struct outcome *older, *newer;
    struct hash128 id;
    u64 warp_instructions;
    struct chunk *chunks;
    u32 chunk_n;
    u64 bytes;             /* of all chunks */
};

struct memo {
    struct key *keys[BUCKETS];
    struct outcome *outcomes[BUCKETS];
    struct outcome *oldest, *newest;
    u32 key_n, outcome_n;
    u64 kept_bytes;
    u64 purse;
};

struct memo *memo_new(void)
{
    struct memo *m = base_alloc(sizeof *m);
    m->purse = PURSE_FIRST;
    return m;
}

/* ---- outcomes ---- */

static struct outcome **outcome_place(struct memo *m, struct hash128 id)
{
    struct outcome **at = &m->outcomes[id.low % BUCKETS];
    while (*at && !hash_equal((*at)->id, id)) at = &(*at)->next;
    return at;
}

static void outcome_unlink(struct memo *m, struct outcome *o)
{
    *(o->older ? &o->older->newer : &m->oldest) = o->newer;
    *(o->newer ? &o->newer->older : &m->newest) = o->older;
}

static void outcome_link(struct memo *m, struct outcome *o) /* as the newest */
{
    o->older = m->newest;
    o->newer = NULL;
    *(m->newest ? &m->newest->newer : &m->oldest) = o;
    m->newest = o;
}

static void outcome_drop(struct memo *m, struct outcome *o)
{
    *outcome_place(m, o->id) = o->next;
    outcome_unlink(m, o);
    m->outcome_n--;
    m->kept_bytes -= o->bytes;
    for (u32 k = 0; k < o->chunk_n; k++) free(o->chunks[k].bytes);
    free(o->chunks);
    free(o);
}

static void outcome_keep(struct memo *m, struct outcome *o)
{
    *outcome_place(m, o->id) = o;
    outcome_link(m, o);
    m->outcome_n++;
    m->kept_bytes += o->bytes;
    while (m->kept_bytes > KEPT_BYTES || m->outcome_n > OUTCOMES_MAX) outcome_drop(m, m->oldest);
}

/* ---- keys ---- */

static void keys_free(struct memo *m)
{
    for (u32 b = 0; b < BUCKETS; b++) {
        while (m->keys[b]) {
            struct key *k = m->keys[b];
            m->keys[b] = k->next;
            free(k->used);
            free(k);
        }
    }
    m->key_n = 0;
}

void memo_free(struct memo *m)
{
    if (!m) return;
    while (m->oldest) outcome_drop(m, m->oldest);
    keys_free(m);
    free(m);
}

/* Hashes all a launch's execution depends on, except for memory. */
static struct hash128 launch_hash(const struct launch *l)
{
    struct {
        const struct program *program;
        struct hash128 param;
        u64 texture_changes, workspace;
        u32 grid[3], block[3], cluster[3], dynamic_shared_bytes, registers, carveout;
        u32 large_clusters, cooperative;
    } of;
    memset(&of, 0, sizeof of); /* padding */
    of.program = l->program;
    of.param = hash128_of(l->param, l->program->param_bytes);
    of.texture_changes = l->image->texture_changes;
    of.workspace = l->workspace;
    memcpy(of.grid, l->grid, sizeof of.grid);
    memcpy(of.block, l->block, sizeof of.block);
    memcpy(of.cluster, l->cluster, sizeof of.cluster);
    of.dynamic_shared_bytes = l->dynamic_shared_bytes;
    of.registers = l->registers;
    of.carveout = l->carveout.given ? 1u + l->carveout.percent : 0;
    of.large_clusters = l->large_clusters;
    of.cooperative = l->cooperative;
    return hash128_of(&of, sizeof of);
}

/* Returns the key of the launch; *first: the launch is the first with the key. */
static struct key *key_of(struct memo *m, const struct launch *l, bool *first)
{
    struct hash128 id = launch_hash(l);
    struct key **at = &m->keys[id.low % BUCKETS];
    while (*at && !hash_equal((*at)->id, id)) at = &(*at)->next;
    *first = !*at;
    if (*at) return *at;
    if (m->key_n == KEYS_MAX) {
        keys_free(m);
        at = &m->keys[id.low % BUCKETS];
    }
    m->key_n++;
    *at = base_alloc(sizeof **at);
    (*at)->id = id;
    return *at;
}

/* ---- memory used by a kernel ---- */

static struct allocation *allocation_at(const struct image *image, const struct used *u)
{
    struct allocation *a = image_at(image, u->start);
    return a && a->start == u->start && a->size_bytes == u->size_bytes ? a : NULL;
}

/* Returns the bytes to be hashed by memory_hash; NEVER: an allocation is gone. */
static u64 memory_due(const struct image *image, const struct key *k)
{
    u64 due = 0;
    for (u32 i = 0; i < k->used_n; i++) {
        struct allocation *a = allocation_at(image, &k->used[i]);
        if (!a) return NEVER;
        due += digest_due(image, a);
    }
    return due;
}

/* Returns the hash of the key and the contents of all memory used. */
static struct hash128 memory_hash(const struct image *image, const struct key *k)
{
    struct hash128 all = k->id;
    for (u32 i = 0; i < k->used_n; i++) {
        const struct used *u = &k->used[i];
        struct {
            struct hash128 before, contents;
            u64 start, size_bytes;
        } of = {all, digest_of(image, allocation_at(image, u)), u->start, u->size_bytes};
        all = hash128_of(&of, sizeof of);
    }
    return all;
}

/* Adds the allocations used since image_unuse to the key; false: the key has all of them. */
static bool used_add(struct key *k, const struct image *image)
{
    struct used *all = NULL;
    u32 n = 0, room = 0, i = 0;
    for (u32 j = 0; j < image->allocation_n; j++) {
        const struct allocation *a = &image->allocations[j];
        while (i < k->used_n && k->used[i].start < a->start) i++;
        bool has = i < k->used_n && k->used[i].start == a->start;
        if (a->use || has) *base_push(all, n, room) = (struct used){a->start, a->size_bytes, 0};
    }
    bool more = n > k->used_n;
    free(k->used);
    k->used = all;
    k->used_n = n;
    return more;
}

/* True if a repetition of the last execution changes nothing: the execution's inputs and outputs
 * are separate, and none has changed since. */
static bool nothing_changed(const struct image *image, const struct key *k)
{
    bool same = k->separate && k->epoch == image->epoch;
    for (u32 i = 0; i < k->used_n && same; i++) {
        const struct allocation *a = allocation_at(image, &k->used[i]);
        same = a && a->version == k->used[i].version;
    }
    return same;
}

/* ---- a launch ---- */

static void repeat(struct memo *m, struct image *image, struct outcome *o, struct functional *out)
{
    *out = (struct functional){.warp_instructions = o->warp_instructions};
    for (u32 k = 0; k < o->chunk_n; k++) {
        const struct chunk *c = &o->chunks[k];
        struct allocation *a = image_at(image, c->start);
        digest_put(a, c->number, c->bytes, c->hash);
        a->version = ++image->version;
    }
    m->purse += o->warp_instructions * PURSE_REPEATED;
    m->purse -= min_u64(m->purse, o->bytes);
    outcome_unlink(m, o);
    outcome_link(m, o);
}

/* Hashes the allocation after an execution and adds the changed chunks to the outcome. false: the
 * outcome cannot be kept. */
static bool changes_add(struct outcome *o, u32 *room, const struct image *image,
                        struct allocation *a)
{
    u32 n = digest_chunks(a);
    struct hash128 *before = base_alloc((n + 1ull) * sizeof *before);
    memcpy(before, digest_hashes(a), n * sizeof *before);
    digest_of(image, a);
    bool kept = true;
    for (u32 k = 0; k < n && kept; k++) {
        if (hash_equal(before[k], digest_hashes(a)[k])) continue;
        struct chunk c = {a->start, k, digest_chunk_bytes(a, k), digest_hashes(a)[k], NULL};
        kept = !a->host_writes && o->bytes + c.size_bytes <= KEPT_BYTES;
        if (!kept) break;
        c.bytes = base_realloc(NULL, c.size_bytes);
        memcpy(c.bytes, a->bytes + (u64)k * CHUNK_BYTES, c.size_bytes);
        *base_push(o->chunks, o->chunk_n, *room) = c;
        o->bytes += c.size_bytes;
    }
    free(before);
    return kept;
}

/* Keeps the outcome of an execution; all used memory was hashed before the execution. */
static void keep(struct memo *m, const struct image *image, const struct key *k,
                 struct hash128 before, const struct functional *f)
{
    struct outcome *o = base_alloc(sizeof *o);
    u32 room = 0;
    bool kept = true;
    o->id = before;
    o->warp_instructions = f->warp_instructions;
    for (u32 i = 0; i < k->used_n && kept; i++) {
        struct allocation *a = allocation_at(image, &k->used[i]);
        if (a->use & USE_STORED || a->host_writes) kept = changes_add(o, &room, image, a);
    }
    m->purse -= min_u64(m->purse, k->stored_bytes + o->bytes);
    if (kept && !*outcome_place(m, before)) {
        outcome_keep(m, o);
        return;
    }
    for (u32 i = 0; i < o->chunk_n; i++) free(o->chunks[i].bytes);
    free(o->chunks);
    free(o);
}

/* Notes the memory used by an execution. true: the execution may be kept. */
static bool executed(struct memo *m, struct image *image, struct key *k, enum functional_end end,
                     const struct functional *f)
{
    m->purse += f->warp_instructions * PURSE_EXECUTED;
    k->excluded = end != FUNCTIONAL_DONE || !f->repeatable;
    k->separate = !k->excluded;
    k->stored_bytes = 0;
    for (u32 i = 0; i < image->allocation_n; i++) {
        const struct allocation *a = &image->allocations[i];
        if (a->use & USE_STORED || (a->use && a->host_writes)) k->stored_bytes += a->size_bytes;
        if (a->use == USE_BOTH || (a->use && a->host_writes)) k->separate = false;
    }
    image_changes_stored(image);
    bool more = used_add(k, image);
    for (u32 i = 0; i < k->used_n; i++)
        k->used[i].version = allocation_at(image, &k->used[i])->version;
    k->epoch = image->epoch;
    k->warp_instructions = f->warp_instructions;
    return !more && !k->excluded;
}

enum functional_end memo_run(struct memo *m, const struct functional_setup *s,
                             struct functional *out, bool *repeated)
{
    struct image *image = s->launch->image;
    bool first, keeps = false;
    struct key *k = key_of(m, s->launch, &first);
    struct hash128 before = {0};
    *repeated = !first && nothing_changed(image, k);
    if (*repeated) {
        *out = (struct functional){.warp_instructions = k->warp_instructions};
        m->purse += k->warp_instructions * PURSE_REPEATED;
        return FUNCTIONAL_DONE;
    }
    u64 due = first || k->excluded ? NEVER : memory_due(image, k);
    /* A hash before an execution is of use only with the hash after the execution. */
    keeps = due != NEVER && due + k->stored_bytes <= m->purse;
    if (keeps) {
        m->purse -= due;
        before = memory_hash(image, k);
        struct outcome *o = *outcome_place(m, before);
        if (o) {
            repeat(m, image, o, out);
            *repeated = true;
            return FUNCTIONAL_DONE;
        }
    }
    image_unuse(image);
    enum functional_end end = functional_run(s, out);
    if (executed(m, image, k, end, out) && keeps) keep(m, image, k, before, out);
    return end;
}
