/* The model of shared bandwidth on the worked example of paper 001 (Figure 6), for three apps, and
 * the two derived rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <cmocka.h>
#include "base/rand.h"
#include "run/profile/bandwidth.h"
#include "run/profile/model.h"

#define IS(got, want) assert_true(fabs((got) - (want)) < 1e-12)

/* Instruction throughput in units of BW/MPKI, and weighted speedup. */
static double throughput(const double *got, const double *mpki, u32 n)
{
    double sum = 0;
    for (u32 a = 0; a < n; a++) sum += got[a] / mpki[a];
    return sum;
}

static double speedup(const double *got, const double *alone, const double *mpki, u32 n)
{
    double sum = 0;
    for (u32 a = 0; a < n; a++) sum += got[a] / mpki[a] / (alone[a] / mpki[a]);
    return sum;
}

/* The paper's figure swaps the weighted speedups of the last two rows, and truncates 1.4583 to
 * 1.45; the paper's text agrees with the values here. */
static void figure_6(void **state)
{
    (void)state;
    static const double alone[] = {30, 40}, mpki[] = {20, 5};
    static const struct {
        u32 order[2];
        double got[2], p[2], it, ws;
    } rows[] = {{{0, 1}, {30, 20}, {1.5, 4}, 5.5, 1.5},
                {{1, 0}, {10, 40}, {.5, 8}, 8.5, .5 / 1.5 + 1},
                {{0, 0}, {25, 25}, {1.25, 5}, 6.25, 1.25 / 1.5 + 5. / 8}};
    for (u32 r = 0; r < COUNT_OF(rows); r++) {
        double got[2];
        if (r < 2) bandwidth_in_order(50, alone, rows[r].order, 2, got);
        else bandwidth_in_turn(50, alone, 2, got);
        for (u32 a = 0; a < 2; a++) {
            IS(got[a], rows[r].got[a]);
            IS(got[a] / mpki[a], rows[r].p[a]);
        }
        IS(throughput(got, mpki, 2), rows[r].it);
        IS(speedup(got, alone, mpki, 2), rows[r].ws);
    }
    assert_true(fabs(rows[1].ws - 1.333) < 5e-4 && fabs(rows[2].ws - 1.458) < 5e-4);
}

static void three_apps(void **state)
{
    (void)state;
    static const double alone[] = {40, 10, 45};
    static const u32 order[] = {2, 0, 1};
    double got[3];
    bandwidth_in_order(60, alone, order, 3, got);
    IS(got[0], 15);
    IS(got[1], 0);
    IS(got[2], 45);
    bandwidth_in_turn(60, alone, 3, got); /* 20 each, of which the second leaves 10 */
    IS(got[0], 25);
    IS(got[1], 10);
    IS(got[2], 25);
    bandwidth_in_turn(90, alone, 3, got); /* 30 each; 80 for two; the first leaves 10 again */
    IS(got[0], 40);
    IS(got[1], 10);
    IS(got[2], 40);
    bandwidth_in_turn(100, alone, 3, got);
    for (u32 a = 0; a < 3; a++) IS(got[a], alone[a]);
}

/* Bandwidth moved from the second app to the first raises throughput if the second has more MPKI,
 * and raises the weighted speedup if the second takes more bandwidth alone. Therefore the app with
 * less goes first. */
static void rules(void **state)
{
    (void)state;
    for (u32 i = 0; i < 1000; i++) {
        double alone[2], mpki[2], first[2], second[2], turn[2];
        for (u32 a = 0; a < 2; a++) {
            alone[a] = 50 + (double)rand_below(1, a, i, 50);
            mpki[a] = 1 + (double)rand_below(2, a, i, 60);
        }
        bandwidth_in_order(100, alone, (const u32[]){0, 1}, 2, first);
        bandwidth_in_order(100, alone, (const u32[]){1, 0}, 2, second);
        bandwidth_in_turn(100, alone, 2, turn);
        IS(first[0] + first[1], 100);
        IS(turn[0] + turn[1], 100);
        double moved[] = {turn[0] + 0.01, turn[1] - 0.01};
        assert_int_equal(throughput(moved, mpki, 2) > throughput(turn, mpki, 2) + 1e-9,
                         mpki[1] > mpki[0]);
        assert_int_equal(speedup(moved, alone, mpki, 2) > speedup(turn, alone, mpki, 2) + 1e-9,
                         alone[1] > alone[0]);
        double more = throughput(first, mpki, 2) - throughput(second, mpki, 2);
        double sooner = speedup(first, alone, mpki, 2) - speedup(second, alone, mpki, 2);
        bool tie = alone[0] + alone[1] == 100; /* no contention */
        assert_int_equal(more > 1e-9, mpki[0] < mpki[1] && !tie);
        assert_int_equal(sooner > 1e-9, alone[0] < alone[1] && !tie);
    }
}

