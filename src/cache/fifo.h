/* A bounded first-in first-out queue of small numbers, mostly request ids, between two parts of the
 * machine. Storage comes from an arena at fifo_init; nothing is allocated later. */
#ifndef CORUN_FIFO_H
#define CORUN_FIFO_H

#include "base/arena.h"

struct fifo {
    u32 *slots;
    u32 head, n, room, mask; /* room: capacity as configured; mask + 1: slots, a power of two */
};

static inline void fifo_init(struct fifo *f, struct arena *arena, u32 room)
{
    u32 slots = 1;
    while (slots < room) slots *= 2;
    *f = (struct fifo){.slots = arena_array(arena, u32, slots), .room = room, .mask = slots - 1};
}

static inline bool fifo_full(const struct fifo *f) { return f->n >= f->room; }
static inline u32 fifo_free(const struct fifo *f) { return f->room - f->n; }
static inline u32 fifo_front(const struct fifo *f) /* n > 0 */
{
    hard_check(f->n > 0);
    return f->slots[f->head];
}

static inline u32 fifo_last(const struct fifo *f) /* n > 0 */
{
    return f->slots[(f->head + f->n - 1) & f->mask];
}

static inline u32 fifo_at(const struct fifo *f, u32 i) /* entry behind i others; i < n */
{
    return f->slots[(f->head + i) & f->mask];
}

static inline void fifo_push(struct fifo *f, u32 value) /* not full */
{
    hard_check(!fifo_full(f));
    f->slots[(f->head + f->n++) & f->mask] = value;
}

static inline u32 fifo_pop(struct fifo *f) /* n > 0 */
{
    u32 value = fifo_front(f);
    f->head = (f->head + 1) & f->mask;
    f->n--;
    return value;
}

/* Removes a value, which must be in the queue, from any position. */
static inline void fifo_take(struct fifo *f, u32 value)
{
    u32 i = 0;
    while (fifo_at(f, i) != value) i++;
    for (; i; i--) f->slots[(f->head + i) & f->mask] = fifo_at(f, i - 1);
    fifo_pop(f);
}

#endif
