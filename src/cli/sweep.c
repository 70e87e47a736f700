/* corun sweep: runs the points of a sweep file and stores the results in a database; can be
 * resumed. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/setup.h"
#include "run/jobs/processors.h"
#include "run/io/json_writer.h"
#include "run/jobs/interrupt.h"
#include "run/sweep/slurm.h"
#include "run/sweep/sweep.h"

enum { TROUBLE_MAX = 20 }; /* maximum number of abnormal runs reported */
/* Minimum seconds between two progress lines; maximum seconds without a line. */
enum { LINE_SECONDS = 1, QUIET_SECONDS = 60 };

struct sweep_line {
    struct sweep_watch watch;
    bool tty, json;
    bool plain;              /* lines for a log file: after finished runs, and every minute */
    double shown_at;         /* time of the last line, in seconds since the start of the sweep */
    u32 shown_n;             /* finished runs at the last line */
    u32 trouble_n;
    struct text *out;        /* receives messages; NULL: standard error, immediately */
};

static void tell_line(const struct sweep_count *n, struct text *out)
{
    text_add(out, "%u of %u points done", n->there + n->made, n->points);
    if (n->points) text_add(out, " (%.0f %%)", 100.0 * (n->there + n->made) / n->points);
    if (n->alone) text_add(out, ", %u of %u alone", n->alone_made, n->alone);
    if (n->failed) text_add(out, ", %u failed", n->failed);
    text_add(out, ", %u running, ", n->running);
    progress_time(n->seconds, out);
    progress_left(n->left_seconds, out);
}

static void tell_json(const struct sweep_count *n, struct text *out)
{
    struct json_writer j = {.out = out};
    json_open_flat(&j, NULL, '{');
    json_put_integer(&j, "points", n->points);
    json_put_integer(&j, "done", n->there + n->made);
    json_put_integer(&j, "failed", n->failed);
    json_put_integer(&j, "alone", n->alone);
    json_put_integer(&j, "alone_done", n->alone_made);
    json_put_integer(&j, "running", n->running);
    json_put_real(&j, "seconds", n->seconds);
    json_put_real(&j, "percent", n->points ? 100.0 * (n->there + n->made) / n->points : 100);
    json_put_real(&j, "left_seconds", n->left_seconds);
    json_close(&j, '}');
}

static void tell(struct sweep_watch *w, const struct sweep_count *n)
{
    struct sweep_line *line = (struct sweep_line *)w;
    u32 made = n->made + n->alone_made;
    bool last = n->there + n->made == n->points && n->alone_made == n->alone;
    double since = n->seconds - line->shown_at;
    bool due = since >= LINE_SECONDS || last;
    if (line->plain) due = made != line->shown_n ? due : since >= QUIET_SECONDS;
    if ((!line->tty && !line->json && !line->plain) || !due) return;
    line->shown_at = n->seconds;
    line->shown_n = made;
    struct text out = {0};
    if (line->tty) text_add(&out, "\r\033[K");
    if (line->json) tell_json(n, &out);
    else tell_line(n, &out);
    if (line->plain) text_add(&out, "\n");
    fputs(out.bytes, stderr);
    fflush(stderr);
    text_free(&out);
}

static void trouble(struct sweep_watch *w, const struct store_run *r, const char *status,
                    const char *reason)
{
    struct sweep_line *line = (struct sweep_line *)w;
    if (line->tty) fputs("\r\033[K", stderr);
    if (line->trouble_n++ == TROUBLE_MAX) fputs("further failures are listed in the "
                                                "database\n", stderr);
    if (line->trouble_n > TROUBLE_MAX) return;
    struct text out = {0};
    text_add(&out, "%s under %s on %s%s%s: %s%s%s\n", r->apps, r->policy, r->gpu,
             r->options[0] ? " with " : "", r->options, status, reason[0] ? ": " : "", reason);
    text_mask(&out);
    fputs(out.bytes, stderr);
    text_free(&out);
}

static void say(void *watch, const char *text)
{
    struct sweep_line *line = watch;
    struct text out = {0};
    text_add(&out, "%s\n", text);
    text_mask(&out);
    if (line->out) text_add(line->out, "%s", out.bytes);
    else fprintf(stderr, "%s%s", line->tty ? "\r\033[K" : "", out.bytes);
    text_free(&out);
}

static void show_isolated(const struct sweep_count *n, struct text *out)
{
    u32 all = n->alone_there + n->alone;
    text_add(out, "%u isolated run%s: %u run now, %u from the cache", all, all == 1 ? "" : "s",
             n->alone_made, n->alone_there);
    if (n->failed) text_add(out, "; %u failed", n->failed);
    text_add(out, "; ");
    progress_time(n->seconds, out);
    text_add(out, "\n");
}

