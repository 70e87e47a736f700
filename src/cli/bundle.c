/* corun bundle: copies a sweep with everything it names into a new folder. */
#include "cli/common/setup.h"
#include "run/sweep/bundle.h"

int command_bundle(const struct options *o, struct console *c)
{
    u32 n;
    if (!o->operand_n || o->operand_n > 2) {
        fail_plain(&c->fail, "expected a sweep file, FILE.yaml, and at most one database, "
                   "RESULTS.db");
    }
    if (!o->bundle_folder) fail_plain(&c->fail, "corun bundle needs -o FOLDER, a new folder");
    if (c->fail.error_n) return EXIT_INPUT;
    const struct bundle_setup setup = {.sweep = o->operands[0], .folder = o->bundle_folder,
                                       .database = o->operand_n > 1 ? o->operands[1] : NULL};
    if (!bundle_write(&setup, &n, &c->fail)) return EXIT_INPUT;
    text_add(&c->out, "%u file%s in %s\nto run the sweep again: %s/redo.sh\n", n, n == 1 ? "" : "s",
             o->bundle_folder, o->bundle_folder);
    return EXIT_DONE;
}
