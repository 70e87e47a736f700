/* The requests that a channel's scheduler chooses from, of each bank by age. */
#ifndef CORUN_DRAM_QUEUE_H
#define CORUN_DRAM_QUEUE_H

#include "chip/dram/rules.h"
#include "mem/fifo.h"

typedef u32 u32x8 __attribute__((vector_size(32)));

struct dram_request {        /* that waits; what the channel needs of it is copied here */
    u32 req, row;
    union {
        u32 ready;           /* in the fixed delay: the cycle when it is over, low half */
        struct {
            u16 older, younger; /* in the queue: its neighbours in its bank's list */
        };
    };
    u16 rule;                /* its first command if another row is open: index of a command_rule */
    u8 bank, app;
};

enum { ROWS_EACH = sizeof(u32x8) / sizeof(u32) };
#define ROW_NONE UINT32_MAX  /* most likely no row's key */

struct dram_queue {
    /* Slot b < DRAM_BANKS_MAX is both ends of bank b's list, a ring: `younger` than it is the
     * oldest request, `older` the youngest; itself: there is none. Requests are in the others. */
    struct dram_request *slots;
    u32x8 *rows;             /* a row_key for each of these, ROW_NONE: no request there */
    u32 row_vectors;
    u32 n, room;             /* requests */
    u16 spare;               /* the slots without one, linked by `younger` */
    u32 row[DRAM_BANKS_MAX]; /* of each bank: open, or the one that was open last */
    struct fifo order;       /* all slots by age; of a scheduler that serves in order only */
};

#define EACH_WAITING(q, bank, slot) /* the slots of a bank's requests, the oldest first */ \
    for (u16 slot = (q)->slots[bank].younger; slot != (bank); slot = (q)->slots[slot].younger)

static inline void queue_init(struct dram_queue *q, struct arena *arena, u32 room)
{
    u32 slots = DRAM_BANKS_MAX + room;
    *q = (struct dram_queue){.slots = arena_array(arena, struct dram_request, slots),
        .row_vectors = (u32)div_up(room, ROWS_EACH), .room = room};
    q->rows = arena_array(arena, u32x8, q->row_vectors);
    for (u32 v = 0; v < q->row_vectors; v++) q->rows[v] = (u32x8){0} + ROW_NONE;
    fifo_init(&q->order, arena, room);
    for (u16 b = 0; b < DRAM_BANKS_MAX; b++) q->slots[b].older = q->slots[b].younger = b;
    for (u32 s = slots; s-- > DRAM_BANKS_MAX; q->spare = (u16)s) q->slots[s].younger = q->spare;
}

static inline bool queue_full(const struct dram_queue *q) { return q->n == q->room; }
static inline u16 queue_oldest(const struct dram_queue *q, u32 bank) /* one waits */
{
    return q->slots[bank].younger;
}
static inline bool queue_waits(const struct dram_queue *q, u32 bank)
{
    return q->slots[bank].younger != bank;
}

/* Bank and row as a number; rows that differ in their highest bits only may share it. */
static inline u32 row_key(u32 bank, u32 row) { return (row << 5 | row >> 27) ^ bank; }

static inline u16 queue_push(struct dram_queue *q, const struct dram_request *from) /* not full */
{
    u16 slot = q->spare, bank = from->bank;
    struct dram_request *r = &q->slots[slot], *end = &q->slots[bank];
    q->spare = r->younger;
    *r = *from;
    ((u32 *)q->rows)[slot - DRAM_BANKS_MAX] = row_key(bank, r->row);
    r->older = end->older;
    r->younger = bank;
    q->slots[end->older].younger = slot;
    end->older = slot;
    q->n++;
    return slot;
}

static inline void queue_take(struct dram_queue *q, u16 slot) /* what it holds can still be read */
{
    struct dram_request *r = &q->slots[slot];
    q->slots[r->older].younger = r->younger;
    q->slots[r->younger].older = r->older;
    ((u32 *)q->rows)[slot - DRAM_BANKS_MAX] = ROW_NONE;
    r->younger = q->spare;
    q->spare = slot;
    q->n--;
}

/* Does a request wait for the row that a bank has open? Mostly none does, and to see it all are
 * compared at once; true may be an error (see row_key), false is none. */
static inline bool queue_may_hit(const struct dram_queue *q, u32 bank)
{
    s64x4 found = {0};
    for (u32 v = 0; v < q->row_vectors; v++)
        found |= (s64x4)(q->rows[v] == row_key(bank, q->row[bank]));
    return found[0] | found[1] | found[2] | found[3];
}

#endif
