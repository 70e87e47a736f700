/* corun ptx: lists the contents of a PTX module. Errors of unsupported kernels are printed, and the
 * kernels' rows are marked. */
#include "cli/common/command.h"
#include "cli/terminal/columns.h"

int command_ptx(const struct options *o, struct console *c)
{
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one PTX file or workload");
        return EXIT_INPUT;
    }
    struct catalog module;
    struct text *source = o->source ? &c->out : NULL;
    bool ok = catalog_ptx(&module, o->operands[0], source, &c->fail);
    c->keep = !source && module.first;
    if (c->keep) catalog_show(&module, false, columns_of_list(), &c->out);
    catalog_free(&module);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
