/* The instruction as timing sees it, and the program: everything that `chip/sm` and `gpu` read. A
 * front end fills the program and supplies program.step, which executes the instruction at a warp's
 * pc and reports to timing (exec/warp.h). PTX is the front end of this project: `ptx/lower` creates
 * the instructions, and the execution part of each is in ptx_inst.h, at the same pc. */
#ifndef CORUN_INST_H
#define CORUN_INST_H

#include "base/base.h"

enum space {
    SPACE_NONE /* generic */, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM,
    SPACE_TEXTURE, /* global memory read through a texture, at no address of the program */
    SPACE_CLUSTER, /* shared memory of other blocks of the cluster: only in reports to timing */
    SPACE_N
};
enum cache_op {
    CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT, CACHE_NC
};

/* Execution unit of an instruction; control instructions go to SP. */
enum unit { UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_TENSOR, UNIT_N };

/* Latency class: the machine options give every class a latency and an initiation interval. */
enum cost { COST_INT_ADD, COST_INT_MAX, COST_INT_MUL, COST_INT_MAD, COST_INT_DIV,
            COST_FP_ADD, COST_FP_MAX, COST_FP_MUL, COST_FP_MAD, COST_FP_DIV,
            COST_DP_ADD, COST_DP_MAX, COST_DP_MUL, COST_DP_MAD, COST_DP_DIV, COST_SFU,
            COST_SHUFFLE, COST_OTHER, COST_HALF_ADD, COST_HALF_MAX, COST_HALF_MUL, COST_HALF_MAD,
            COST_COUNT, COST_TENSOR, COST_N = COST_TENSOR + 3 * 10 };
/* Operand class of a tensor product. TENSOR_F16 and TENSOR_F32 both multiply f16 and name the type
 * of the accumulator. The cost of a product is COST_TENSOR + class if a tensor unit needs one step,
 * TENSOR_N more for two steps, 2 * TENSOR_N more for four. */
enum tensor { TENSOR_F16, TENSOR_F32, TENSOR_BF16, TENSOR_TF32, TENSOR_INT8, TENSOR_INT4,
              TENSOR_BIT, TENSOR_F64, TENSOR_F64_WIDE, TENSOR_FP8, TENSOR_N };
/* Size of tables indexed by cost, a power of two: issue reads them for every instruction. */
enum { COST_ROOM = 64 };
_Static_assert((int)COST_N <= (int)COST_ROOM, "all have a place");
_Static_assert(COST_N == COST_TENSOR + 3 * (int)TENSOR_N, "classes times work");

/* A register row is 32 lanes x 4 bytes (128 bytes). A 64-bit register occupies two consecutive
 * rows. */
enum { ROW_BYTES = LANES * 4 };

/* SCORE_FOLDED: entries of an instruction that executes several steps. */
enum { SCORE_MAX = 20, SCORE_STEP = 4, SCORE_FOLDED = 16 };
enum { SCORE_DST_MAX = 5 }; /* destinations among the entries: four registers and a predicate */
enum { /* bits of inst.kind */
    INST_COPY = 1,  /* reads global memory and, on arrival, writes shared memory: cp.async */
    INST_STOPS = 2, /* a warp may stop behind the instruction: barrier, fence, wait, atomic */
    /* The block cannot be restarted from its beginning after the instruction: builtin function,
     * store to a surface. */
    INST_FINAL = 4,
    INST_BULK = 8   /* with INST_COPY: cp.async.bulk */
};

struct inst {
    /* Entries of the scoreboard. A register entry is the row in the frame (offset / 128), for 64
     * bits the first row; a predicate entry is the program's row_n + predicate. Copies of score[0]
     * fill the array up to a multiple of SCORE_STEP. */
    _Alignas(64) u16 score[SCORE_MAX];
    /* Number in the register's name in the text (7 of %f7), for each entry; the numbers of
     * predicates count only with banks by name. */
    const u16 *numbers;
    u32 line;          /* line in the text */
    u8 score_n;        /* scoreboard entries to wait for: sources, then destinations */
    u8 score_dst;      /* index in `score` of the first destination */
    u8 score_row_n;    /* number of register sources: they come first, predicate sources follow */
    u8 unit, cost;     /* enum unit, enum cost */
    u8 space;          /* enum space, as written: SPACE_NONE for generic and other instructions */
    u8 kind;           /* INST_* */
    /* wgmma: steps of a tensor unit for the warp (isa/matrix.def), and bytes that the four warps
     * read from shared memory. */
    u16 group_steps, group_bytes;
};
_Static_assert(sizeof(struct inst) == 64, "one cache line");

struct param {       /* Parameter of a kernel; program.params lists them in order. */
    const char *name;
    u8 type;         /* enum type; T_B8 with count > 1: a struct by value */
    u32 count;       /* number of array elements, 1 for scalars */
    u32 offset, size_bytes, align;
};

enum { CODE_SPARE = 2 }; /* zeroed instructions behind the last, for prefetching ahead of the pc */

/* Source of the registers per thread: live-register analysis, machine code in the program's fat
 * binary, or the user. */
enum registers_source { REGISTERS_LIVE, REGISTERS_ESTIMATE, REGISTERS_CODE, REGISTERS_USER };

struct warp;
struct ptx_program;
/* One kernel with every function it can reach, in one flat code array. */
struct program {
    const char *name, *shown; /* as in the PTX; as in C++, for messages */
    /* Executes the instruction at the warp's pc with the contract of warp_step. The front end sets
     * the function; for PTX exec_bind does. */
    void (*step)(struct warp *w);
    struct ptx_program *ptx; /* execution part (ptx_inst.h); NULL: of another front end than PTX */
    /* Set in copies by exec_note: the original program, whose step the noting step calls; else
     * NULL. */
    const struct program *noted;
    struct inst *code;
    u32 code_n;
    u32 entry;               /* pc of the kernel's first instruction */
    /* Entries of a warp's scoreboard: rows and predicates of the deepest call chain. */
    u32 row_n, pred_n;
    u32 registers;           /* 32-bit registers per thread */
    enum registers_source registers_source; /* of `registers` */
    /* Registers live where a warp may wait (first use of loaded data, barriers, waits for copies or
     * mbarriers), at most `registers`. */
    u32 waiting_registers;
    u32 shared_bytes;        /* static .shared */
    /* per thread: frames of the deepest call chain, and the alloca stack */
    u32 local_bytes;
    /* Part of local_bytes needed by call chains up to 32 deep; the timing model keeps the memory of
     * all warps for this part close together. */
    u32 near_local_bytes;
    u32 param_bytes;
    const struct param *params;
    u32 param_n;
    bool copies;             /* the code contains cp.async */
    bool groups;             /* the code contains wgmma */
    bool heap;               /* the code calls malloc or free */
    u32 max_block_threads;   /* .maxntid product; 0: not given */
    u32 required_block[3];   /* .reqntid; 0: not given */
    u32 required_cluster[3]; /* .reqnctapercluster; 0: not given */
    u32 max_cluster;         /* .maxclusterrank; 0: not given */
    bool needs_cluster;      /* .explicitcluster: the kernel or the launch gives the shape */
    bool blocks_are_clusters; /* .blocksareclusters: a grid counts clusters */
    u32 tensor;              /* classes of tensor product in the code, a bit per enum tensor */
    const struct source *source; /* PTX text, for messages */
};

#endif
