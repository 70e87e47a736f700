#include "workloads/small.h"

#include <string.h>

#include "workloads/random.h"
#include "workloads/verify.h"

enum { PIECE = 1 << 16, LOW = -4, PER_WORD = 10, BITS = 3 };

/* Numbers [first, first + n) of a stream; ten of a drawn word. */
static void draw(u64 seed, u32 stream, u64 first, u64 n, s16 *to)
{
    u32 words[4];
    u64 drawn = UINT64_MAX;
    for (u64 k = 0; k < n; k++) {
        u64 at = first + k, word = at / PER_WORD;
        if (word / 4 != drawn) random_words(seed, stream, 0, drawn = word / 4, words);
        to[k] = (s16)((int)(words[word % 4] >> (at % PER_WORD * BITS) & 7) + LOW);
    }
}

u32 small_bytes(enum small_type type) { return type == SMALL_E4M3 ? 1 : 2; }

/* Returns a number's code. */
static u16 code_of(int number, enum small_type type)
{
    static const struct { u16 bias, fraction_bits, bits; } formats[] = {
        [SMALL_F16] = {15, 10, 16}, [SMALL_BF16] = {127, 7, 16}, [SMALL_E4M3] = {7, 3, 8}};
    u32 size = (u32)(number < 0 ? -number : number), exponent = size > 3 ? 2 : size > 1;
    if (!size) return 0;
    u32 f = formats[type].fraction_bits, fraction = (size << f >> exponent) - (1u << f);
    return (u16)((u32)(number < 0) << (formats[type].bits - 1) |
                 (exponent + formats[type].bias) << f | fraction);
}

u64 small_upload(struct host *h, const char *name, enum small_type type, u32 stream, u64 n)
{
    u32 bytes = small_bytes(type);
    u64 device = host_alloc(h, n * bytes, name);
    s16 *numbers = host_memory(h, PIECE * sizeof *numbers);
    u8 *codes = host_memory(h, (u64)PIECE * bytes);
    u16 code[8];
    for (int x = 0; x < 8; x++) code[x] = code_of(x + LOW, type);
    for (u64 at = 0; at < n; at += PIECE) {
        u64 piece = min_u64(PIECE, n - at);
        draw(host_seed(h), stream, at, piece, numbers);
        for (u64 k = 0; k < piece; k++) memcpy(codes + k * bytes, &code[numbers[k] - LOW], bytes);
        host_write(h, device + at * bytes, codes, piece * bytes);
    }
    return device;
}

static s32 dot(const s16 *a, const s16 *b, u32 n)
{
    s32 sum = 0;
    for (u32 k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

void small_check_product(struct host *h, u64 c, u32 m, u32 n, u32 k, u32 stream_a, u32 stream_b)
{
    s16 *b = host_memory(h, (u64)n * k * sizeof *b), *a = host_memory(h, k * sizeof *a);
    float *want = host_memory(h, n * sizeof *want), *got = host_memory(h, n * sizeof *got);
    const char *why = NULL;
    draw(host_seed(h), stream_b, 0, (u64)n * k, b);
    for (u32 row = 0; row < m && !why; row++) {
        draw(host_seed(h), stream_a, (u64)row * k, k, a);
        for (u32 column = 0; column < n; column++)
            want[column] = (float)dot(a, b + (u64)column * k, k);
        host_read(h, got, c + (u64)row * n * sizeof *got, n * sizeof *got);
        why = verify_f32(h, "c", (u64)row * n, got, want, n);
    }
    host_checked(h, !why, why);
}
