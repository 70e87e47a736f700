#include "run/advise/goal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM "APP<=NUMBER, APP.p99<=NUMBER, all<=NUMBER, max METRIC or min METRIC"

enum { WORD_MOST = 128, ALL = APPS_MAX };

struct term {                /* a part of the goal between commas */
    const struct source *source;
    size_t from, to;
};

struct parser {
    struct goal *goal;
    bool metric_given;
    struct fail *fail;
};

struct subject {             /* APP, APP.p99, all or all.p99 */
    char word[WORD_MOST];
    size_t at;
    u32 app;                 /* ALL: all */
    bool p99;
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

static const char *direction_of(const struct metric_row *metric)
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
        text_add(&all, "%s%s %s", i ? ", " : "", direction_of(&metric_rows[i]),
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

static void unknown_app(const struct parser *p, const struct term *t, size_t at, const char *word)
{
    struct nearest near;
    struct text all = {0};
    nearest_init(&near, word);
    for (u32 a = 0; a < p->goal->n; a++) {
        nearest_offer(&near, p->goal->apps[a].name);
        text_add(&all, "%s%s", a ? ", " : "", p->goal->apps[a].name);
    }
    fail_at(p->fail, t->source, at, "no app is called '%s'", word);
    fail_nearest(p->fail, &near);
    fail_note(p->fail, "apps: %s, all", all.bytes);
    text_free(&all);
}

/* Returns the number of an app, or ALL; p->goal->n: no such app. */
static u32 find_app(const struct parser *p, const char *name)
{
    u32 a = 0;
    if (!strcmp(name, "all")) return ALL;
    while (a < p->goal->n && strcmp(p->goal->apps[a].name, name)) a++;
    return a;
}

/* Reads an app, or its p99 behind a dot. Returns false if no app has the name, with `word` without
 * ".p99". */
static bool read_subject(const struct parser *p, const struct term *t, size_t from, size_t to,
                         struct subject *s)
{
    static const char suffix[] = ".p99";
    *s = (struct subject){.at = from};
    take_word(t->source, &s->at, to, s->word);
    s->app = find_app(p, s->word);
    size_t n = strlen(s->word), tail = sizeof suffix - 1;
    s->p99 = s->app == p->goal->n && n > tail && !strcmp(s->word + n - tail, suffix);
    if (s->p99) s->word[n - tail] = 0;
    if (s->p99) s->app = find_app(p, s->word);
    return s->app != p->goal->n;
}

/* Refuses the p99 of an app without requests. */
static bool has_requests(const struct parser *p, const struct term *t, const struct subject *s)
{
    bool any = false;
    for (u32 a = 0; a < p->goal->n; a++)
        any |= p->goal->apps[a].requests && (s->app == ALL || s->app == a);
    if (any) return true;
    fail_at(p->fail, t->source, s->at, s->app == ALL ? "no app has requests" :
            "'%s' has no requests, and so no p99", s->word);
    fail_note(p->fail, "arrivals make an app a stream of requests: %s:arrivals=poisson:20000",
              s->app == ALL ? p->goal->apps[0].name : s->word);
    return false;
}

/* Parses APP.p99 behind the direction. Returns false if it is no p99 of an app. */
static bool parse_p99(struct parser *p, const struct term *t, size_t at, const char *direction)
{
    struct subject s;
    if (!read_subject(p, t, at, t->to, &s) || !s.p99 || s.app == ALL) return false;
    if (!has_requests(p, t, &s)) return true;
    if (p->metric_given) {
        fail_at(p->fail, t->source, t->from, "a goal has one metric, and '%s.p99' is a second",
                s.word);
    } else if (strcmp(direction, "min")) {
        fail_at(p->fail, t->source, t->from, "p99 is better when lower: 'min %s.p99' would be "
                "right", s.word);
    } else {
        p->goal->metric = NULL;
        p->goal->apps[s.app].p99_least = true;
        p->metric_given = true;
    }
    return true;
}

/* Parses a metric behind the direction. */
static void parse_metric(struct parser *p, const struct term *t, size_t at, const char *direction)
{
    char word[WORD_MOST], name[WORD_MOST];
    size_t start = at;
    if (parse_p99(p, t, at, direction)) return;
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
    } else if (strcmp(direction, direction_of(row))) {
        fail_at(p->fail, t->source, t->from, "%s is better when %s: '%s %s' would be right", word,
                row->best == METRIC_MORE ? "higher" : "lower", direction_of(row), word);
    } else {
        p->goal->metric = row;
        p->metric_given = true;
    }
}

/* Returns the place of a bound in an app; *unit: "us" for a p99 in microseconds. */
static double *bound_of(struct goal_app *app, bool p99, const char *unit)
{
    if (!p99) return &app->slowdown;
    return *unit ? &app->p99_us : &app->p99_times;
}

static bool is_bounded(const struct goal_app *app, bool p99)
{
    return p99 ? !isnan(app->p99_us) || !isnan(app->p99_times) : !isnan(app->slowdown);
}

/* Sets a bound of the apps that have none; an app without requests has no p99. */
static void set_bound(struct parser *p, const struct subject *s, double bound, const char *unit)
{
    p->goal->bounded = true;
    for (u32 a = 0; a < p->goal->n; a++) {
        struct goal_app *app = &p->goal->apps[a];
        bool meant = s->app == a || (s->app == ALL && (!s->p99 || app->requests));
        if (meant && !is_bounded(app, s->p99)) *bound_of(app, s->p99, unit) = bound;
    }
}

/* Parses APP<=NUMBER or APP.p99<=NUMBER; `sign` is the position of "<=". */
static void parse_bound(struct parser *p, const struct term *t, const struct subject *s,
                        size_t sign)
{
    char number[WORD_MOST], *unit;
    size_t at = sign + 2;
    take_word(t->source, &at, t->to, number);
    if (s->p99 && !has_requests(p, t, s)) return;
    double bound = strtod(number, &unit);
    bool us = s->p99 && !strcmp(unit, "us");
    size_t digits = strspn(number, "0123456789.");
    bool ok = digits && number + digits == unit && (us || !*unit);
    if (!ok || !isfinite(bound) || (us ? bound <= 0 : bound < 1)) {
        const char *name = s->word;
        fail_at(p->fail, t->source, at, s->p99 ?
                "a bound on p99 is a multiple of the p99 alone, at least 1, or has the unit us, "
                "as in %s.p99<=1.2 or %s.p99<=30us" :
                "a bound is a slowdown of at least 1, as in %s<=1.2", name, name);
    } else if (s->app != ALL && is_bounded(&p->goal->apps[s->app], s->p99)) {
        fail_at(p->fail, t->source, s->at, "'%s%s' has two bounds", s->word, s->p99 ? ".p99" : "");
        fail_note(p->fail, "give the smaller bound only");
    } else {
        set_bound(p, s, bound, unit);
    }
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
    struct subject s = {0};
    while (t.from < t.to && is_blank(t.source->text[t.from])) t.from++;
    const char *sign = find_sign(&t);
    size_t sign_at = sign ? (size_t)(sign - t.source->text) : 0;
    bool known = sign && read_subject(p, &t, t.from, sign_at, &s);
    if ((known && s.app == ALL) != of_all) return;
    if (known) {
        parse_bound(p, &t, &s, sign_at);
    } else if (sign) {
        unknown_app(p, &t, s.at, s.word);
    } else if (begins(&t, "max") || begins(&t, "min")) {
        parse_metric(p, &t, t.from + 3, begins(&t, "max") ? "max" : "min");
    } else {
        fail_at(p->fail, t.source, t.from, "expected " FORM);
        fail_note(p->fail, "terms are separated by commas, as in 'mm<=1.2, max ws'");
    }
}

bool goal_parse(struct goal *g, const char *text, struct fail *fail)
{
    struct source source = {COMMAND_LINE, text, strlen(text)};
    struct parser p = {.goal = g, .fail = fail};
    u32 before = fail->error_n;
    g->metric = metric_find("weighted_speedup");
    for (u32 a = 0; a < g->n; a++)
        g->apps[a].slowdown = g->apps[a].p99_times = g->apps[a].p99_us = (double)NAN;
    for (u32 pass = 0; pass < 2; pass++) {
        for (size_t at = 0; at <= source.size;) {
            size_t end = at + strcspn(text + at, ",");
            parse_term(&p, (struct term){&source, at, end}, pass);
            at = end + 1;
        }
    }
    return fail->error_n == before;
}

/* ---- values ---- */

bool goal_has_p99(const struct goal *g, u32 app)
{
    return g->apps[app].p99_least || is_bounded(&g->apps[app], true);
}

void goal_alone(struct goal *g, u32 app, double p99_us)
{
    struct goal_app *a = &g->apps[app];
    if (!isnan(a->p99_times)) a->p99_us = a->p99_times * p99_us;
}

/* Returns the app of which the p99 is the goal; g->n: none. */
static u32 least_app(const struct goal *g)
{
    u32 a = 0;
    while (a < g->n && !g->apps[a].p99_least) a++;
    return a;
}

double goal_value(const struct goal *g, const struct judged *of)
{
    double np[APPS_MAX];
    if (!g->metric) return of->p99[least_app(g)];
    for (u32 a = 0; a < of->n; a++) np[a] = 1 / of->slowdown[a];
    return g->metric->value(np, of->ipc, of->n);
}

bool goal_more(const struct goal *g) { return g->metric && g->metric->best == METRIC_MORE; }

void goal_name(const struct goal *g, struct text *out)
{
    if (g->metric) text_add(out, "%s", g->metric->name);
    else text_add(out, "%s.p99", g->apps[least_app(g)].name);
}

double goal_excess(const struct goal *g, const struct judged *of)
{
    double worst = 0;
    for (u32 a = 0; a < of->n; a++) {
        double bounds[] = {g->apps[a].slowdown, g->apps[a].p99_us};
        double values[] = {of->slowdown[a], of->p99[a]};
        for (u32 i = 0; i < COUNT_OF(bounds); i++) {
            double ratio = values[i] / bounds[i];
            if (isnan(bounds[i])) continue;
            if (isnan(ratio)) return ratio;
            if (ratio > worst) worst = ratio;
        }
    }
    return worst;
}

void goal_bounds(const struct goal *g, struct text *out)
{
    const char *before = "";
    for (u32 a = 0; a < g->n; a++) {
        const struct goal_app *app = &g->apps[a];
        if (!isnan(app->slowdown)) {
            text_add(out, "%s%s<=%g", before, app->name, app->slowdown);
            before = ", ";
        }
        if (!is_bounded(app, true)) continue;
        text_add(out, "%s%s.p99<=%g%s", before, app->name,
                 isnan(app->p99_times) ? app->p99_us : app->p99_times,
                 isnan(app->p99_times) ? "us" : "");
        before = ", ";
    }
}
