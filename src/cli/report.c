/* corun report: summarizes a database of results as a page. */
#include <string.h>
#include "cli/common/setup.h"
#include "run/page/report.h"

static bool write_page(const char *path, const struct report *r, struct console *c)
{
    struct text text = {0};
    report_page(r, &text);
    bool ok = setup_write(path, &text, c);
    text_free(&text);
    return ok;
}

int command_report(const struct options *o, struct console *c)
{
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one database of results from corun sweep");
    }
    if (!o->report_output) fail_plain(&c->fail, "corun report needs -o FILE, the page to write");
    const struct output page = output_option("the page", o->report_output);
    for (u32 i = 0; i < o->operand_n; i++) reads_note(o->operands[i]);
    if (c->fail.error_n || !outputs_check(&page, 1, &c->fail)) return EXIT_INPUT;
    struct store store;
    struct report report = {0};
    struct text damaged = {0};
    bool ok = store_open(&store, o->operands[0], &c->fail) &&
              report_load(&report, &store, &damaged, &c->fail);
    if (ok && !report.run_n) {
        fail_plain(&c->fail, "%s holds no runs yet", o->operands[0]);
        ok = false;
    }
    if (ok && report.program_n > 1) {
        text_add(&c->fail.text, "warning: %u versions of corun made the runs in %s: run the sweep "
                 "again\n", report.program_n, o->operands[0]);
    }
    if (ok && report_missing(&report)) {
        text_add(&c->fail.text, "warning: unfinished sweep, %u of %u points in %s: corun sweep "
                 "FILE.yaml -o %s continues\n", report.done_n, report.point_n, o->operands[0],
                 o->operands[0]);
    }
    if (damaged.size) {
        text_add(&c->fail.text, "warning: damaged runs in %s are left out; corun sweep FILE.yaml "
                 "-o %s --repair runs the points again:\n%s",
                 o->operands[0], o->operands[0], damaged.bytes);
    }
    text_free(&damaged);
    ok = ok && write_page(o->report_output, &report, c);
    report_free(&report);
    store_close(&store);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
