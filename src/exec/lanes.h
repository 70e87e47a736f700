/* The loop over 32 lanes, as macros: a family supplies the C type of the result and the computation
 * of one lane, and the compiler vectorises the loop. A full warp writes the destination register
 * directly. A partial warp writes to effect->partial, blended into the register under w->executing,
 * and the other lanes keep their value. Both run the same loop: hundreds of operations would
 * otherwise be compiled twice.
 *
 * 8- and 16-bit values are held in 32-bit lanes (HELD_*); readers cast to the narrow type. */
#ifndef CORUN_LANES_H
#define CORUN_LANES_H

#include <string.h>
#include "exec/exec.h"


#define HELD_u8 u32
#define HELD_u16 u32
#define HELD_u32 u32
#define HELD_u64 u64
#define HELD_s8 s32
#define HELD_s16 s32
#define HELD_s32 s32
#define HELD_s64 s64
#define HELD_float float
#define HELD_double double

/* Value of a lane after a write of the type: the upper bits are zero. */
#define PUT_u8(x) ((u32)(u8)(x))
#define PUT_u16(x) ((u32)(u16)(x))
#define PUT_u32(x) ((u32)(x))
#define PUT_u64(x) ((u64)(x))
#define PUT_s8(x) ((s32)(u8)(x))
#define PUT_s16(x) ((s32)(u16)(x))
#define PUT_s32(x) ((s32)(x))
#define PUT_s64(x) ((s64)(x))
#define PUT_float(x) ((float)(x))
#define PUT_double(x) ((double)(x))

/* The lanes are independent even if rows coincide. Some loops cannot be vectorised; the warning is
 * off. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define LANE_LOOP _Pragma("clang loop vectorize(assume_safety)") for (u32 l = 0; l < LANES; l++)
#else
#define LANE_LOOP _Pragma("GCC ivdep") for (u32 l = 0; l < LANES; l++)
#endif

#define ROW_IN(T, name, k) \
    const HELD_##T *name##_row = __builtin_assume_aligned(row_of(w, i->src[k]), 64)

/* Writes one result row. LANE: statements that declare r, the lane's result. The destination row is
 * either no source row, or the same row with lanes of the same size (isa.h): writing lane l can
 * only overwrite lane l of a source. */
#define LANES_WRITE(D, LANE) \
    do { \
        u32 mask = w->executing; \
        HELD_##D *out = lanes_begin(w, i->dst[0], mask); \
        LANE_LOOP { LANE; out[l] = PUT_##D(r); } \
        lanes_end(w, i->dst[0], mask, sizeof *out); \
    } while (0)

void lanes_blend32(u32 *to, const u32 *from, u32 mask);
void lanes_blend64(u64 *to, const u64 *from, u32 mask);

/* Returns the buffer for results of the lanes `mask`, aligned to 64 bytes; lanes_end completes the
 * write. bytes: size of a lane. */
INLINED void *lanes_begin(struct warp *w, u32 operand, u32 mask)
{
    return __builtin_assume_aligned(likely(mask == UINT32_MAX) ? row_of(w, operand)
                                                               : w->effect->partial, 64);
}
INLINED void lanes_end(struct warp *w, u32 operand, u32 mask, size_t bytes)
{
    if (likely(mask == UINT32_MAX)) return;
    const void *from = w->effect->partial;
    if (bytes == 4) lanes_blend32(row_of(w, operand), from, mask);
    else lanes_blend64(row_of(w, operand), from, mask);
}

static inline void lanes_put32(struct warp *w, u32 operand, const void *from)
{
    if (w->executing == UINT32_MAX) memcpy(row_of(w, operand), from, 4 * LANES);
    else lanes_blend32(row_of(w, operand), from, w->executing);
}

static inline void lanes_put64(struct warp *w, u32 operand, const void *from)
{
    if (w->executing == UINT32_MAX) memcpy(row_of(w, operand), from, 8 * LANES);
    else lanes_blend64(row_of(w, operand), from, w->executing);
}

static inline void lanes_put_pred(struct warp *w, u8 pred, u32 bits)
{
    if (pred != PRED_NONE) w->pred[pred] = (w->pred[pred] & ~w->executing) | (bits & w->executing);
}

/* Returns the source predicate of selp, setp and set; all lanes if no predicate is given. */
static inline u32 lanes_pred(const struct warp *w, const struct ptx_inst *i)
{
    u32 p = i->src_pred == PRED_NONE ? UINT32_MAX : w->pred[i->src_pred];
    return i->form.flags & FLAG_NEGATE_C ? ~p : p;
}

static inline float float_of(u32 bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline u32 bits_of(float f)
{
    u32 bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static inline double double_of(u64 bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline u64 bits_of_double(double f)
{
    u64 bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

#endif
