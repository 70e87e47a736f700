/* corun run: a single simulation; prints a summary table, or the result as JSON, CSV or text. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/guarded.h"
#include "cli/common/setup.h"
#include "cli/terminal/summary.h"
#include "run/result/record.h"
#include "run/result/result.h"

static bool write_result(const char *path, void (*show)(const struct batch *, u32, struct text *),
                         const struct batch *b, struct console *c)
{
    if (!path) return true;
    struct text text = {0};
    show(b, 0, &text);
    bool ok = setup_write(path, &text, c);
    text_free(&text);
    return ok;
}

static int run(const struct guarded *g, const struct options *o, struct console *c)
{
    struct setup setup;
    struct batch b = {0};
    struct record record = {0};
    const char *rows = o->interval ? o->csv : NULL;
    const struct output outputs[] = {
        output_option("--json", o->json), output_option("--csv", o->csv),
        output_option("--text", o->text), output_option("--launches", o->launches),
        output_option("--timeline", o->timeline), output_option("--policy-log", o->policy_log)};
    const struct record_paths live = {rows, o->launches, o->timeline, o->policy_log, c->out_fd};
    bool ok = setup_make(&setup, o, g->policies, g->policy_n, &c->fail) &&
              setup_outputs(outputs, COUNT_OF(outputs), o, &c->fail);
    setup.batch.sim.outputs = outputs;
    if (o->show_output && !setup_table(outputs, COUNT_OF(outputs), o) && !o->quiet)
        setup.batch.sim.program_fd = STDERR_FILENO; /* standard output is used for the result */
    setup.batch.hook_call = c->hook_call;
    setup.batch.sim.output_n = COUNT_OF(outputs);
    if (ok) record_start(&record, &live, &setup.batch.sim);
    ok = ok && batch_run(&b, &setup.batch, &c->fail);
    int status = ok ? setup_verdict(o, &b, &c->fail) : EXIT_INPUT;
    if (ok) status = setup_repeat(o, &b, status, &c->fail);
    progress_end(&setup.progress);
    if (ok) {
        c->keep = true;
        if (!write_result(o->json, result_json, &b, c)) status = EXIT_INPUT;
        if (!rows && !write_result(o->csv, result_csv, &b, c)) status = EXIT_INPUT;
        if (!write_result(o->text, result_text, &b, c)) status = EXIT_INPUT;
        if (!record_close(&record, &c->fail)) status = EXIT_INPUT;
        setup_tell_outputs(&b, o, &c->fail);
        if (setup_table(outputs, COUNT_OF(outputs), o))
            summary_show(&b, o->legend == SWITCH_ON, o->waiting, &c->out);
    }
    record_free(&record);
    if (b.setup) batch_free(&b);
    setup_free(&setup);
    return status;
}

static int run_failed(const struct options *o, const char *policy, u64 cycle, const char *why,
                      bool interrupted, struct console *c)
{
    return setup_failed(false, o, policy, cycle, why, interrupted, c);
}

int command_run(const struct options *o, struct console *c)
{
    const struct guarded g = {&o->policy, 1, run, run_failed, false};
    return guarded_run(&g, o, c);
}
