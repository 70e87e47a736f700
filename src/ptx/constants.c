/* The constants of a program. Each distinct value is stored once, replicated over a row (or two),
 * which lets an instruction read a constant like a register. `lower` adds constants while writing
 * instructions. */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_LIMIT (1u << 30)

static u32 slot_of(const struct constants *c, u64 bits, u32 bytes)
{
    u64 h = (bits ^ (u64)bytes << 56) * 0x9e3779b97f4a7c15ull;
    u32 at = (u32)(h >> 40) & (c->slot_n - 1);
    while (c->slots[at].bytes && (c->slots[at].bits != bits || c->slots[at].bytes != bytes))
        at = (at + 1) & (c->slot_n - 1);
    return at;
}

static void slots_grow(struct constants *c)
{
    struct constants old = *c;
    c->slot_n = old.slot_n ? old.slot_n * 2 : 64;
    c->slots = base_alloc(sizeof *c->slots * c->slot_n);
    for (u32 i = 0; i < old.slot_n; i++) {
        if (old.slots[i].bytes)
            c->slots[slot_of(c, old.slots[i].bits, old.slots[i].bytes)] = old.slots[i];
    }
    free(old.slots);
}

u32 constants_add(struct constants *c, u64 bits, u32 bytes)
{
    if (c->used * 2 >= c->slot_n) slots_grow(c);
    struct constant_slot *s = &c->slots[slot_of(c, bits, bytes)];
    if (s->bytes) return OPERAND_CONST | s->offset;
    u32 row = bytes * LANES, offset = (u32)round_up(c->byte_n, row);
    if (offset > BYTES_LIMIT) {
        c->full = true;
        return OPERAND_CONST;
    }
    *s = (struct constant_slot){.bits = bits, .bytes = bytes, .offset = offset};
    c->used++;
    c->byte_n = offset + row;
    return OPERAND_CONST | offset;
}

/* Returns the contents of all rows. */
u8 *constants_rows(const struct constants *c, struct arena *arena)
{
    u8 *rows = arena_alloc(arena, max_u32(c->byte_n, ROW_BYTES), 64);
    for (u32 i = 0; i < c->slot_n; i++) {
        const struct constant_slot *s = &c->slots[i];
        for (u32 lane = 0; s->bytes && lane < LANES; lane++) {
            u32 word = (u32)s->bits;
            if (s->bytes == 8) memcpy(rows + s->offset + lane * 8, &s->bits, 8);
            else memcpy(rows + s->offset + lane * 4, &word, 4);
        }
    }
    return rows;
}
