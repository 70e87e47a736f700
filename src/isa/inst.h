/* What an instruction is. `ptx/lower` makes them, `exec` gives each its `run` function, `chip/sm`
 * issues them. Everything is resolved once: at run time an instruction holds byte offsets of
 * register rows, no names.
 *
 * A register row is 32 lanes x 4 bytes (128 bytes); a 64-bit register is two rows in sequence
 * holding 32 u64. 8- and 16-bit values live in a 4-byte row: readers take the low bits, writers
 * zero the rest. A predicate is one u32 per warp, bit = lane. */
#ifndef CORUN_INST_H
#define CORUN_INST_H

#include "base/base.h"

enum type { /* PTX fundamental types */
    T_NONE, T_PRED, T_B8, T_B16, T_B32, T_B64, T_U8, T_U16, T_U32, T_U64,
    T_S8, T_S16, T_S32, T_S64, T_F16, T_F16X2, T_F32, T_F64, T_BF16, T_BF16X2, T_B128,
    T_TF32, T_S4, T_U4, T_B1, TYPE_N
};
u32 type_bytes(enum type t); /* of one element; T_PRED and those of less than a byte: 0 */
const char *type_name(enum type t); /* "u32" */

enum op {
    OP_NONE,
#define OP(id, ...) OP_##id,
#include "isa/op.def"
#undef OP
    OP_N
};

enum round {
    ROUND_NONE, ROUND_RN, ROUND_RZ, ROUND_RM, ROUND_RP, ROUND_RNA,
    ROUND_RNI, ROUND_RZI, ROUND_RMI, ROUND_RPI
};
enum compare {
    CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
    CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN
};
enum space {
    SPACE_NONE /* generic */, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_CONST, SPACE_PARAM,
    SPACE_TEXTURE, /* global memory seen through a texture: of no address of the program's */
    SPACE_N
};
enum geometry { /* of a texture or surface */
    GEOMETRY_NONE, GEOMETRY_1D, GEOMETRY_2D, GEOMETRY_3D, GEOMETRY_A1D, GEOMETRY_A2D,
    GEOMETRY_CUBE, GEOMETRY_ACUBE, GEOMETRY_N
};
enum cache_op {
    CACHE_NONE, CACHE_CA, CACHE_CG, CACHE_CS, CACHE_LU, CACHE_CV, CACHE_WB, CACHE_WT, CACHE_NC
};

/* An opcode with its modifiers, as written: with the operands, all there is to know of the
 * meaning. */
struct form {
    u16 op;      /* enum op */
    u8 type;     /* enum type: of the operation; cvt, set: the destination's */
    u8 type2;    /* cvt, set, setp.. : the source's type; else T_NONE */
    u8 round;    /* enum round */
    u8 compare;  /* enum compare: set, setp */
    /* an op's own variant: atom/red operation, shfl/vote/match mode, bar kind, testp kind, boolean
     * operator of set/setp, mul/mad half (lo hi wide), cvta direction, matrices; enums in isa.h,
     * isa/matrix.h */
    u8 sub;
    u8 space;    /* enum space */
    u8 cache;    /* enum cache_op */
    u8 vector;   /* elements of a vector ld/st/mov, matrices of ldmatrix: 1 2 4 */
    u8 geometry; /* enum geometry: tex, tld4, suld, sust, sured */
    u16 flags;   /* FLAG_* */
};
enum {
    FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_APPROX = 4, FLAG_FULL = 8, FLAG_CC = 16 /* writes carry */,
    FLAG_UNI = 32, FLAG_VOLATILE = 64, FLAG_SATFINITE = 128, FLAG_WRAP = 256, FLAG_CLAMP = 512,
    FLAG_NAN = 1024, FLAG_NOFTZ = 2048, FLAG_NEGATE_C = 4096 /* setp/set/selp: operand c is !p */,
    FLAG_TO = 8192 /* cvta.to */, FLAG_ABS = 16384,
    FLAG_ZERO = 32768 /* surfaces: outside is nothing; FLAG_CLAMP: the edge; neither: a trap */
};

/* where it is dispatched; control goes to SP */
enum unit { UNIT_SP, UNIT_SFU, UNIT_MEM, UNIT_TENSOR, UNIT_N };

