/* Local memory of warps in physical memory: each warp has its own lines; lines of the first 32 call
 * depths lie close together, deeper recursion uses other lines. */
#include "sm_bench.h"

static const char text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".func deeper()\n{\n .local .align 16 .b8 own[16]; st.local.u32 [own], 1;\n"
    " call deeper; ret;\n}\n"
    ".visible .entry k(.param .u64 a)\n{\n call deeper; ret;\n}\n";

enum { WARPS = 3, FRAMES = 60, FRAME_LINES = 4 }; /* lanes interleave: a line for 4 bytes */

static void frames_have_their_places(void **state)
{
    (void)state;
    struct sm_bench b;
    u32 n[WARPS] = {0};
    sm_bench_init(&b, text, "");
    sm_bench_admit(&b, "k", WARPS * LANES);
    while (n[0] < FRAMES || n[1] < FRAMES || n[2] < FRAMES) {
        u32 next = (b.away_head + b.away_n) % COUNT_OF(b.away);
        sm_bench_tick(&b);
        assert_null(b.sm.effect.fault.what);
        if (next == (b.away_head + b.away_n) % COUNT_OF(b.away)) continue; /* no new request */
        u64 line = req_at(&b.pool, b.away[next])->line;
        bool far = line >= LOCAL_FAR_PHYSICAL;
        u64 at = (line - (far ? LOCAL_FAR_PHYSICAL : LOCAL_PHYSICAL)) / LINE_BYTES;
        u64 of_warp = far ? (1024 - 32) * FRAME_LINES + 1 : 32 * FRAME_LINES;
        assert_true(at / of_warp < WARPS);
        u32 *frame = &n[at / of_warp];
        assert_int_equal(at % of_warp, (*frame - (far ? 32 : 0)) * FRAME_LINES);
        assert_int_equal(far, *frame >= 32);
        (*frame)++;
    }
    sm_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_have_their_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