/* ---- the model as a whole ---- */

/* Paper 001: 88.8 GB/s at 1400 MHz, 128 bytes a miss; MPKI of thread instructions. */
static void one_app(void **state)
{
    (void)state;
    const struct model blk = {.peak = 88.8 / 1.4, .miss_bytes = 128, .n = 1,
                              .apps = {{.mpki = 1.6, .alone = .676 * 88.8 / 1.4}}};
    IS(model_ipc(&blk, 0, blk.apps[0].alone), .676 * 88.8 / 1.4 / .2048);
    struct model_share shares[MODEL_SHARES];
    assert_int_equal(model_shares(&blk, shares), 1);
    IS(shares[0].speedup, 1);
    const struct model none = {.peak = 1, .miss_bytes = 128, .n = 1, .apps = {{.alone = 1}}};
    assert_true(isnan(model_ipc(&none, 0, 1)));
}

static void figure_6_as_a_model(void **state)
{
    (void)state;
    const struct model m = {.peak = 50, .miss_bytes = 1000, .shift = .5, .n = 2,
                            .apps = {{.mpki = 20, .alone = 30}, {.mpki = 5, .alone = 40}}};
    struct model_share s[MODEL_SHARES];
    assert_int_equal(model_shares(&m, s), 3);
    static const double it[] = {5.5, 8.5, 6.25}, ws[] = {1.5, 4. / 3, 35. / 24};
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(s[i].in_turn, i == 2);
        if (i < 2) assert_int_equal(s[i].order[0], i);
        IS(s[i].throughput, it[i]);
        IS(s[i].speedup, ws[i]);
        IS(s[i].ipc[0] + s[i].ipc[1], it[i]);
    }
    double throughput, speedup;
    model_shift(&m, 0, 1, &throughput, &speedup);
    IS(throughput, .5 / 20 - .5 / 5);
    IS(speedup, .5 / 30 - .5 / 40);
}

static void all_orders_of_three(void **state)
{
    (void)state;
    static const u32 want[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const struct model m = {.peak = 60, .miss_bytes = 1000, .n = 3,
        .apps = {{.mpki = 1, .alone = 40}, {.mpki = 2, .alone = 10}, {.mpki = 4, .alone = 45}}};
    struct model_share s[MODEL_SHARES];
    assert_int_equal(model_shares(&m, s), 7);
    for (u32 i = 0; i < 6; i++)
        for (u32 k = 0; k < 3; k++) assert_int_equal(s[i].order[k], want[i][k]);
    IS(s[4].throughput, 15. + 45. / 4); /* 2 0 1: 45, 15, 0 */
    IS(s[6].throughput, 25. + 10. / 2 + 25. / 4);
    IS(s[6].speedup, 25. / 40 + 1 + 25. / 45);
}

/* Moves a small bandwidth eps to app a: throughput grows if the other app has more MPKI, and
 * weighted speedup grows if the other takes more bandwidth alone. The IPCs of the model agree for a
 * real shift. */
static void what_a_shift_does(void **state)
{
    (void)state;
    for (u32 i = 0; i < 300; i++) {
        struct model m = {.peak = 100, .miss_bytes = 128, .shift = .01, .n = 2};
        for (u32 a = 0; a < 2; a++) {
            m.apps[a].alone = 50 + (double)rand_below(3, a, i, 50);
            m.apps[a].mpki = 1 + (double)rand_below(4, a, i, 60);
        }
        double throughput, speedup;
        model_shift(&m, 0, 1, &throughput, &speedup);
        assert_int_equal(throughput > 0, m.apps[1].mpki > m.apps[0].mpki);
        assert_int_equal(speedup > 0, m.apps[1].alone > m.apps[0].alone);
        IS(model_ipc(&m, 0, 50.01) - model_ipc(&m, 0, 50) + model_ipc(&m, 1, 49.99) -
           model_ipc(&m, 1, 50), throughput);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(figure_6), cmocka_unit_test(three_apps),
                                       cmocka_unit_test(rules), cmocka_unit_test(one_app),
                                       cmocka_unit_test(figure_6_as_a_model),
                                       cmocka_unit_test(all_orders_of_three),
                                       cmocka_unit_test(what_a_shift_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