static void show_sum(const struct options *o, const struct sweep_count *n, struct text *out)
{
    text_add(out, "%u point%s in %s: %u run now, %u already in the database", n->points,
             n->points == 1 ? "" : "s", o->output, n->made, n->there);
    if (o->shard) text_add(out, "; shard %s of %u points", o->shard, n->all);
    if (n->damaged) text_add(out, "; %u damaged and run again", n->damaged);
    if (n->duplicates) text_add(out, "; %u written more than once", n->duplicates);
    if (n->alone_made) text_add(out, "; %u isolated run%s run", n->alone_made,
                                n->alone_made == 1 ? "" : "s");
    if (n->failed) text_add(out, "; %u failed", n->failed);
    if (n->abnormal) text_add(out, "; %u ended abnormally", n->abnormal);
    text_add(out, "; ");
    progress_time(n->seconds, out);
    if (o->shard) text_add(out, "\nto merge the shards: corun merge %s ... -o all.db\n", o->output);
    else text_add(out, "\nto show the points: corun report %s -o report.html\n", o->output);
}

static void show_verified(const struct options *o, const struct sweep_count *n, struct text *out)
{
    text_add(out, "%s: %u run%s, ", o->output, n->runs, n->runs == 1 ? "" : "s");
    if (n->damaged) text_add(out, "%u damaged", n->damaged);
    else text_add(out, "all sound");
    text_add(out, "; %u of %u points done\n", n->there, n->points);
    if (n->unsound) text_add(out, "--repair runs damaged points again\n");
}

/* Parses a number followed by the character `end`, and moves *at behind the character. */
static bool take_part(const char **at, char end, u32 *part)
{
    const char *stop = strchr(*at, end);
    struct text word = {0};
    u64 n = 0;
    text_put(&word, *at, stop ? (size_t)(stop - *at) : 0);
    bool ok = stop && whole_parse(text_get(&word), &n) && n && n <= SWEEP_POINTS_MAX;
    *part = (u32)n;
    if (stop) *at = stop + 1;
    text_free(&word);
    return ok;
}

/* Parses --shard, "2/8" or "2-5/8", parts counted from 1; without the option, leaves the setup
 * unchanged. */
static void take_shard(const char *word, struct sweep_setup *setup, struct fail *fail)
{
    if (!word) return;
    struct sweep_shard s = {0};
    const char *at = word, *slash = strchr(word, '/'), *dash = strchr(word, '-');
    bool range = dash && slash && dash < slash;
    bool ok = take_part(&at, range ? '-' : '/', &s.first);
    s.last = s.first;
    ok = ok && (!range || take_part(&at, '/', &s.last)) && take_part(&at, 0, &s.parts);
    if (ok && s.first <= s.last && s.last <= s.parts) {
        setup->shard = s;
        return;
    }
    struct source source = {COMMAND_LINE, word, strlen(word)};
    fail_at(fail, &source, 0, "--shard is '%s', expected K/N with K from 1 to N: 2/8, or 2-5/8",
            word);
}

static void check_operands(const struct options *o, struct fail *fail)
{
    if (o->verify + o->repair + o->isolated_only > 1) {
        fail_plain(fail, "--verify, --repair and --isolated-only exclude each other");
    }
    if (o->operand_n != 1) {
        fail_plain(fail, "expected one sweep file, FILE.yaml");
        fail_note(fail, "docs/how-to/sweep.md describes sweep files");
    }
    if (o->isolated_only && o->output) {
        fail_plain(fail, "--isolated-only excludes -o: isolated runs are kept in the cache");
    } else if (!o->isolated_only && !o->output && (!o->dry_run || o->slurm)) {
        fail_plain(fail, "corun sweep needs -o FILE, the database of results");
    } else if (o->output && !strcmp(o->output, "-")) {
        fail_plain(fail, "-o -: a database cannot go to standard output; give a file");
    }
}

/* Checks which options can be combined. */
static void check_places(const struct options *o, struct fail *fail)
{
    const struct { bool given; const char *flag; } only_slurm[] = {
        {o->chunks, "--chunks"}, {o->sbatch.n, "--sbatch"}, {o->wait, "--wait"}};
    for (u32 i = 0; !o->slurm && i < COUNT_OF(only_slurm); i++) {
        if (only_slurm[i].given) fail_plain(fail, "%s is only for --slurm", only_slurm[i].flag);
    }
    const struct { bool given; const char *flag; } not_slurm[] = {
        {o->shard, "--shard"}, {o->known, "--known"}, {o->isolated_only, "--isolated-only"}};
    if (o->verify && (o->slurm || o->dry_run)) {
        fail_plain(fail, "--verify excludes %s", o->slurm ? "--slurm" : "--dry-run");
    }
    for (u32 i = 0; o->slurm && i < COUNT_OF(not_slurm); i++) {
        if (not_slurm[i].given) fail_plain(fail, "--slurm chooses %s itself", not_slurm[i].flag);
    }
    if (o->slurm && o->processes) {
        fail_plain(fail, "--threads does not go with --slurm");
        fail_note(fail, "a chunk uses all processors of the job: --sbatch --cpus-per-task=%llu",
                  (unsigned long long)o->processes);
    }
    if (o->dry_run && o->wait) {
        fail_plain(fail, "--wait: --dry-run submits no job to wait for");
    }
    if (o->dry_run && o->isolated_only) {
        fail_plain(fail, "--dry-run excludes --isolated-only: --dry-run counts isolated runs, too");
    }
}

