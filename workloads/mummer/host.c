/* mummer: maximal unique matches of short queries by a walk over the suffix automaton of a
 * reference, built by the host; each step depends on the step before and reads another line, and
 * lanes diverge at mismatches. */
#include <string.h>

#include "workloads/random.h"
#include "workloads/repeat.h"
#include "workloads/upload.h"
#include "workloads/verify.h"

enum { BLOCK = 256, SEGMENT = 64 };
enum { STREAM_LETTER, STREAM_SEGMENT, STREAM_QUERY, STREAM_ERROR };
struct node {
    u32 next[4], link, length, end, occurrences;
};
struct match {
    u32 end, length;
};
struct problem {
    u32 letters, queries, letters_each, minimum;
    u8 *reference, *query;
    struct node *nodes;
    u32 nodes_n;
};

/* Draws random letters in segments; a quarter of the segments repeat an earlier segment. */
static void make_reference(u64 seed, struct problem *p)
{
    for (u32 i = 0; i < p->letters; i++) {
        u32 words[4], segment = i / SEGMENT;
        random_words(seed, STREAM_SEGMENT, 0, segment, words);
        p->reference[i] = (u8)random_below(seed, STREAM_LETTER, i, 4);
        if (segment && words[0] % 4 == 0)
            p->reference[i] = p->reference[words[1] % segment * SEGMENT + i % SEGMENT];
    }
}

/* Cuts each query from a random position of the reference; redraws a letter in 32. */
static void make_queries(u64 seed, struct problem *p)
{
    for (u32 q = 0; q < p->queries; q++) {
        u32 first = random_below(seed, STREAM_QUERY, q, p->letters - p->letters_each + 1);
        for (u32 i = 0; i < p->letters_each; i++) {
            u64 at = (u64)q * p->letters_each + i;
            u32 error = random_below(seed, STREAM_ERROR, at, 128);
            p->query[at] = error < 4 ? (u8)error : p->reference[first + i];
        }
    }
}

/* State that holds only suffixes, after `last` and `letter`: `q` itself, or a copy of `q`. */
static u32 suffix_state(struct problem *p, u32 from, u32 letter)
{
    struct node *s = p->nodes;
    u32 q = s[from].next[letter], copy = p->nodes_n;
    if (s[q].length == s[from].length + 1) return q;
    p->nodes_n++;
    s[copy] = s[q];
    s[copy].length = s[from].length + 1;
    s[copy].occurrences = 0;
    s[q].link = copy;
    for (u32 v = from; s[v].next[letter] == q; v = s[v].link) {
        s[v].next[letter] = copy;
        if (v == 0) break;
    }
    return copy;
}

/* A string also occurs wherever the strings occur whose longest shorter suffix the string is: adds
 * counts from the longest states down, sorted by length. */
static void count_occurrences(struct host *h, struct problem *p)
{
    u32 *first = host_memory(h, ((u64)p->letters + 2) * sizeof *first);
    u32 *by_length = host_memory(h, p->nodes_n * sizeof *by_length);
    for (u32 v = 0; v < p->nodes_n; v++) first[p->nodes[v].length + 1]++;
    for (u32 i = 0; i < p->letters; i++) first[i + 1] += first[i];
    for (u32 v = 0; v < p->nodes_n; v++) by_length[first[p->nodes[v].length]++] = v;
    for (u32 k = p->nodes_n; k-- > 1;) {
        const struct node *v = &p->nodes[by_length[k]];
        p->nodes[v->link].occurrences += v->occurrences;
    }
}

/* State 0 is the root; no edge leads to the root, hence 0 also means "no edge". */
static void build(struct host *h, struct problem *p)
{
    struct node *s = p->nodes;
    u32 last = 0;
    p->nodes_n = 1;
    for (u32 i = 0; i < p->letters; i++) {
        u32 letter = p->reference[i], v = last, added = p->nodes_n++;
        s[added] = (struct node){.length = i + 1, .end = i + 1, .occurrences = 1};
        for (; !s[v].next[letter]; v = s[v].link) {
            s[v].next[letter] = added;
            if (v == 0) break;
        }
        if (s[v].next[letter] != added) s[added].link = suffix_state(p, v, letter);
        last = added;
    }
    count_occurrences(h, p);
}

/* Positions of the reference by the `minimum` letters before each position: chains of positions. */
struct places {
    u32 *head, *next, mask;
};

static u32 hash(const u8 *letters, u32 n)
{
    u32 sum = 0;
    for (u32 i = 0; i < n; i++) sum = sum * 0x9e3779b1u + letters[i] + 1;
    return sum ^ sum >> 15;
}

