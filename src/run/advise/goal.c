#include "run/advise/goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM "APP<=NUMBER, all<=NUMBER, max METRIC or min METRIC"

enum { WORD_MOST = 128 };

struct term {                /* a part of the goal between commas */
    const struct source *source;
    size_t from, to;
};

struct parser {
    struct goal *goal;
    const char *const *names;
    u32 n;
    bool metric_given;
    struct fail *fail;
};

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Copies bytes without blanks at both ends, with *from at the first byte. Longer words are cut. */
static void take_word(const struct source *s, size_t *from, size_t to, char *word)
{
    while (*from < to && is_blank(s->text[*from])) (*from)++;
    while (to > *from && is_blank(s->text[to - 1])) to--;
    size_t n = to - *from < WORD_MOST ? to - *from : WORD_MOST - 1;
    memcpy(word, s->text + *from, n);
    word[n] = 0;
}

const char *goal_direction(const struct metric_row *metric)
{
    return metric->best == METRIC_MORE ? "max" : "min";
}

/* Writes a metric's name with dashes. */
static const char *dashed(const char *name, char *room)
{
    snprintf(room, WORD_MOST, "%s", name);
    for (char *p = room; *p; p++)
        if (*p == '_') *p = '-';
    return room;
}

static void note_metrics(struct fail *fail)
{
    struct text all = {0};
    char name[WORD_MOST];
    for (u32 i = 0; i < metric_row_n; i++)
        text_add(&all, "%s%s %s", i ? ", " : "", goal_direction(&metric_rows[i]),
                 dashed(metric_rows[i].name, name));
    fail_note(fail, "metrics: max ws, %s", all.bytes);
    text_free(&all);
}

static void unknown_metric(const struct term *t, size_t at, const char *word, struct fail *fail)
{
    struct nearest near;
    char names[sizeof(u64) * WORD_MOST], *room = names;
    nearest_init(&near, word);
    nearest_offer(&near, "ws");
    for (u32 i = 0; i < metric_row_n && i < sizeof(u64); i++, room += WORD_MOST)
        nearest_offer(&near, dashed(metric_rows[i].name, room));
    fail_at(fail, t->source, at, word[0] ? "unknown metric '%s'" : "a metric is missing%s", word);
    fail_nearest(fail, &near);
    note_metrics(fail);
}

/* Parses a metric behind the direction. */
static void parse_metric(struct parser *p, const struct term *t, size_t at, const char *direction)
{
    char word[WORD_MOST], name[WORD_MOST];
    size_t start = at;
    take_word(t->source, &start, t->to, word);
    snprintf(name, sizeof name, "%s", strcmp(word, "ws") ? word : "weighted_speedup");
    for (char *c = name; *c; c++)
        if (*c == '-' || *c == ' ') *c = '_';
    const struct metric_row *row = metric_find(name);
    if (!row) {
        unknown_metric(t, start, word, p->fail);
    } else if (p->metric_given) {
        fail_at(p->fail, t->source, t->from, "a goal has one metric, and '%s' is a second",
                word);
        fail_note(p->fail, "apart from the metric, a goal has bounds: APP<=NUMBER");
    } else if (strcmp(direction, goal_direction(row))) {
        fail_at(p->fail, t->source, t->from, "%s is better when %s: '%s %s' would be right", word,
                row->best == METRIC_MORE ? "higher" : "lower", goal_direction(row), word);
    } else {
        p->goal->metric = row;
        p->metric_given = true;
    }
}

static void unknown_app(const struct parser *p, const struct term *t, size_t at, const char *word)
{
    struct nearest near;
    struct text all = {0};
    nearest_init(&near, word);
    for (u32 a = 0; a < p->n; a++) {
        nearest_offer(&near, p->names[a]);
        text_add(&all, "%s%s", a ? ", " : "", p->names[a]);
    }
    fail_at(p->fail, t->source, at, "no app is called '%s'", word);
    fail_nearest(p->fail, &near);
    fail_note(p->fail, "apps: %s, all", all.bytes);
    text_free(&all);
}

