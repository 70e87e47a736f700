#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>
#include "run/io/json_writer.h"
#include "run/jobs/seconds.h"

static void tell_line(struct progress_line *p, const struct sim *s)
{
    struct text line = {0};
    text_add(&line, "\r\033[K%s: cycle %.2f M", s->setup->title, (double)s->cycles / 1e6);
    if (s->setup->cycles) {
        text_add(&line, " (%.0f %%)", 100 * (double)s->cycles / (double)s->setup->cycles);
    }
    for (u32 i = 0; i < s->app_n; i++) {
        text_add(&line, "  %s %llux", s->apps[i].name, (unsigned long long)s->apps[i].completions);
    }
    text_add(&line, "  %.0f s", p->last - p->started);
    fputs(line.bytes, stderr);
    fflush(stderr);
    text_free(&line);
}

static void tell_json(struct progress_line *p, const struct sim *s)
{
    struct text line = {0};
    struct json_writer j = {.out = &line};
    json_open_flat(&j, NULL, '{');
    json_put_text(&j, "run", s->setup->title);
    json_put_integer(&j, "cycle", s->cycles);
    if (s->setup->cycles) json_put_integer(&j, "cycle_limit", s->setup->cycles);
    json_open(&j, "completions", '{');
    for (u32 i = 0; i < s->app_n; i++) {
        json_put_integer(&j, s->apps[i].name, s->apps[i].completions);
    }
    json_close(&j, '}');
    json_put_real(&j, "seconds", p->last - p->started);
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
    if (p->json) tell_json(p, s);
    else tell_line(p, s);
}

struct sim_watch *progress_start(struct progress_line *p, const struct options *o)
{
    *p = (struct progress_line){.watch = {tell}, .json = o->progress == PROGRESS_JSON};
    p->started = p->last = seconds_now();
    bool wanted = o->progress != PROGRESS_NONE && !o->quiet;
    if (o->progress == PROGRESS_AUTO) wanted &= isatty(STDERR_FILENO) == 1;
    return wanted ? &p->watch : NULL;
}

void progress_end(struct progress_line *p)
{
    if (p->shown && !p->json) fputs("\r\033[K", stderr);
}
