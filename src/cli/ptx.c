/* corun ptx: lists the contents of a PTX module. Errors of unsupported kernels are printed, and the
 * kernels' rows are marked. */
#include "cli/common/command.h"
#include "cli/terminal/columns.h"
#include "run/input/gpu_file.h"

int command_ptx(const struct options *o, struct console *c)
{
    if (o->operand_n != 1) {
        fail_plain(&c->fail, "expected one PTX file or workload");
        return EXIT_INPUT;
    }
    struct catalog module = {0};
    struct text *source = o->source ? &c->out : NULL;
    struct gpu_file gpu = {0};
    const char *name = o->ptx_gpu ? o->ptx_gpu : GPU_DEFAULT;
    bool named = o->ptx_gpu || o->set.n;
    bool ok = (!named || gpu_file_open(&gpu, name, o->set.at, o->set.n, &c->fail)) &&
              catalog_ptx(&module, o->operands[0], named ? &gpu : NULL, source, &c->fail);
    gpu_file_free(&gpu);
    c->keep = !source && module.first;
    if (c->keep) catalog_show(&module, false, columns_of_list(), &c->out);
    catalog_free(&module);
    return ok ? EXIT_DONE : EXIT_INPUT;
}
