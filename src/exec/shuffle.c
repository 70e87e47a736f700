/* Exchange between the lanes of a warp: shfl, vote, match, redux, activemask, elect. Bound by
 * exec_bind. An instruction with a membermask runs when all its lanes are present, for lanes of one
 * path or of several: meet.c.
 * Source: PTX ISA manual, shfl.sync, vote.sync, match.sync, redux.sync, elect.sync. */
#include "exec/float/round.h"
#include "exec/path.h"
#include "isa/isa.h"

static u32 member_lanes(struct warp *w, u32 operand, u32 lane)
{
    return operand == OPERAND_ABSENT ? UINT32_MAX : ((const u32 *)row_of(w, operand))[lane];
}

/* Returns the participating lanes. */
static inline u32 present(const struct warp *w)
{
    return likely(!w->meeting) ? w->executing : w->meeting->lanes;
}

/* Returns the first source of all participating lanes. */
static inline const void *offered(const struct warp *w, const struct ptx_inst *i)
{
    return likely(!w->meeting) ? row_of(w, i->src[0]) : (const void *)w->meeting->row;
}

static inline u32 offered_pred(const struct warp *w, const struct ptx_inst *i)
{
    return likely(!w->meeting) ? lanes_pred(w, i) : w->meeting->pred;
}

/* ---- shfl ---- */

struct from_lane { u32 lane; bool in_range; };

/* Returns the source lane of a lane; mode is constant in every caller. */
static inline struct from_lane shfl_source(enum shfl_mode mode, u32 lane, u32 b, u32 c)
{
    u32 keep = c >> 8 & 31, limit = c & 31, low = lane & keep, high = low | (limit & ~keep);
    u32 j = 0;
    bool in_range = false;
    b &= 31;
    switch (mode) {
    case SHFL_UP:
        j = lane - b;
        in_range = (s32)j >= (s32)high;
        break;
    case SHFL_DOWN:
        j = lane + b;
        in_range = j <= high;
        break;
    case SHFL_BFLY:
        j = lane ^ b;
        in_range = j <= high;
        break;
    case SHFL_IDX:
        j = low | (b & ~keep);
        in_range = j <= high;
        break;
    }
    return (struct from_lane){in_range ? j : lane, in_range};
}

/* Warns about reads of lanes that do not participate or are not in the reader's membermask: the
 * value is undefined. */
static void sources_check(struct warp *w, const struct ptx_inst *i, const u8 from[LANES])
{
    u32 here = present(w);
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        if ((here & member_lanes(w, i->src[3], l)) >> from[l] & 1) continue;
        warp_warn(w, i, "shfl reads a lane outside the membermask or inactive: undefined on a GPU; "
                        "here an inactive lane reads as 0");
        return;
    }
}

/* Returns the participating lanes named by all membermasks. */
static inline u32 sure_lanes(const struct warp *w, const struct ptx_inst *i)
{
    u32 lanes = present(w);
    if (i->src[3] == OPERAND_ABSENT) return lanes;
    const u32 *members = row_of(w, i->src[3]);
    LANE_LOOP lanes &= members[l];
    return lanes;
}

/* Model: a read of a lane that does not participate returns 0; the manual leaves the value
 * undefined (guess), and the run warns. The lane's register is not returned: NVIDIA's `reduction`
 * sample adds values of non-participating lanes, but compiled for a GPU leaves other sums in their
 * registers, and would fail on a GPU that returned the registers. */
