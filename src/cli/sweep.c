/* corun sweep: many runs of a sweep file into a database, resumable. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/setup.h"
#include "run/io/json_writer.h"
#include "run/sweep/sweep.h"

enum { TROUBLE_MAX = 20 }; /* runs that did not end as they should, shown */

struct sweep_line {
    struct sweep_watch watch;
    bool tty, json;
    double shown_at;         /* when the line was written last, seconds of the sweep */
    u32 trouble_n;
};

static void show_time(double seconds, struct text *out)
{
    u64 s = (u64)(seconds + 0.5);
    if (s >= 3600) text_add(out, "%llu h %02llu min", (unsigned long long)(s / 3600),
                            (unsigned long long)(s / 60 % 60));
    else if (s >= 60) text_add(out, "%llu min %02llu s", (unsigned long long)(s / 60),
                               (unsigned long long)(s % 60));
    else text_add(out, "%llu s", (unsigned long long)s);
}

static void tell_line(const struct sweep_count *n, struct text *out)
{
    text_add(out, "\r\033[K%u of %u runs done", n->there + n->made, n->points);
    if (n->alone) text_add(out, ", %u of %u alone", n->alone_made, n->alone);
    if (n->failed) text_add(out, ", %u failed", n->failed);
    text_add(out, ", %u running, ", n->running);
    show_time(n->seconds, out);
    if (isfinite(n->left_seconds)) {
        text_add(out, ", about ");
        show_time(n->left_seconds, out);
        text_add(out, " left");
    }
}

static void tell_json(const struct sweep_count *n, struct text *out)
{
    struct json_writer j = {.out = out};
    json_open_flat(&j, NULL, '{');
    json_put_integer(&j, "runs", n->points);
    json_put_integer(&j, "done", n->there + n->made);
    json_put_integer(&j, "failed", n->failed);
    json_put_integer(&j, "alone", n->alone);
    json_put_integer(&j, "alone_done", n->alone_made);
    json_put_integer(&j, "running", n->running);
    json_put_real(&j, "seconds", n->seconds);
    json_put_real(&j, "left_seconds", n->left_seconds);
    json_close(&j, '}');
}

static void tell(struct sweep_watch *w, const struct sweep_count *n)
{
    struct sweep_line *line = (struct sweep_line *)w;
    bool last = n->there + n->made == n->points;
    if ((!line->tty && !line->json) || (n->seconds - line->shown_at < 1 && !last)) return;
    line->shown_at = n->seconds;
    struct text out = {0};
    if (line->json) tell_json(n, &out);
    else tell_line(n, &out);
    fputs(out.bytes, stderr);
    fflush(stderr);
    text_free(&out);
}

static void trouble(struct sweep_watch *w, const struct store_run *r, const char *status,
                    const char *reason)
{
    struct sweep_line *line = (struct sweep_line *)w;
    if (line->tty) fputs("\r\033[K", stderr);
    if (line->trouble_n++ == TROUBLE_MAX) fputs("further ones are in the database\n", stderr);
    if (line->trouble_n > TROUBLE_MAX) return;
    fprintf(stderr, "%s under %s on %s%s%s: %s%s%s\n", r->apps, r->policy, r->gpu,
            r->options[0] ? " with " : "", r->options, status, reason[0] ? ": " : "", reason);
}

static void show_sum(const struct options *o, const struct sweep_count *n, struct text *out)
{
    text_add(out, "%u point%s in %s: %u made now, %u were there", n->points,
             n->points == 1 ? "" : "s", o->output, n->made, n->there);
    if (n->duplicates) text_add(out, "; %u written more than once", n->duplicates);
    if (n->alone_made) text_add(out, "; %u isolated run%s made", n->alone_made,
                                n->alone_made == 1 ? "" : "s");
    if (n->failed) text_add(out, "; %u failed", n->failed);
    if (n->abnormal) text_add(out, "; %u ended abnormally", n->abnormal);
    text_add(out, "; ");
    show_time(n->seconds, out);
    text_add(out, "\nshow them: corun report %s -o report.html\n", o->output);
}

int command_sweep(const struct options *o, struct console *c)
{
    struct sweep_line line = {.watch = {tell, trouble}, .json = o->progress == PROGRESS_JSON,
                              .tty = o->progress == PROGRESS_TTY};
    struct sweep_count n = {0};
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one sweep file, FILE.yaml");
        fail_note(&c->fail, "docs/sweep.md shows what stands in one");
    }
    if (!o->output) fail_plain(&c->fail, "corun sweep needs -o FILE: the database of results");
    else if (!strcmp(o->output, "-")) fail_plain(&c->fail, "-o is -: a database is a file");
    if (c->fail.error_n) return EXIT_INPUT;
    if (o->progress == PROGRESS_AUTO) line.tty = isatty(STDERR_FILENO) == 1;
    if (o->quiet) line.tty = line.json = false;
    struct sweep_setup setup = {
        .path = o->operands[0], .database = o->output, .skip = o->skip == SWITCH_ON,
        .processes = o->processes ? (u32)o->processes : setup_processors(), .retry = o->retry,
        .run_seconds = o->run_seconds, .hook_seconds = o->hook_seconds,
        .watch = &line.watch};
    bool ok = sweep_run(&setup, &n, &c->fail);
    if (line.tty) fputs("\r\033[K", stderr);
    if (!ok) return EXIT_INPUT;
    if (!o->quiet) show_sum(o, &n, &c->out);
    return n.failed || n.abnormal ? EXIT_ABNORMAL : EXIT_DONE;
}
