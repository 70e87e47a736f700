/* Agendas, which record when each port needs to be looked at next, and sets of ports. A port is the
 * number of one among several identical components: SMs, slices, channels, inputs or outputs of a
 * crossbar. gpu keeps an agenda per kind of component and each crossbar keeps an agenda for its
 * outputs; a step therefore touches only due ports. due.h finds the due ports. */
#ifndef CORUN_AGENDA_H
#define CORUN_AGENDA_H

#include "base/base.h"

enum { PORTS_MAX = 256, PORT_WORDS = PORTS_MAX / 64 };

enum { AGENDA_ROWS = 3 };
/* An agenda stores cycles as distances from a base, to fit 16 bits. The distances are signed
 * because vector units compare signed numbers. The owner moves the base forward (agenda_rebase) at
 * least every AGENDA_SPAN cycles. A cycle beyond AGENDA_FAR is stored as AGENDA_FAR; the port is
 * then looked at too early, with no effect on results. */
enum { AGENDA_SPAN = 1 << 14, AGENDA_FAR = INT16_MAX - 1, AGENDA_NEVER };

struct agenda {
    _Alignas(64) u64 base; /* SM, crossbar, L2 or DRAM cycle */
    u32 n; /* number of ports, rounded up to 16; ports beyond the real number stay AGENDA_NEVER */
    /* next cycle at which each port is looked at, minus base: a row per reason for looking */
    _Alignas(32) s16 at[AGENDA_ROWS][PORTS_MAX];
};

static inline void agenda_init(struct agenda *a, u32 ports)
{
    a->n = (u32)round_up(ports, 16);
    a->base = 0;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < PORTS_MAX; k++) a->at[r][k] = AGENDA_NEVER;
}

static inline s16 agenda_at(const struct agenda *a, u64 cycle) /* `cycle` >= base */
{
    u64 at = cycle - a->base;
    hard_check(cycle >= a->base);
    if (unlikely(at > AGENDA_FAR)) at = cycle == NEVER ? AGENDA_NEVER : AGENDA_FAR;
    return (s16)at;
}

static inline void agenda_set(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    a->at[row][port] = agenda_at(a, cycle);
}

static inline u64 agenda_get(const struct agenda *a, u32 row, u32 port)
{
    s16 at = a->at[row][port];
    return at == AGENDA_NEVER ? NEVER : a->base + (u64)at;
}

/* Sets the cycle of the port to `cycle` if `cycle` is earlier. */
static inline void agenda_lower(struct agenda *a, u32 row, u32 port, u64 cycle)
{
    s16 at = agenda_at(a, max_u64(cycle, a->base));
    if (at < a->at[row][port]) a->at[row][port] = at;
}

/* Moves the base to `now`. A due port stays due. */
static inline void agenda_rebase(struct agenda *a, u64 now)
{
    u64 moved = now - a->base;
    a->base = now;
    for (u32 r = 0; r < AGENDA_ROWS; r++)
        for (u32 k = 0; k < a->n; k++) {
            s16 *at = &a->at[r][k];
            if (*at != AGENDA_NEVER) *at = (u64)*at > moved ? (s16)((u64)*at - moved) : 0;
        }
}

/* ---- sets of ports ---- */

/* Bit set with one bit per port. Functions with a parameter `words` process the first `words` words
 * of a set; a caller with at most 64 ports passes the constant 1. */
struct ports {
    u64 word[PORT_WORDS];
};

INLINED struct ports ports_and(u32 words, const struct ports *a, const struct ports *b)
{
    struct ports both = {0};
    for (u32 w = 0; w < words; w++) both.word[w] = a->word[w] & b->word[w];
    return both;
}

INLINED struct ports ports_or(u32 words, const struct ports *a, const struct ports *b)
{
    struct ports any = {0};
    for (u32 w = 0; w < words; w++) any.word[w] = a->word[w] | b->word[w];
    return any;
}

INLINED bool ports_any(u32 words, const struct ports *p)
{
    u64 any = 0;
    for (u32 w = 0; w < words; w++) any |= p->word[w];
    return any;
}

INLINED u32 port_word(u32 words, u32 k) { return words > 1 ? k / 64 : 0; }
INLINED bool port_has(u32 words, const struct ports *p, u32 k)
{
    return p->word[port_word(words, k)] >> k % 64 & 1;
}
INLINED void port_add(u32 words, struct ports *p, u32 k)
{
    p->word[port_word(words, k)] |= UINT64_C(1) << k % 64;
}
INLINED void port_remove(u32 words, struct ports *p, u32 k)
{
    p->word[port_word(words, k)] &= ~(UINT64_C(1) << k % 64);
}

INLINED u32 port_first(u32 words, const struct ports *p) /* set must not be empty */
{
    u32 w = 0;
    while (w + 1 < words && !p->word[w]) w++;
    return w * 64 + (u32)__builtin_ctzll(p->word[w]);
}

INLINED struct ports ports_from(u32 words, struct ports p, u32 from) /* ports >= `from` */
{
    for (u32 w = 0; w < words; w++) {
        u64 all = from <= w * 64 ? UINT64_MAX : from >= (w + 1) * 64 ? 0 : UINT64_MAX << from % 64;
        p.word[w] &= all;
    }
    return p;
}

/* Iterates over the ports of a set in ascending order. */
#define EACH_PORT(words, k, set) \
    for (u32 w_ = 0, k; w_ < (words); w_++) \
        for (u64 rest_ = (set).word[w_]; \
             rest_ && (k = w_ * 64 + (u32)__builtin_ctzll(rest_), true); rest_ &= rest_ - 1)

#endif
