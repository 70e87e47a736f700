/* Any bytes as an app file beside a good PTX module: errors or an input, never a crash, a hang. */
#include <string.h>

#include "host/input.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static const char module[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u32 n, .param .f32 a, .param .u64 x, .param .align 4 .b8 s[8])\n"
    "{ .reg .b32 %r<2>; ld.param.u32 %r1, [n]; ret; }\n"
    ".const .align 4 .u32 c[3] = {7, 8, 9};\n.global .align 8 .b8 p[24];\n";
static const char few[64] = "sixty-four bytes for buffers and struct parameters, zeros follow";
static const struct source module_source = {"k.ptx", module, sizeof module - 1};
static const struct source few_source = {"few.bin", few, sizeof few};

/* Stands in for `run`: knows two files. */
static const struct source *load(struct file_loader *l, const char *path, const struct source *at,
                                 size_t offset, struct fail *fail)
{
    (void)l;
    if (!strcmp(path, module_source.name)) return &module_source;
    if (!strcmp(path, few_source.name)) return &few_source;
    fail_at(fail, at, offset, "no file '%s'", path);
    return NULL;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    const struct source file = {"fuzz.yaml", (const char *)data, size};
    struct file_loader loader = {.load = load};
    struct fail fail = {0};
    struct app_input *in = input_file(&file, &loader, &(struct input_rules){.seed = 1}, &fail);
    check(!in == (fail.error_n > 0));
    if (in) input_free(in);
    fail_free(&fail);
    return 0;
}