/* Parses APP<=NUMBER; `sign` is the position of "<=". */
static void parse_bound(struct parser *p, const struct term *t, size_t sign)
{
    char name[WORD_MOST], number[WORD_MOST], *end;
    size_t name_at = t->from, number_at = sign + 2;
    take_word(t->source, &name_at, sign, name);
    take_word(t->source, &number_at, t->to, number);
    bool all = !strcmp(name, "all");
    u32 a = 0;
    while (a < p->n && strcmp(p->names[a], name)) a++;
    if (a == p->n && !all) {
        unknown_app(p, t, name_at, name);
        return;
    }
    double bound = strtod(number, &end);
    bool digits = strspn(number, "0123456789.") == strlen(number) && number[0] && !*end;
    if (!digits || !isfinite(bound) || bound < 1) {
        fail_at(p->fail, t->source, number_at, "a bound is a slowdown of at least 1, as in %s<=1.2",
                name);
        return;
    }
    if (a < p->n && !isnan(p->goal->bounds[a])) {
        fail_at(p->fail, t->source, name_at, "'%s' has two bounds", name);
        fail_note(p->fail, "give the smaller bound only");
        return;
    }
    p->goal->bounded = true;
    if (a < p->n) p->goal->bounds[a] = bound;
    else for (u32 i = 0; i < p->n; i++)
        if (isnan(p->goal->bounds[i])) p->goal->bounds[i] = bound;
}

static bool begins(const struct term *t, const char *word)
{
    size_t n = strlen(word), left = t->to - t->from;
    const char *at = t->source->text + t->from;
    return left >= n && !memcmp(at, word, n) && (left == n || is_blank(at[n]));
}

static const char *find_sign(const struct term *t)
{
    return memmem(t->source->text + t->from, t->to - t->from, "<=", 2);
}

/* Parses a term. Bounds of `all` come in a second pass, for apps without a bound of their own. */
static void parse_term(struct parser *p, struct term t, bool of_all)
{
    while (t.from < t.to && is_blank(t.source->text[t.from])) t.from++;
    const char *sign = find_sign(&t);
    bool all = sign && (begins(&t, "all") || !memcmp(t.source->text + t.from, "all<", 4));
    if (all != of_all) return;
    if (sign) {
        parse_bound(p, &t, (size_t)(sign - t.source->text));
    } else if (begins(&t, "max") || begins(&t, "min")) {
        parse_metric(p, &t, t.from + 3, begins(&t, "max") ? "max" : "min");
    } else {
        fail_at(p->fail, t.source, t.from, "expected " FORM);
        fail_note(p->fail, "terms are separated by commas, as in 'mm<=1.2, max ws'");
    }
}

bool goal_parse(struct goal *g, const char *text, const char *const *names, u32 n,
                struct fail *fail)
{
    struct source source = {COMMAND_LINE, text, strlen(text)};
    struct parser p = {.goal = g, .names = names, .n = n, .fail = fail};
    u32 before = fail->error_n;
    *g = (struct goal){.metric = metric_find("weighted_speedup")};
    for (u32 a = 0; a < APPS_MAX; a++) g->bounds[a] = (double)NAN;
    for (u32 pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at <= source.size;) {
            size_t end = at + strcspn(text + at, ",");
            parse_term(&p, (struct term){&source, at, end}, pass);
            at = end + 1;
        }
    }
    return fail->error_n == before;
}

double goal_excess(const struct goal *g, const double *slowdowns, u32 n)
{
    double worst = 0;
    for (u32 a = 0; a < n; a++) {
        if (isnan(g->bounds[a])) continue;
        double ratio = slowdowns[a] / g->bounds[a];
        if (isnan(ratio)) return ratio;
        if (ratio > worst) worst = ratio;
    }
    return worst;
}

void goal_bounds(const struct goal *g, const char *const *names, u32 n, struct text *out)
{
    const char *before = "";
    for (u32 a = 0; a < n; a++) {
        if (isnan(g->bounds[a])) continue;
        text_add(out, "%s%s<=%g", before, names[a], g->bounds[a]);
        before = ", ";
    }
}
