#include "cli/terminal/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "run/io/json_writer.h"
#include "run/jobs/seconds.h"

struct told { /* progress of the whole command */
    u32 number;         /* number of the displayed simulation, from 1 */
    double done;        /* fraction done, 0 to 1; 0: unknown */
    double left_seconds; /* NAN: unknown */
};

void progress_time(double seconds, struct text *out)
{
    u64 s = (u64)(seconds + 0.5);
    if (s >= 3600) text_add(out, "%llu h %02llu min", (unsigned long long)(s / 3600),
                            (unsigned long long)(s / 60 % 60));
    else if (s >= 60) text_add(out, "%llu min %02llu s", (unsigned long long)(s / 60),
                               (unsigned long long)(s % 60));
    else text_add(out, "%llu s", (unsigned long long)s);
}

void progress_left(double left_seconds, struct text *out)
{
    if (!isfinite(left_seconds)) return;
    text_add(out, ", about ");
    progress_time(left_seconds, out);
    text_add(out, " left");
}

/* Estimates the progress of the command. All simulations have equal weight; simulations in other
 * threads are assumed to be as far as simulation `s`. */
static struct told look(struct progress_line *p, const struct sim *s)
{
    const struct sim_watch *w = &p->watch;
    u32 n = max_u32(w->sim_n, 1), ended = min_u32(w->ended, n - 1);
    u32 running = min_u32(w->started - w->ended, n - ended);
    double done = fmin((ended + running * fmin(sim_done(s), 1)) / n, 1);
    return (struct told){min_u32(w->ended + 1, n), done,
                         remaining_after(&p->left, p->last - p->started, done)};
}

/* An app that waits for its first block is shown after so many cycles. */
enum { WAITS_SHOWN = 100000 };

static void tell_line(struct progress_line *p, const struct sim *s, const struct told *t)
{
    struct text line = {0};
    text_add(&line, "\r\033[K%s", s->setup->title);
    if (p->watch.sim_n > 1) text_add(&line, ": simulation %u of %u", t->number, p->watch.sim_n);
    if (t->done > 0) text_add(&line, ", %.0f %%", 100 * t->done);
    progress_left(t->left_seconds, &line);
    text_add(&line, ", cycle %.2f M", (double)s->cycles / 1e6);
    for (u32 i = 0; i < s->app_n; i++) {
        u64 waits = sim_newcomer_waits(s, i);
        if (waits > WAITS_SHOWN)
            text_add(&line, "  %s waits for its first block, %.2f M cycles", s->apps[i].name,
                     (double)waits / 1e6);
        else text_add(&line, "  %s %llux", s->apps[i].name,
                      (unsigned long long)s->apps[i].completions);
    }
    text_add(&line, "  %.0f s", p->last - p->started);
    fputs(line.bytes, stderr);
    fflush(stderr);
    text_free(&line);
}

static void tell_json(struct progress_line *p, const struct sim *s, const struct told *t)
{
    struct text line = {0};
    struct json_writer j = {.out = &line};
    json_open_flat(&j, NULL, '{');
    json_put_text(&j, "run", s->setup->title);
    json_put_integer(&j, "simulation", t->number);
    json_put_integer(&j, "simulations", p->watch.sim_n);
    json_put_real(&j, "percent", t->done > 0 ? 100 * t->done : (double)NAN);
    json_put_integer(&j, "cycle", s->cycles);
    if (s->setup->cycles) json_put_integer(&j, "cycle_limit", s->setup->cycles);
    json_open(&j, "completions", '{');
    for (u32 i = 0; i < s->app_n; i++) {
        json_put_integer(&j, s->apps[i].name, s->apps[i].completions);
    }
    json_close(&j, '}');
    json_open(&j, "waiting", '{');
    for (u32 i = 0; i < s->app_n; i++) {
        u64 waits = sim_newcomer_waits(s, i);
        if (waits > WAITS_SHOWN) json_put_integer(&j, s->apps[i].name, waits);
    }
    json_close(&j, '}');
    json_put_real(&j, "seconds", p->last - p->started);
    json_put_real(&j, "left_seconds", t->left_seconds);
    json_close(&j, '}');
    fputs(line.bytes, stderr);
    text_free(&line);
}

static void tell(struct sim_watch *w, const struct sim *s)
{
    struct progress_line *p = (struct progress_line *)w;
    double now = seconds_now();
    if (now - p->last < (p->json ? 1 : 0.1)) return;
    p->last = now;
    p->shown = true;
    struct told t = look(p, s);
    if (p->json) tell_json(p, s, &t);
    else tell_line(p, s, &t);
}

/* Returns true if CSV rows appear on the terminal during the run; progress would disturb the
 * rows. */
static bool rows_come(const struct options *o)
{
    return o->interval && o->csv && !strcmp(o->csv, "-") && isatty(STDOUT_FILENO);
}

struct sim_watch *progress_start(struct progress_line *p, const struct options *o)
{
    *p = (struct progress_line){.watch = {.tell = tell}, .json = o->progress == PROGRESS_JSON};
    p->started = p->last = seconds_now();
    bool wanted = o->progress != PROGRESS_NONE && !o->quiet;
    if (o->progress == PROGRESS_AUTO) wanted &= isatty(STDERR_FILENO) == 1 && !rows_come(o);
    return wanted ? &p->watch : NULL;
}

void progress_end(struct progress_line *p)
{
    if (p->shown && !p->json) fputs("\r\033[K", stderr);
}
