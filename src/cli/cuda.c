/* corun cuda: runs a CUDA program alone on the simulated GPU, like corun run. */
#include "cli/common/command.h"
#include "run/cuda/program.h"

static int show_folder(u32 major, struct console *c)
{
    if (program_library_folder(major, &c->out)) {
        text_add(&c->out, "\n");
        return EXIT_DONE;
    }
    fail_plain(&c->fail, "the libraries for CUDA %u are not installed", major);
    return EXIT_INPUT;
}

int command_cuda(const struct options *o, struct console *c)
{
    if (o->libdir) return show_folder((u32)o->libdir, c);
    if (!o->operand_n) {
        fail_plain(&c->fail, "expected a program");
        fail_note(&c->fail, "for example: corun cuda ./a.out 1024");
        return EXIT_INPUT;
    }
    struct text spec = {0};
    struct options one = *o;
    program_spec(o->operands, o->operand_n, &spec);
    one.operands[0] = text_get(&spec);
    one.operand_n = 1;
    one.show_output = true;
    one.first_in_place = true;
    int status = command_run(&one, c);
    text_free(&spec);
    return status;
}