static struct places find_places(struct host *h, const struct problem *p)
{
    struct places l = {.mask = 1};
    while (l.mask < p->letters) l.mask = l.mask * 2 + 1;
    l.head = host_memory(h, ((u64)l.mask + 1) * sizeof *l.head);
    l.next = host_memory(h, ((u64)p->letters + 1) * sizeof *l.next);
    for (u32 end = p->minimum; end <= p->letters; end++) {
        u32 *head = &l.head[hash(p->reference + end - p->minimum, p->minimum) & l.mask];
        l.next[end] = *head;
        *head = end;
    }
    return l;
}

/* Longest match ending before letter `i` of a query, if the match is unique and cannot be extended.
 * */
static struct match best_match(const struct problem *p, const struct places *l, const u8 *query,
                               u32 i)
{
    struct match best = {0, p->minimum - 1};
    u32 equal = 0;
    if (i < p->minimum) return (struct match){0, 0};
    for (u32 end = l->head[hash(query + i - p->minimum, p->minimum) & l->mask]; end;
         end = l->next[end]) {
        u32 length = 0;
        while (length < i && length < end &&
               query[i - 1 - length] == p->reference[end - 1 - length])
            length++;
        if (length < best.length || length < p->minimum) continue;
        equal = length == best.length ? equal + 1 : 1;
        best = (struct match){end, length};
    }
    bool goes_on =
        i < p->letters_each && best.end < p->letters && query[i] == p->reference[best.end];
    return equal == 1 && !goes_on ? best : (struct match){0, 0};
}

static const char *check_matches(struct host *h, const struct problem *p, u64 matches)
{
    struct places l = find_places(h, p);
    struct match *want = host_memory(h, (u64)p->queries * p->letters_each * sizeof *want);
    for (u32 q = 0; q < p->queries; q++)
        for (u32 i = 1; i <= p->letters_each; i++)
            want[(u64)(i - 1) * p->queries + q] =
                best_match(p, &l, p->query + (u64)q * p->letters_each, i);
    return verify_device_u32(h, "matches", matches, &want->end,
                             (u64)p->queries * p->letters_each * 2);
}

static void mummer_run(struct host *h)
{
    struct problem p = {.letters = (u32)host_integer(h, "reference"),
                        .queries = (u32)host_integer(h, "queries"),
                        .letters_each = (u32)host_integer(h, "length"),
                        .minimum = (u32)host_integer(h, "minimum")};
    u64 query_bytes = (u64)p.queries * p.letters_each;
    u64 match_bytes = query_bytes * sizeof(struct match);
    p.reference = host_memory(h, p.letters);
    p.query = host_memory(h, query_bytes);
    p.nodes = host_memory(h, 2 * (u64)p.letters * sizeof *p.nodes);
    make_reference(host_seed(h), &p);
    make_queries(host_seed(h), &p);
    build(h, &p);
    u64 nodes = upload_bytes(h, "nodes", p.nodes, (u64)p.nodes_n * sizeof *p.nodes);
    u64 query = upload_bytes(h, "queries", p.query, query_bytes);
    u64 matches = host_alloc(h, match_bytes, "matches");
    host_fill(h, matches, 0, match_bytes);
    const void *args[] = {&nodes, &query, &matches, &p.queries, &p.letters_each, &p.minimum};
    host_launch(h, host_find(h, "mummer"),
                (struct host_dim){(u32)div_up(p.queries, BLOCK), 1, host_repeat(h)},
                (struct host_dim){BLOCK, 1, 1}, 0, 0, args);
    host_sync(h);

    if (!host_wants_check(h)) return;
    const char *why = check_matches(h, &p, matches);
    host_checked(h, !why, why);
}

static const struct workload_param mummer_params[] = {
    {"reference", 65536, 5000, 1048576, 256, 1 << 24, "letters of the reference"},
    {"queries", 16384, 1000, 131072, 1, 1 << 22, "queries"},
    {"length", 50, 37, 50, 1, 256, "letters of a query"},
    {"minimum", 16, 10, 16, 1, 256, "letters of the shortest match that counts"},
    REPEAT_PARAM(2, 64),
    {0},
};
const struct workload workload_mummer = {
    .name = "mummer",
    .sentence = "maximal unique matches of short queries in a long text of four letters",
    .suite = "ISPASS",
    .algorithm = "a walk over the suffix automaton (Blumer and others, 1985)",
    .input = "random letters with repeated segments; queries cut from them, with errors",
    .params = mummer_params,
    .run = mummer_run,
};
