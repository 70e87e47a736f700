/* A fuzz target without a fuzzer: runs each file unchanged, truncated, and with small damages,
 * which are the same every time. Any failure ends the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { DAMAGES = 300, CUTS = 40 };

static u64 drawn = 1;
static u64 draw(u64 below) /* xorshift64* */
{
    drawn ^= drawn >> 12;
    drawn ^= drawn << 25;
    drawn ^= drawn >> 27;
    return (drawn * 0x2545f4914f6cdd1dull >> 33) % below;
}

static void try_it(const u8 *bytes, size_t n)
{
    u8 *exact = malloc(n + !n); /* to let a sanitizer notice reads behind the end */
    memcpy(exact, bytes, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static void damage(u8 *bytes, size_t n)
{
    static const u64 odd[] = {0, 1, 2, 255, 4096, INT32_MAX, UINT32_MAX, 1ull << 32,
                              0x100000000ull, 1ull << 40, 1ull << 63, UINT64_MAX};
    for (u64 times = 1 + draw(3); times; times--) {
        size_t width = (size_t)1 << draw(4), at = draw(n) / width * width;
        u64 value = draw(2) ? odd[draw(COUNT_OF(odd))] : draw(256);
        if (width <= n - at) memcpy(bytes + at, &value, width);
    }
}

static void replay(const u8 *bytes, size_t n)
{
    u8 *copy = malloc(n);
    try_it(bytes, n);
    for (u32 k = 0; k < CUTS; k++) try_it(bytes, draw(n));
    for (u32 k = 0; k < DAMAGES; k++) {
        memcpy(copy, bytes, n);
        damage(copy, n);
        try_it(copy, n);
    }
    free(copy);
}

int main(int n, char **paths)
{
    for (int i = 1; i < n; i++) {
        static u8 bytes[1 << 16];
        FILE *f = fopen(paths[i], "rb");
        size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
        if (f) fclose(f);
        if (!size) {
            fprintf(stderr, "%s cannot be read\n", paths[i]);
            return 1;
        }
        replay(bytes, size);
    }
    return n < 2;
}
