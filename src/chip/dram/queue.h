/* The scheduler's queue of a channel: for each bank a list of waiting requests, ordered by age. */
#ifndef CORUN_DRAM_QUEUE_H
#define CORUN_DRAM_QUEUE_H

#include "base/vector.h"
#include "cache/fifo.h"
#include "chip/dram/rules.h"

struct dram_request {        /* a waiting request; has copies of all that the channel needs */
    u32 req, row;
    union {
        u32 ready;           /* in the fixed delay: the cycle in which the delay ends, low half */
        struct {
            u16 older, younger; /* in the queue: neighbours in the bank's list */
        };
    };
    u16 rule;                /* first command if another row is open: index of a command_rule */
    u8 bank : 5, app : 3;    /* packed: a request is 16 bytes */
    u8 owner;
};

enum { ROWS_EACH = sizeof(u32x8) / sizeof(u32) };
#define ROW_NONE UINT32_MAX  /* key of a free slot; hardly ever the key of a row */

struct dram_queue {
    /* Slots below DRAM_BANKS_MAX are the ends of the banks' lists, each a ring: `younger` of slot b
     * is the oldest request of bank b, `older` the youngest; both are slot b itself in an empty
     * list. The other slots hold requests. */
    struct dram_request *slots;
    u32x8 *rows;             /* row_key of each slot for requests; ROW_NONE: the slot is free */
    u32 row_vectors;
    u32 n, room;             /* requests: number, capacity */
    u16 spare;               /* first free slot; free slots are linked by `younger` */
    u32 row[DRAM_BANKS_MAX]; /* of each bank: the open row, or the row last open */
    struct fifo order;       /* all slots by age; only for a scheduler that serves in order */
};

#define EACH_WAITING(q, bank, slot) /* visits the slots of a bank's requests, oldest first */ \
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
static inline u16 queue_oldest(const struct dram_queue *q, u32 bank) /* not empty */
{
    return q->slots[bank].younger;
}
static inline bool queue_waits(const struct dram_queue *q, u32 bank)
{
    return q->slots[bank].younger != bank;
}

/* Returns a key for bank and row. Rows of two banks share a key only if the rows agree in all but
 * their five highest bits; rows of the same bank never share a key. */
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

/* Removes a request from the queue; the contents of the slot can be read until the next push. */
static inline void queue_take(struct dram_queue *q, u16 slot)
{
    struct dram_request *r = &q->slots[slot];
    q->slots[r->older].younger = r->younger;
    q->slots[r->younger].older = r->older;
    ((u32 *)q->rows)[slot - DRAM_BANKS_MAX] = ROW_NONE;
    r->younger = q->spare;
    q->spare = slot;
    q->n--;
}

/* Returns false only if no request waits for the row that the bank has open; true may be wrong (see
 * row_key). Most of the time no request does, and a comparison of all slots at once shows it. */
static inline bool queue_may_hit(const struct dram_queue *q, u32 bank)
{
    s64x4 found = {0};
    for (u32 v = 0; v < q->row_vectors; v++)
        found |= (s64x4)(q->rows[v] == row_key(bank, q->row[bank]));
    return found[0] | found[1] | found[2] | found[3];
}

#endif