#define SHFL(mode) \
    static void run_##mode(struct warp *w, const struct ptx_inst *i) \
    { \
        if (!meet(w, i, i->src[3])) return; \
        const u32 *a = offered(w, i), *b = row_of(w, i->src[1]), *c = row_of(w, i->src[2]); \
        u32 out[LANES], in_range = 0, here = present(w); \
        u8 from[LANES]; \
        for (u32 l = 0; l < LANES; l++) { \
            struct from_lane s = shfl_source(mode, l, b[l], c[l]); \
            from[l] = s.lane & (LANES - 1); \
            out[l] = here >> from[l] & 1 ? a[from[l]] : 0; \
            in_range |= (u32)s.in_range << l; \
        } \
        if (unlikely(sure_lanes(w, i) != UINT32_MAX)) sources_check(w, i, from); \
        if (i->dst[0] != OPERAND_ABSENT) lanes_put32(w, i->dst[0], out); \
        lanes_put_pred(w, i->dst_pred, in_range); \
    }
SHFL(SHFL_UP)
SHFL(SHFL_DOWN)
SHFL(SHFL_BFLY)
SHFL(SHFL_IDX)

/* ---- vote ---- */

/* Returns the participating lanes in a lane's membermask. */
static u32 voters(struct warp *w, const struct ptx_inst *i, u32 lane)
{
    return present(w) & member_lanes(w, i->src[0], lane);
}

static bool vote_of(enum vote_mode mode, u32 members, u32 set)
{
    set &= members;
    switch (mode) {
    case VOTE_ALL: return set == members;
    case VOTE_ANY: return set != 0;
    default: return !set || set == members; /* uni */
    }
}

/* True if the membermask is a constant, equal in all lanes: one vote serves all 32. */
static bool one_vote(const struct ptx_inst *i)
{
    return i->src[0] == OPERAND_ABSENT || i->src[0] & OPERAND_CONST;
}

static void run_vote(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[0])) return;
    enum vote_mode mode = (enum vote_mode)i->form.sub;
    u32 set = offered_pred(w, i), bits = 0;
    if (one_vote(i)) {
        bits = vote_of(mode, voters(w, i, 0), set) ? UINT32_MAX : 0;
    } else {
        for (u32 left = w->executing; left; left &= left - 1) {
            u32 l = (u32)__builtin_ctz(left);
            bits |= (u32)vote_of(mode, voters(w, i, l), set) << l;
        }
    }
    lanes_put_pred(w, i->dst_pred, bits);
}

static void run_ballot(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[0])) return;
    u32 set = offered_pred(w, i), one = set & voters(w, i, 0), out[LANES];
    for (u32 l = 0; l < LANES; l++) out[l] = one_vote(i) ? one : set & voters(w, i, l);
    lanes_put32(w, i->dst[0], out);
}

static void run_activemask(struct warp *w, const struct ptx_inst *i)
{
    u32 out[LANES];
    for (u32 l = 0; l < LANES; l++) out[l] = w->executing;
    lanes_put32(w, i->dst[0], out);
}

/* ---- match ---- */

#define MATCH(T) \
    static u32 equal_##T(struct warp *w, const struct ptx_inst *i, u32 lane, u32 members) \
    { \
        const T *a = offered(w, i); \
        u32 equal = 0; \
        for (u32 l = 0; l < LANES; l++) equal |= (u32)(a[l] == a[lane]) << l; \
        return equal & members; \
    }
MATCH(u32)
MATCH(u64)

static void run_match(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[1])) return;
    u32 out[LANES] = {0}, all = 0;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u32 members = present(w) & member_lanes(w, i->src[1], l);
        u32 equal = i->form.type == T_B64 ? equal_u64(w, i, l, members)
                                          : equal_u32(w, i, l, members);
        bool same = equal == members;
        out[l] = i->form.sub == MATCH_ANY ? equal : same ? members : 0;
        all |= (u32)same << l;
    }
    if (i->dst[0] != OPERAND_ABSENT) lanes_put32(w, i->dst[0], out);
    if (i->form.sub == MATCH_ALL) lanes_put_pred(w, i->dst_pred, all);
}

/* ---- redux, elect ---- */

static u32 redux_step(const struct form *f, u32 a, u32 b)
{
    bool is_signed = f->type == T_S32, less = is_signed ? (s32)a < (s32)b : a < b;
    switch (f->sub) {
    case ATOM_ADD: return a + b;
    case ATOM_MIN: return less ? a : b;
    case ATOM_MAX: return less ? b : a;
    case ATOM_AND: return a & b;
    case ATOM_OR: return a | b;
    default: return a ^ b;
    }
}

