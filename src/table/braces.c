#include "table/braces.h"

#include <stdlib.h>
#include <string.h>

struct expansion {
    u32 n, most;
    void (*take)(void *of, const char *one);
    void *of;
};

bool braces_right(const char *text, struct text *why)
{
    u32 open = 0, pairs = 0, deepest = 0;
    const char *at = text;
    for (; *at && (*at != '}' || open); at++) {
        open += *at == '{';
        open -= *at == '}';
        pairs += *at == '{';
        deepest = max_u32(deepest, open);
    }
    if (open || *at) text_add(why, "a brace without the other");
    else if (deepest > BRACES_DEPTH) text_add(why, "braces nested deeper than %d", BRACES_DEPTH);
    else if (pairs > BRACES_PAIRS) text_add(why, "more than %d pairs of braces", BRACES_PAIRS);
    else if (pairs && at - text > BRACES_BYTES)
        text_add(why, "a text with braces has more than %d bytes", BRACES_BYTES);
    return !why->size;
}

/* Returns the comma or closing brace that ends the word at `at`; nested braces are skipped. */
static const char *word_end(const char *at)
{
    for (u32 open = 0; open || (*at != ',' && *at != '}'); at++) {
        open += *at == '{';
        open -= *at == '}';
    }
    return at;
}

/* Parses a range such as 2..24. */
static bool is_range(const char *word, const char *end, u64 *from, u64 *to)
{
    char *at;
    if (*word < '0' || *word > '9') return false;
    *from = strtoull(word, &at, 10);
    if (strncmp(at, "..", 2) || at[2] < '0' || at[2] > '9') return false;
    *to = strtoull(at + 2, &at, 10);
    return at == end;
}

static void expand(struct expansion *e, const char *text);

/* Expands the text with its first braces replaced by `word`. */
static void with_word(struct expansion *e, const char *text, size_t before, const char *word,
                      size_t n, const char *behind)
{
    struct text one = {0};
    text_put(&one, text, before);
    text_put(&one, word, n);
    text_add(&one, "%s", behind);
    expand(e, text_get(&one));
    text_free(&one);
}

/* Expands the text for every number of a range; counts down if `to` is less than `from`. */
static void with_range(struct expansion *e, const char *text, size_t before, u64 from, u64 to,
                       const char *behind)
{
    for (bool more = true; more && e->n <= e->most; from = from < to ? from + 1 : from - 1) {
        struct text word = {0};
        text_add(&word, "%llu", (unsigned long long)from);
        with_word(e, text, before, text_get(&word), word.size, behind);
        text_free(&word);
        more = from != to;
    }
}

static void expand(struct expansion *e, const char *text)
{
    size_t before = strcspn(text, "{");
    if (e->n > e->most) return;
    if (!text[before]) {
        if (e->n++ < e->most) e->take(e->of, text);
        return;
    }
    const char *first = text + before + 1, *close = word_end(first);
    while (*close == ',') close = word_end(close + 1);
    for (const char *word = first, *end; word <= close; word = end + 1) {
        u64 from, to;
        end = word_end(word);
        if (is_range(word, end, &from, &to)) with_range(e, text, before, from, to, close + 1);
        else with_word(e, text, before, word, (size_t)(end - word), close + 1);
    }
}

u32 braces_expand(const char *text, u32 most, void (*take)(void *of, const char *one), void *of)
{
    struct expansion e = {0, most, take, of};
    expand(&e, text);
    return e.n;
}
