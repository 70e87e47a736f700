/* Asynchronous copies from global to shared memory (cp.async), and the waits for their completion.
 * A copy reads its bytes at issue; when timing reports the copy's arrival (copies_land), the bytes
 * are written to shared memory. Independent of simulated time. */
#ifndef CORUN_COPY_H
#define CORUN_COPY_H

#include "exec/warp.h"

enum { COPY_BYTES_MAX = 16 };

/* The copies of one instruction, or its arrivals at mbarriers. An arrival of a lane takes place
 * when all earlier copies of the lane have landed. */
struct async_copy {
    const struct ptx_inst *inst;
    u16 number;        /* identifies a copy to timing */
    bool arrives;      /* true: arrivals, not copies */
    bool is_bulk;      /* part of a bulk copy, which completes its bytes at the mbarrier `object` */
    /* An operation on shared memory of the cluster, see remote.c: `to` has addresses as in
     * cluster.h, `bytes` the operands, `objects` the mbarriers. */
    bool is_remote;
    u8 size_bytes;     /* size of a lane's copy */
    u32 lanes;         /* lanes not landed yet */
    u32 group[LANES];  /* number of groups each lane had committed before */
    u32 to[LANES];     /* offset in the block's shared memory of the bytes, or of the mbarrier */
    u32 objects[LANES];
    u32 object, object_lane; /* offset in shared memory, and the lane that copies */
    /* Bulk copies: blocks of the cluster that get the bytes, a bit per rank. 0: the owner of the
     * addresses. */
    u16 ranks;
    u8 bytes[LANES][COPY_BYTES_MAX];
};
struct bulk_progress { /* of a bulk copy of a warp: lanes left, bytes copied of the first */
    u32 lanes, at;
};

struct copies {        /* copies of one warp */
    struct async_copy *at; /* in issue order */
    u32 n, room;
    u32 committed[LANES]; /* number of groups committed by each lane */
    /* Lanes waiting until at most `but` of their committed groups are under way; but = -1: until no
     * copy is under way. */
    u32 waiting;
    s32 but;           /* maximum number of groups under way */
    u16 next;          /* next copy's number */
    struct bulk_progress bulk;
};

/* Allocates the copies of all warps of a block; the lists grow on demand. */
struct copies *copies_new(void);
void copies_reset(struct copies *of_block);
void copies_free(struct copies *of_block);

/* Lands copy `number`: writes the bytes to shared memory and performs the arrivals at mbarriers
 * deferred until the copy has landed. */
void copies_land(struct warp *w, u16 number);
/* Lands all copies of the warp, or all bulk copies. */
void copies_land_all(struct warp *w);
void copies_land_bulk(struct warp *w);
/* True if the wait of the warp (EFFECT_COPIES) is over. */
bool copies_over(const struct warp *w);

/* Return the copies of a warp; append a copy by the executing lanes. */
static inline struct copies *copies_of(const struct warp *w)
{
    return &w->block->copies[w->warp_id];
}
struct async_copy *copy_new(struct warp *w, const struct ptx_inst *i);
/* Reports a fault of a lane's copy. Returns false. */
bool copy_fault(struct warp *w, const struct ptx_inst *i, u32 lane, const char *what, u64 address,
                u32 size_bytes, u32 space);

/* Combines elements from shared memory, one after another in `bytes`, with global memory, by the
 * operation in form.sub; `to` has an address for each lane of `lanes`, from lane 0 on. */
void copy_reduce(struct warp *w, const struct ptx_inst *i, u8 type, u32 lanes, u8 *const to[LANES],
                 const u8 *bytes, u32 element_bytes);

/* ---- mbarrier.c ---- */

/* mbarrier_arrive_for arrives once at the mbarrier at `offset` in shared memory, for a lane of w.
 * mbarrier_expect_one makes the current phase wait for one more arrival. False: fault. */
bool mbarrier_arrive_for(struct warp *w, const struct ptx_inst *i, u32 lane, u32 offset);
bool mbarrier_expect_one(struct warp *w, const struct ptx_inst *i, u32 lane, u32 offset);
/* mbarrier_complete_for completes bytes of a copy of a lane. mbarrier_is_at checks that an address
 * can have an mbarrier. mbarrier_operate performs the lane's operation of instruction i. The
 * addresses are as in cluster.h. False: fault. */
bool mbarrier_complete_for(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address,
                           u32 bytes);
bool mbarrier_is_at(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address);
bool mbarrier_operate(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address, u32 operand);
/* Retries the try_wait of a suspended warp (EFFECT_PHASE), after a phase of some mbarrier of the
 * block has completed. True if the phases of all lanes are complete; the result predicates are then
 * true. */
bool mbarrier_try_again(struct warp *w);

/* ---- remote.c ---- */

/* shared_fits returns true if the block has so many bytes of shared memory from the offset on;
 * remote_fits the same for an address as in cluster.h; also true if the owner has ended. */
static inline bool shared_fits(const struct block_state *b, u64 offset, u32 bytes)
{
    return offset <= b->shared_bytes && bytes <= b->shared_bytes - offset;
}
bool remote_fits(struct block_state *b, u32 address, u32 bytes);
/* Returns `bytes` bytes at an address as in cluster.h, for a lane; NULL: fault. */
u8 *remote_bytes(struct warp *w, const struct ptx_inst *i, u32 lane, u32 address, u32 bytes);
/* Reports an operation that lands: on `size_bytes` at c->to per executing lane. */
void remote_lands(struct warp *w, const struct async_copy *c, u32 size_bytes);
/* Returns the lane's mask of the blocks that get a copy, a bit per rank. */
u16 ranks_of(const struct warp *w, u32 operand, u32 lane);
/* Performs the operation of a remote copy that has landed. */
void remote_land(struct warp *w, const struct async_copy *c);

#endif
