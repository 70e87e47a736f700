/* Any bytes as fat binaries, machine code and an executable: PTX or a sentence, never a crash, a
 * hang. */
#include "run/cuda/binary.h"
#include "run/cuda/cubin.h"
#include "run/cuda/fat.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    size_t left = size;
    for (const u8 *at = data; left;) {
        struct text ptx = {0}, why = {0};
        const struct fat_want want = {.capability = 75};
        struct ptx_arch arch = {0};
        size_t n = fat_size(at, left);
        bool ok = fat_ptx(at, left, &want, &ptx, &arch, &why) == FAT_TAKEN;
        check(n <= left && (n || !ok) && !ok == (why.size > 0));
        struct text code = {0};
        if (n && fat_code(at, n, want.capability, &code))
            check(cubin_registers((const u8 *)code.bytes, code.size, "kernel") < 256);
        text_free(&code);
        text_free(&ptx);
        text_free(&why);
        if (!n) break;
        at += n;
        left -= n;
    }
    check(cubin_registers(data, size, "kernel") < 256);
    binary_has_foreign_run_time((const char *)data, size);
    return 0;
}