/* Latency class: the machine gives each a latency and an initiation interval. */
enum cost { COST_INT_ADD, COST_INT_MAX, COST_INT_MUL, COST_INT_MAD, COST_INT_DIV,
            COST_FP_ADD, COST_FP_MAX, COST_FP_MUL, COST_FP_MAD, COST_FP_DIV,
            COST_DP_ADD, COST_DP_MAX, COST_DP_MUL, COST_DP_MAD, COST_DP_DIV, COST_SFU,
            COST_SHUFFLE, COST_OTHER, COST_TENSOR, COST_N = COST_TENSOR + 3 * 8 };
/* What tensor units multiply; of f16, F16 and F32 are what they add up in. A product of one step of
 * a unit costs COST_TENSOR + its class, one of two steps TENSOR_N more, of four twice that. */
enum tensor { TENSOR_F16, TENSOR_F32, TENSOR_BF16, TENSOR_TF32, TENSOR_INT8, TENSOR_INT4,
              TENSOR_BIT, TENSOR_F64, TENSOR_N };
enum { COST_ROOM = 64 }; /* of tables by cost that are looked at for every instruction */
_Static_assert((int)COST_N <= (int)COST_ROOM, "all have a place");
_Static_assert(COST_N == COST_TENSOR + 3 * (int)TENSOR_N, "classes times work");

/* An operand is where a row starts: bit 31 clear, byte offset into the warp's registers of the
 * current frame; set, byte offset into the kernel's constants (each immediate is a splatted row, or
 * two). Never a branch to read. */
#define OPERAND_CONST 0x80000000u
#define OPERAND_ABSENT 0x7fffffffu /* no such operand, or the sink `_` */
enum { ROW_BYTES = LANES * 4 };
enum { PRED_NONE = 0xff }; /* no guard, no predicate operand */
enum { PC_NONE = UINT32_MAX };

enum { DST_MAX = 4, SRC_MAX = 5, MATRIX_SRC_MAX = 10, TEXTURE_SRC_MAX = 11 };
enum { AHEAD_MAX = 3, SCORE_MAX = 16, SCORE_STEP = 4 };

struct warp;
struct inst {
    /* its effect on the lanes that execute; see exec/warp.h */
    void (*run)(struct warp *w, const struct inst *i);
    /* operands in PTX order; memory: src[0] is the address; textures and surfaces, which have more
     * of them (aux): src[0] is the handle, src[1] that of a sampler of its own, then coordinates,
     * then what follows */
    u32 dst[DST_MAX], src[SRC_MAX];
    u32 ahead[AHEAD_MAX]; /* rows to prefetch, of the first sources; 0: none. See exec.c */
    /* byte offset added to an address; the address when src[0] is absent, in local memory then
     * relative to the frame */
    s64 imm;
    struct form form;
    /* bra, call: pc. call to a name: entry of the callee. brx/call.indirect: see table */
    u32 target;
    u32 reconverge;    /* bra: pc of the immediate post-dominator, PC_NONE: at the exit */
    u8 guard;          /* predicate index, PRED_NONE: always */
    bool guard_negated;
    u8 dst_pred, dst_pred2; /* setp p|q, shfl d|p, vote: predicate indices or PRED_NONE */
    /* selp, setp/set operand c, vote source, bar.red source; FLAG_NEGATE_C negates */
    u8 src_pred;
    u8 unit, cost;     /* enum unit, enum cost */
    /* ld, st, atom, red, cvta, isspacep: of the register that holds the address, 4 or 8; 0: none.
     * ld, st: of the registers loaded or stored, 2 4 8, which may be wider than form.type */
    u8 address_bytes, register_bytes;
    u8 score_n;        /* scoreboard entries it must wait for: sources, then destinations */
    u8 score_dst;      /* index of the first destination in score */
    u8 score_row_n;    /* of the sources: registers, which come first; predicates follow */
    /* row of the frame (offset / 128), or the program's row_n + predicate. 64-bit: first row only.
     * Filled up to a multiple of SCORE_STEP with entries that are in it anyway. */
    u16 score[SCORE_MAX];
    u16 numbers[SCORE_MAX]; /* of those of `score` that are rows: the number in the PTX name */
    u32 line;          /* in the PTX text */
    /* mma, wmma.load, wmma.store, textures, surfaces: where theirs begin in program.operands.
     * call: index of struct call_site; brx: index of table (src[0]: the index into it).
     * call, OP_BUILTIN: imm is the offset in the caller's frame of local memory at which the
     * callee's begins: its result, then its parameters, naturally aligned */
    u32 aux;
};

