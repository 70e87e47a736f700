/* Any bytes as a PTX module: errors or programs, never a crash, a hang or a sanitizer's report. */
#include "exec/warp.h"
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    const struct source source = {"fuzz.ptx", (const char *)data, size};
    struct fail fail = {0};
    struct arena arena;
    arena_init(&arena);
    struct module *m = ptx_parse(&source, &arena, &fail);
    check(!m == (fail.error_n > 0));
    for (u32 i = 0; m && i < ptx_kernel_n(m); i++) {
        struct fail refused = {0};
        struct program *p = ptx_lower(m, i, &arena, &refused);
        check(!p == (refused.error_n > 0));
        struct text shown = {0};
        for (u32 pc = 0; p && pc < p->code_n; pc++) ptx_show(p, pc, &shown);
        if (p) exec_bind(p);
        text_free(&shown);
        fail_free(&refused);
    }
    fail_free(&fail);
    arena_free(&arena);
    return 0;
}
