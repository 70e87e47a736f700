/* Any bytes as the policy of a run: errors, or a run of small kernels with right results; never a
 * crash, a hang. The first byte is the number of apps, the second byte chooses the machine, the
 * rest is the text behind --policy. */
#include <string.h>

#include "gpu/board/board.h"
#include "ptx/ptx.h"
#include "run/input/gpu_file.h"
#include "run/input/mechanism.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { SPEC_MAX = 300, CYCLES = 6000, BYTES = 4096, BLOCKS = 12 };

static const char module_text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{ .reg .b32 %r<5>; .reg .b64 %d<3>; .reg .pred %p;\n"
    " .shared .align 4 .b8 tile[256]; ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n"
    " mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 64, %r1; mul.wide.u32 %d2, %r3, 4;\n"
    " add.s64 %d1, %d1, %d2; mov.u32 %r4, 0;\n"
    "again: ld.global.u32 %r3, [%d1]; add.s32 %r3, %r3, 1; st.global.u32 [%d1], %r3; bar.sync 0;\n"
    " add.s32 %r4, %r4, 1; setp.lt.u32 %p, %r4, 3; @%p bra again; ret; }\n";

/* Small machines: without and with MIG, with halves of L2, with carve-outs. */
static const struct {
    const char *name, *sets[10];
} machines[] = {
    {"maxwell16", {"sm.count=4", "map.channels=2"}},
    {"h100", {"sm.count=18", "map.channels=8", "mig.sms_1g=2", "mig.sms_1g_quarter=2",
              "mig.sms_2g=4", "mig.sms_3g=8", "mig.sms_4g=8", "mig.sms_7g=18",
              "launch.latency_ns=0"}},
    {"rtx5090", {"sm.count=10", "map.channels=2", "launch.resident_grids=2"}},
    {"maxwell16-duet", {"sm.count=2", "map.channels=2"}},
};

static const struct machine *machine_of(u32 index)
{
    static struct gpu_file files[COUNT_OF(machines)];
    static bool open[COUNT_OF(machines)];
    struct fail fail = {0};
    u32 n = 0;
    while (machines[index].sets[n]) n++;
    bool ok = open[index] ||
              gpu_file_open(&files[index], machines[index].name, machines[index].sets, n, &fail);
    if (!ok) fprintf(stderr, "%s", text_get(&fail.text));
    check(ok);
    open[index] = true;
    return &files[index].machine;
}

struct bench {
    struct arena arena;
    struct program *program;
    struct image images[APPS_MAX];
    u64 param[APPS_MAX];
};

static void bench_begin(struct bench *b, u32 app_n)
{
    static const struct source source = {"k.ptx", module_text, sizeof module_text - 1};
    struct fail fail = {0};
    *b = (struct bench){0};
    arena_init(&b->arena);
    struct module *m = ptx_parse(&source, &b->arena, &fail);
    check(m);
    b->program = ptx_lower(m, 0, &b->arena, &fail);
    check(b->program && exec_bind(b->program));
    for (u32 a = 0; a < app_n; a++) {
        image_init(&b->images[a], NULL);
        b->param[a] = image_alloc(&b->images[a], BYTES, "out");
    }
}

/* Launches a kernel of each app and runs until the kernels have ended, for at most CYCLES. Each
 * kernel that ends has run all its blocks. */
static void run(struct bench *b, struct board *board, u32 app_n)
{
    u32 ended = 0;
    for (u32 a = 0; a < app_n; a++)
        board_launch(board, &(struct launch){
                                .program = b->program, .image = &b->images[a],
                                .param = (const u8 *)&b->param[a], .grid = {BLOCKS, 1, 1},
                                .block = {64, 1, 1}, .app_id = a, .priority = -(s32)(a % 3),
                                .registers = b->program->registers});
    while (ended < app_n && board_now(board) < CYCLES) {
        enum gpu_stop stop = board_advance(board, CYCLES);
        if (stop == GPU_STARVED || stop == GPU_LIMIT) break;
        check(stop == GPU_ENDED);
        for (const struct gpu_end *e; (e = board_ended(board)); ended++)
            board_app_goes_on(board, e->launch.app_id, false);
    }
    for (u32 a = 0; a < app_n && ended == app_n; a++) {
        u32 sum = 0, all[64 * BLOCKS];
        image_read(&b->images[a], b->param[a], all, sizeof all);
        for (u32 i = 0; i < COUNT_OF(all); i++) sum += all[i];
        check(sum == 3 * COUNT_OF(all));
    }
}

static void simulate(const struct mechanisms *m, u32 app_n, const struct machine *machine)
{
    struct gpu_mechanism with[MECHANISMS_MAX];
    struct bench bench;
    struct fail fail = {0};
    bench_begin(&bench, app_n);
    for (u32 i = 0; i < m->n; i++)
        with[i] = (struct gpu_mechanism){
            .policy = m->at[i].policy, .values = m->at[i].values, .owner = m->at[i].owner,
            .stats = arena_array(&bench.arena, u64, m->at[i].stat_n + 1), .at = &m->source,
            .offset = m->at[i].at};
    const struct gpu_setup setup = {.machine = machine, .app_n = app_n, .seed = 1, .skip = true,
                                    .threads = {.n = 1}, .policy_n = m->n, .policies = with};
    struct board *board = board_new(&setup, &fail);
    check(!board == (fail.error_n > 0));
    if (board) run(&bench, board, app_n);
    if (board) board_free(board);
    fail_free(&fail);
    for (u32 a = 0; a < app_n; a++) image_free(&bench.images[a]);
    arena_free(&bench.arena);
}

/* Policies that ask for isolated runs or search over runs are only parsed here. */
static bool runs_alone(const struct mechanisms *m)
{
    for (u32 i = 0; i < m->n; i++) {
        const struct corun_policy *p = m->at[i].policy;
        if (!strcmp(p->name, "oracle") || (p->needs && p->needs(m->at[i].values))) return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
    char spec[SPEC_MAX];
    if (size < 2 || size >= SPEC_MAX) return 0;
    memcpy(spec, data + 2, size - 2);
    spec[size - 2] = 0;
    if (policy_from_file(spec)) return 0; /* calls a compiler */
    struct mechanisms m;
    struct fail fail = {0};
    bool ok = mechanisms_parse(&m, spec, &fail);
    check(ok == !fail.error_n);
    if (ok && runs_alone(&m))
        simulate(&m, (u32)(256 + data[0] - '1') % APPS_MAX + 1,
                 machine_of(data[1] % COUNT_OF(machines)));
    mechanisms_free(&m);
    fail_free(&fail);
    return 0;
}
