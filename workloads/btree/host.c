/* btree: searches in a B+ tree, a block of 256 threads per query: few instructions between
 * dependent loads, from nodes all over memory. A batch of keys is looked up, then the ranges that
 * begin at these keys. The tree looks as if filled at random: nodes about 69 % full (Yao, On random
 * 2-3 trees, 1978, gives ln 2). */
#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { ORDER = 256, FULL = 176, SPACING = 16, LEVELS = 8 };
enum { STREAM_KEY, STREAM_RECORD, STREAM_QUERY };

/* Level 0 is the root, node 0; the last level holds the leaves. Node numbers count through all
 * levels. */
struct tree {
    u32 records, nodes, height;
    u32 first[LEVELS + 1]; /* node of each level */
    u32 *key, *record;     /* of each record, by key; the first key is 0 */
    u32 *keys, *child;     /* of the nodes' places */
};

/* Counts nodes from the leaves upwards, then numbers them from the root downwards. */
static void lay_out(struct tree *t)
{
    u32 count[LEVELS], n = t->records;
    do {
        n = (u32)div_up(n, FULL);
        count[t->height++] = n;
    } while (n > 1);
    for (u32 level = 0; level < t->height; level++) {
        t->first[level] = t->nodes;
        t->nodes += count[t->height - 1 - level];
    }
    t->first[t->height] = t->nodes;
}

static void fill_level(struct tree *t, u32 level)
{
    u64 span = 1; /* records below a child */
    u32 below = 0, children = t->records;
    for (u32 l = t->height - 1; l > level; l--) span *= FULL;
    if (level + 1 < t->height) {
        below = t->first[level + 1];
        children = t->first[level + 2] - below;
    }
    for (u32 i = 0; i < children; i++) {
        u64 at = ((u64)t->first[level] + i / FULL) * ORDER + i % FULL;
        t->keys[at] = t->key[i * span];
        t->child[at] = below + i;
    }
}

static struct tree make_tree(struct host *h)
{
    struct tree t = {.records = (u32)host_integer(h, "records")};
    lay_out(&t);
    t.key = host_memory(h, t.records * sizeof *t.key);
    t.record = host_memory(h, t.records * sizeof *t.record);
    for (u32 i = 0; i < t.records; i++) {
        t.key[i] = i ? i * SPACING + random_below(host_seed(h), STREAM_KEY, i, SPACING) : 0;
        t.record[i] = random_below(host_seed(h), STREAM_RECORD, i, 1u << 30);
    }
    u64 places = (u64)t.nodes * ORDER;
    t.keys = host_memory(h, places * sizeof *t.keys);
    t.child = host_memory(h, places * sizeof *t.child);
    for (u64 i = 0; i < places; i++) t.keys[i] = UINT32_MAX;
    for (u32 level = 0; level < t.height; level++) fill_level(&t, level);
    return t;
}

/* Returns query number i: every other query is a key of the tree, the rest are random numbers. */
static u32 query(struct host *h, const struct tree *t, u32 i)
{
    if (i % 2) return t->key[random_below(host_seed(h), STREAM_QUERY, i, t->records)];
    return random_below(host_seed(h), STREAM_QUERY, i, t->records * SPACING);
}

/* The record with the greatest key of at most `key`. */
static u32 last_up_to(const struct tree *t, u32 key)
{
    u32 low = 0, high = t->records;
    while (high - low > 1) {
        u32 middle = low + (high - low) / 2;
        if (t->key[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const char *differs(struct host *h, const struct tree *t, const u32 *queries, u32 n,
                           u32 width, const u64 out[3])
{
    static const char *const names[] = {"found", "first", "count"};
    u32 *want[3];
    for (u32 k = 0; k < 3; k++) want[k] = host_memory(h, n * sizeof *want[k]);
    for (u32 i = 0; i < n; i++) {
        u32 low = last_up_to(t, queries[i]), high = last_up_to(t, queries[i] + width);
        want[0][i] = t->key[low] == queries[i] ? t->record[low] : UINT32_MAX;
        want[1][i] = low + 1;
        want[2][i] = high - low;
    }
    const char *why = NULL;
    for (u32 k = 0; k < 3 && !why; k++) why = verify_device_u32(h, names[k], out[k], want[k], n);
    return why;
}

static void btree_run(struct host *h)
{
    struct tree t = make_tree(h);
    u32 n = (u32)host_integer(h, "queries"), batches = (u32)host_integer(h, "batches");
    u32 width = (u32)host_integer(h, "width"), *queries = host_memory(h, n * sizeof *queries);
    u64 places = (u64)t.nodes * ORDER, bytes = n * sizeof(u32);
    u64 keys = upload_bytes(h, "keys", t.keys, places * sizeof *t.keys);
    u64 child = upload_bytes(h, "children", t.child, places * sizeof *t.child);
    u64 record = upload_bytes(h, "records", t.record, t.records * sizeof *t.record);
    u64 device = host_alloc(h, bytes, "queries");
    u64 out[] = {host_alloc(h, bytes, "found"), host_alloc(h, bytes, "first"),
                 host_alloc(h, bytes, "count")};
    struct host_dim grid = {n, host_repeat(h), 1}, block = {ORDER, 1, 1};
    const char *why = NULL;
    for (u32 batch = 0; batch < batches && !why; batch++) {
        for (u32 i = 0; i < n; i++) queries[i] = query(h, &t, batch * n + i);
        host_write(h, device, queries, bytes);
        const void *find[] = {&keys, &child, &record, &device, &out[0], &t.height};
        const void *range[] = {&keys, &child, &device, &out[1], &out[2], &t.height, &width};
        host_launch(h, host_find(h, "btree_find"), grid, block, 0, 0, find);
        host_launch(h, host_find(h, "btree_range"), grid, block, 0, 0, range);
        host_sync(h);
        if (host_wants_check(h)) why = differs(h, &t, queries, n, width, out);
    }
    if (host_wants_check(h)) host_checked(h, !why, why);
}

static const struct workload_param btree_params[] = {
    {"records", 262144, 40000, 4194304, 1, 1 << 24, "records in the tree, each with a key"},
    {"queries", 4096, 200, 32768, 1, 1 << 20, "keys and ranges of a batch"},
    {"batches", 1, 2, 64, 1, 1024, "batches, two launches each"},
    {"width", 1000, 4000, 1000, 0, 1 << 24, "numbers that a range spans; a key is every 16th"},
    REPEAT_PARAM(2, 1),
    {0},
};
const struct workload workload_btree = {
    .name = "btree",
    .sentence = "keys and ranges looked up in a B+ tree, a block per query",
    .suite = "Rodinia",
    .algorithm = "descent of a B+ tree with all keys of a node compared at once (Fix, Wilkes and "
                 "Skadron, 2011)",
    .input = "a tree of random keys, its nodes 69 % full, and random queries",
    .params = btree_params,
    .run = btree_run,
};
