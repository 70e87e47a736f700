/* corun merge: merges the databases of a sweep's shards. */
#include <string.h>
#include "cli/common/setup.h"
#include "run/sweep/merge.h"

static void show_sum(const char *path, const struct merge_count *n, struct text *out)
{
    text_add(out, "%u of %llu points in %s, %u added by this command",
             n->runs, (unsigned long long)n->points,
             path, n->added);
    if (n->failed) text_add(out, "; %u failed", n->failed);
    if (n->abnormal) text_add(out, "; %u ended abnormally", n->abnormal);
    if (n->better) text_add(out, "; %u replaced failed points", n->better);
    if (n->foreign) text_add(out, "; left out: %u of another sweep", n->foreign);
    if (n->empty) text_add(out, "; %u empty database%s", n->empty, n->empty == 1 ? "" : "s");
    if (n->old) text_add(out, "; left out: %u of another corun version", n->old);
    text_add(out, "\nto show the points: corun report %s -o report.html\n", path);
}

int command_merge(const struct options *o, struct console *c)
{
    struct merge_count n;
    if (!o->operand_n) fail_plain(&c->fail, "expected databases from corun sweep");
    if (!o->merge_output) fail_plain(&c->fail, "corun merge needs -o FILE, the merged database");
    else if (!strcmp(o->merge_output, "-")) fail_plain(&c->fail, "-o -: a database cannot go to "
                                                       "standard output; give a file");
    if (c->fail.error_n) return EXIT_INPUT;
    const struct output all = output_option("-o", o->merge_output);
    for (u32 i = 0; i < o->operand_n; i++) reads_note(o->operands[i]);
    if (!outputs_check(&all, 1, &c->fail) ||
        !merge_run(o->operands, o->operand_n, o->merge_output, &n, &c->fail)) return EXIT_INPUT;
    show_sum(o->merge_output, &n, &c->out);
    return n.failed || n.abnormal || n.runs < n.points ? EXIT_ABNORMAL : EXIT_DONE;
}