struct param {       /* of a kernel, by name, in order */
    const char *name;
    u8 type;         /* enum type; T_B8 with count > 1: a struct by value */
    u32 count;       /* array elements, 1 for scalars */
    u32 offset, size_bytes, align;
};

/* A variable of the module that a kernel, or what it calls, reads or may write. */
struct use {
    u32 variable; /* ptx_variable */
    bool reads, writes;
};

/* where a call's arguments and results lie in the frames of caller and callee */
struct call_site {
    /* pc of the callee, PC_NONE: indirect through src[0] (an index into program.functions) */
    u32 target;
    /* rows to add to the register base: the callee's frame starts after the caller's */
    u32 frame_rows;
    u32 frame_preds;
    u32 frame_local_bytes; /* added to the local-memory frame base; see below */
};

/* A device function of the module. Its index is its address: 0 is the null pointer, and what this
 * kernel cannot reach has pc PC_NONE. */
struct function {
    const char *name;
    const struct source *source; /* where it is written */
    u32 pc, row_n, pred_n, frame_local_bytes;
};

/* Model: alloca has the 1 KB that cudaLimitStackSize is before a program sets it (CUDA C++
 * Programming Guide), frames not counted (guess); in front of it lies how much is taken. */
enum { STACK_HEAD = 16, STACK_BYTES = 1024 };
enum { RESERVED_BYTES = 1024 }; /* the system's part of shared memory, where a kernel reads it */
enum { CODE_SPARE = 2 }; /* instructions behind the last that are none, for who looks ahead */

/* One kernel with every function it can reach, in one flat code array.
 * Call arguments and results (.param in device functions) live in local memory of the lane: the
 * caller writes them at its own frame, at offsets beyond its own .local variables; the callee's
 * frame base is the caller's base + frame_local_bytes, so a callee reads its parameters at negative
 * or zero offsets fixed by lowering. */
struct program {
    const char *name;
    /* Runs one instruction of a warp: the front end that the program was made for; exec_bind sets
     * that of PTX. Its contract is that of warp_step. */
    void (*step)(struct warp *w, const struct inst *i);
    const struct program *noted; /* its step notes of this one's: see exec_note; or NULL */
    struct inst *code;
    u32 code_n;
    u32 entry;               /* pc of the kernel's first instruction */
    u8 *constants;           /* splatted rows; 64-byte aligned */
    u32 constant_bytes;
    /* what a warp needs: rows and predicates of the deepest call chain, and how many calls that
     * has (recursion: a limit) */
    u32 row_n, pred_n, call_depth;
    u32 entry_row_n, entry_pred_n; /* of the kernel's own frame */
    u32 registers;           /* 32-bit registers per thread, from live-register analysis */
    /* of them: at the first use of what was loaded, and at barriers, at most */
    u32 waiting_registers;
    u32 shared_bytes;        /* static .shared */
    u32 reserved_offset;     /* in it, the system's part: %reserved_smem_offset_begin */
    u32 local_bytes;         /* per thread: frames of the deepest chain */
    u32 near_local_bytes;    /* of them what a chain of 32 calls has: it lies together */
    u32 frame_local_bytes;   /* of the kernel itself */
    u32 param_bytes;
    const struct param *params;
    u32 param_n;
    const struct use *uses;
    u32 use_n;
    bool copies;             /* it has cp.async */
    bool heap;               /* it calls malloc or free */
    u32 stack_at;            /* where the stack of alloca begins in local memory; 0: it has none */
    u32 max_block_threads;   /* .maxntid product, 0: not given */
    u32 required_block[3];   /* .reqntid, 0: not given */
    const struct function *functions;
    u32 function_n;
    const struct call_site *calls;
    u32 call_n;
    const u32 *const *tables; /* brx: pcs, as many as the instruction's imm says */
    u32 table_n;
    /* of mma: four of a, two of b, four of c; of wmma.load and wmma.store: the first tile that is
     * moved (isa/matrix.h), then what is stored; of textures and surfaces: all sources, as src */
    const u32 *operands;
    u32 tensor;              /* what it wants of tensor units: a bit for each enum tensor */
    const struct source *source; /* the PTX text, for messages */
};

#endif
