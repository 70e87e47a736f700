/* corun run: one simulation; a summary table, or the result as JSON, CSV or text. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/setup.h"
#include "cli/summary.h"
#include "run/result.h"
#include "run/timeline.h"

static bool write_result(const char *path, void (*show)(const struct batch *, u32, struct text *),
                         const struct batch *b, struct console *c)
{
    if (!path) return true;
    struct text text = {0};
    show(b, 0, &text);
    bool right = true;
    if (!strcmp(path, "-")) text_put(&c->out, text.bytes, text.size);
    else right = file_write(path, text.bytes, text.size, &c->fail);
    text_free(&text);
    return right;
}

static bool is_stdout(const char *path) { return path && !strcmp(path, "-"); }

int command_run(const struct options *o, struct console *c)
{
    struct setup setup;
    struct batch b = {0};
    struct timeline timeline = {0};
    const char *const outputs[] = {o->json, o->csv, o->text, o->timeline};
    bool right = setup_make(&setup, o, &o->policy, 1, &c->fail) &&
                 setup_outputs(outputs, COUNT_OF(outputs), &c->fail);
    if (right && o->timeline) setup.batch.sim.sink = timeline_start(&timeline);
    right = right && batch_run(&b, &setup.batch, &c->fail);
    progress_end(&setup.progress);
    int status = EXIT_INPUT;
    if (right) {
        status = setup_verdict(&b, &c->fail);
        right = write_result(o->json, result_json, &b, c) &&
                write_result(o->csv, result_csv, &b, c) &&
                write_result(o->text, result_text, &b, c) &&
                (!o->timeline || timeline_write(&timeline, &b.runs[0].sim, o->timeline, &c->fail));
        if (!right) status = EXIT_INPUT;
        bool table = !o->quiet;
        for (u32 i = 0; i < COUNT_OF(outputs); i++) table &= !is_stdout(outputs[i]);
        if (table) summary_show(&b, &c->out);
    }
    timeline_free(&timeline);
    if (b.setup) batch_free(&b);
    setup_free(&setup);
    return status;
}