static void show_look(const struct sweep_setup *setup, const struct sweep_look *look,
                      struct text *out)
{
    const struct sweep_count *n = &look->count;
    const char *database = setup->database;
    text_add(out, "%u point%s: ", n->points, n->points == 1 ? "" : "s");
    if (database) text_add(out, "%u in %s, ", n->there, database);
    text_add(out, "%u to run\n", look->missing_n);
    if (look->alone_by_points)
        text_add(out, "isolated runs are part of the points: alone_on is share\n");
    else text_add(out, "%u isolated run%s: %u in the cache, %u to run\n",
                  n->alone_there + n->alone, n->alone_there + n->alone == 1 ? "" : "s",
                  n->alone_there, n->alone);
    if (!look->missing_n) return;
    if (!look->stored) {
        text_add(out, "no estimate: %s holds no run\n", database ? database : "a new database");
        return;
    }
    text_add(out, "about ");
    progress_time(look->seconds * (look->missing_n + n->alone) / setup->processes, out);
    text_add(out, " with --threads %u, by the %u run%s in %s\n", setup->processes, look->stored,
             look->stored == 1 ? "" : "s", database);
}

static int dry_run(const struct sweep_setup *setup, struct console *c)
{
    struct sweep_look look;
    bool ok = sweep_look(setup, false, &look, &c->fail);
    if (ok) show_look(setup, &look, &c->out);
    sweep_look_free(&look);
    return ok ? EXIT_DONE : EXIT_INPUT;
}

static int on_slurm(const struct options *o, const struct sweep_setup *sweep, struct console *c)
{
    struct slurm_setup setup = {.sweep = sweep, .options = o->sbatch.at, .option_n = o->sbatch.n,
                                .chunks = (u32)o->chunks};
    struct sweep_count n;
    struct text told = {0};
    if (o->dry_run) return slurm_show(&setup, &c->out, &c->fail) ? EXIT_DONE : EXIT_INPUT;
    bool ok = slurm_submit(&setup, &n, &told, &c->fail);
    if (!o->quiet && o->wait) fputs(text_get(&told), stderr); /* immediately, not at the end */
    else if (!o->quiet) text_add(&c->out, "%s", text_get(&told));
    text_free(&told);
    if (!ok || !o->wait) return ok ? EXIT_DONE : EXIT_INPUT;
    ok = slurm_wait(&setup, &n, &c->out, &c->fail);
    if (isatty(STDERR_FILENO) == 1 && !o->quiet) fputs("\r\033[K", stderr);
    if (!ok) return EXIT_INPUT;
    if (!o->quiet) show_sum(o, &n, &c->out);
    return n.failed || n.abnormal || n.there + n.made < n.points ? EXIT_ABNORMAL : EXIT_DONE;
}

int command_sweep(const struct options *o, struct console *c)
{
    struct sweep_line line = {.watch = {tell, trouble, say}, .json = o->progress == PROGRESS_JSON,
                              .tty = o->progress == PROGRESS_TTY};
    struct sweep_count n = {0};
    if (o->progress == PROGRESS_AUTO) {
        line.tty = isatty(STDERR_FILENO) == 1;
        line.plain = !line.tty;
    }
    if (o->verify) line.out = &c->out;
    if (o->quiet) line.tty = line.json = line.plain = false;
    struct sweep_setup setup = {
        .path = o->operands[0], .database = o->output, .skip = o->skip == SWITCH_ON,
        .quiet = o->quiet || o->verify, .folder = setup_folder(o), .ptx = setup_ptx(o, &c->fail),
        .processes = o->processes ? (u32)o->processes : processors_allowed(), .retry = o->retry,
        .run_seconds = o->run_seconds, .hook_seconds = o->hook_seconds, .known = o->known,
        .isolated_only = o->isolated_only, .verify = o->verify, .repair = o->repair,
        .watch = &line.watch};
    check_operands(o, &c->fail);
    check_places(o, &c->fail);
    take_shard(o->shard, &setup, &c->fail);
    if (c->fail.error_n) return EXIT_INPUT;
    interrupts_note();
    if (o->slurm) return on_slurm(o, &setup, c);
    if (o->dry_run) return dry_run(&setup, c);
    bool ok = sweep_run(&setup, &n, &c->fail);
    if (line.tty) fputs("\r\033[K", stderr);
    if (!ok) return n.unsound ? EXIT_ABNORMAL : EXIT_INPUT;
    if (interrupt_came()) {
        text_add(&c->fail.text, "interrupted: %u of %u %s done; repeat the command to continue\n",
                 o->isolated_only ? n.alone_made : n.there + n.made,
                 o->isolated_only ? n.alone : n.points,
                 o->isolated_only ? "isolated runs" : "points");
        return EXIT_DONE;
    }
    if (o->verify) {
        show_verified(o, &n, &c->out);
        return n.unsound ? EXIT_ABNORMAL : EXIT_DONE;
    }
    if (!o->quiet && o->isolated_only) show_isolated(&n, &c->out);
    else if (!o->quiet) show_sum(o, &n, &c->out);
    return n.failed || n.abnormal ? EXIT_ABNORMAL : EXIT_DONE;
}