/* Returns min or max in the order of floats, where -0 is less than +0. NaN is left out, or decides
 * with FLAG_NAN. */
static u32 redux_float(const struct form *f, u32 a, u32 b)
{
    bool a_nan = (a & INT32_MAX) > 0x7f800000, b_nan = (b & INT32_MAX) > 0x7f800000;
    s32 a_rank = (s32)(a ^ (u32)((s32)a >> 31) >> 1), b_rank = (s32)(b ^ (u32)((s32)b >> 31) >> 1);
    u32 r = (a_rank < b_rank) == (f->sub == ATOM_MIN) ? a : b;
    if (a_nan || b_nan) r = f->flags & FLAG_NAN || a_nan == b_nan ? F32_NAN : a_nan ? b : a;
    return r;
}

static void run_redux_float(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[1])) return;
    const u32 *a = offered(w, i);
    u32 out[LANES] = {0}, kept = i->form.flags & FLAG_ABS ? INT32_MAX : UINT32_MAX;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left), members = present(w) & member_lanes(w, i->src[1], l);
        u32 r = members ? a[__builtin_ctz(members)] & kept : 0;
        for (u32 others = members; others; others &= others - 1)
            r = redux_float(&i->form, r, a[__builtin_ctz(others)] & kept);
        out[l] = r;
    }
    lanes_put32(w, i->dst[0], out);
}

static void run_redux(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[1])) return;
    const u32 *a = offered(w, i);
    u32 out[LANES] = {0};
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u32 members = present(w) & member_lanes(w, i->src[1], l);
        u32 others = members & (members - 1), sum = members ? a[__builtin_ctz(members)] : 0;
        for (; others; others &= others - 1)
            sum = redux_step(&i->form, sum, a[__builtin_ctz(others)]);
        out[l] = sum;
    }
    lanes_put32(w, i->dst[0], out);
}

/* Model: the lowest member lane is elected; the manual leaves the choice open (guess). */
static void run_elect(struct warp *w, const struct ptx_inst *i)
{
    if (!meet(w, i, i->src[0])) return;
    u32 out[LANES] = {0}, leads = 0;
    for (u32 left = w->executing; left; left &= left - 1) {
        u32 l = (u32)__builtin_ctz(left);
        u32 members = present(w) & member_lanes(w, i->src[0], l);
        out[l] = members ? (u32)__builtin_ctz(members) : l;
        leads |= (u32)(out[l] == l) << l;
    }
    if (i->dst[0] != OPERAND_ABSENT) lanes_put32(w, i->dst[0], out);
    lanes_put_pred(w, i->dst_pred, leads);
}

#define ANY EXEC_ANY
#define ROW(op, sub, run) {OP_##op, ANY, ANY, ANY, ANY, sub, ANY, ANY, 0, 0, run},
const struct exec_row exec_shuffle_rows[] = {
    ROW(SHFL, SHFL_UP, run_SHFL_UP)
    ROW(SHFL, SHFL_DOWN, run_SHFL_DOWN)
    ROW(SHFL, SHFL_BFLY, run_SHFL_BFLY)
    ROW(SHFL, SHFL_IDX, run_SHFL_IDX)
    ROW(VOTE, VOTE_BALLOT, run_ballot)
    ROW(VOTE, ANY, run_vote)
    ROW(MATCH, ANY, run_match)
    {OP_REDUX, T_F32, ANY, ANY, ANY, ANY, ANY, ANY, 0, 0, run_redux_float},
    ROW(REDUX, ANY, run_redux)
    ROW(ACTIVEMASK, ANY, run_activemask)
    ROW(ELECT, ANY, run_elect)
};
const u32 exec_shuffle_row_n = COUNT_OF(exec_shuffle_rows);
