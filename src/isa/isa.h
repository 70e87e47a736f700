/* The properties of every opcode, from the rows of op.def, modifier.def, typed.def and special.def:
 * names, legal modifiers and operands for `ptx`, unit and cost for lowering, text for dumps. A form
 * is supported if a row of typed.def accepts it; exec_bind has a function for every supported form.
 * Source: PTX ISA manual. */
#ifndef CORUN_ISA_H
#define CORUN_ISA_H

#include "base/text.h"
#include "isa/ptx_inst.h"
#include "isa/tensor_map.h"

/* Values of form.sub, by opcode; 0: not given. */
enum half { HALF_LO = 1, HALF_HI, HALF_WIDE };
enum bool_op { BOOL_AND = 1, BOOL_OR, BOOL_XOR };
enum atom_op { ATOM_ADD = 1, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR,
               ATOM_EXCH, ATOM_CAS }; /* atom, red, redux */
enum shfl_mode { SHFL_UP = 1, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum vote_mode { VOTE_ALL = 1, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_mode { MATCH_ANY = 1, MATCH_ALL };
/* bar, barrier: combined values, for example BAR_RED | BAR_POPC or BAR_WARP | BAR_SYNC. */
enum bar_kind { BAR_SYNC = 1, BAR_ARRIVE = 2, BAR_RED = 4, BAR_POPC = 8, BAR_AND = 16, BAR_OR = 24,
                BAR_WARP = 32 };
enum testp_kind { TESTP_FINITE = 1, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL,
                  TESTP_SUBNORMAL };
enum prmt_mode { PRMT_F4E = 1, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum shf_direction { SHF_L = 1, SHF_R };
enum simd_op { SIMD_ADD = 1, SIMD_MIN, SIMD_MAX }; /* video: the secondary operation */
enum vmad_mode { VMAD_SHR7 = 1, VMAD_SHR15 = 2, VMAD_ONE = 4 };
/* Layout of the constant operand (imm) of a video instruction. VIDEO_A, VIDEO_B: source parts, 12
 * bits each; of a scalar an enum part, of a vector 3 bits per lane: an index over the lanes of a
 * followed by the lanes of b. VIDEO_RESULT: of a scalar the enum part, of a vector a mask of the
 * lanes to write. */
enum video { VIDEO_A = 0, VIDEO_B = 12, VIDEO_RESULT = 24, VIDEO_B_SIGNED = 1 << 28 };
enum part { PART_WORD, PART_BYTE, PART_HALF = 5 }; /* PART_BYTE + 0..3, PART_HALF + 0..1 */
enum bfind_kind { BFIND_SHIFTAMT = 1 };
enum griddep_kind { GRIDDEP_LAUNCH = 1, GRIDDEP_WAIT };
enum level_mode { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT }; /* tex */
enum component { COMPONENT_R = 1, COMPONENT_G, COMPONENT_B, COMPONENT_A }; /* tld4 */
/* txq, suq: a query; with QUERY_LEVEL of the mipmap level in an operand. */
enum query { QUERY_WIDTH = 1, QUERY_HEIGHT, QUERY_DEPTH, QUERY_ARRAY_SIZE, QUERY_LEVELS,
             QUERY_SAMPLES, QUERY_TYPE, QUERY_ORDER, QUERY_NORMALIZED, QUERY_FILTER,
             QUERY_ADDRESS_0, QUERY_ADDRESS_1, QUERY_ADDRESS_2, QUERY_UNNORMALIZED, QUERY_LAYOUT,
             QUERY_LEVEL = 32 };
/* suld, sust, sured: set for .p, clear for .b; sured adds an enum atom_op. */
enum { SURFACE_FORMATTED = 16 };
enum opaque_kind { OPAQUE_TEXTURE = 1, OPAQUE_SAMPLER, OPAQUE_SURFACE }; /* istypep */
enum cluster_barrier { CLUSTER_ARRIVE = 1, CLUSTER_WAIT }; /* barrier.cluster */

enum pack_kind { PACK_MERGE = 1 }; /* cvt.pack: the third operand is shifted and merged */
/* cp.async.bulk(.tensor): to shared memory, from global memory or, with SPACE_SHARED, from shared
 * memory; to global memory; BULK_LOAD to several blocks. */
enum { FENCE_MAP = 1 }; /* form.sub of fence: of the proxy of tensor maps */
enum bulk_kind { BULK_LOAD = 1, BULK_STORE, BULK_WAY = 3, BULK_MULTICAST };
enum copy_kind { COPY_IGNORE = 1 }; /* cp.async: lanes with a true predicate read nothing */
enum cp_arrive_kind { CP_NO_INCREMENT = 1 }; /* cp.async.mbarrier.arrive */
/* mbarrier: a value under the mask MBAR_WHAT and one under MBAR_HOW; either can be 0. */
enum mbarrier_kind { MBAR_INIT = 1, MBAR_INVAL, MBAR_ARRIVE, MBAR_DROP, MBAR_TEST, MBAR_TRY,
                     MBAR_PENDING, MBAR_COMPLETE_TX, MBAR_WHAT = 15,
                     MBAR_NO_COMPLETE = 16, MBAR_EXPECT_TX = 32, MBAR_PARITY = 48, MBAR_HOW = 48 };

enum special { /* form.sub of OP_SPECIAL */
#define SPECIAL(id, ...) SPECIAL_##id,
#include "isa/special.def"
    SPECIAL_N
};
_Static_assert(SPECIAL_N <= 128, "special registers are bits of a u128 (struct typed)");
enum builtin { /* form.sub of OP_BUILTIN */
#define BUILTIN(id, ...) BUILTIN_##id,
#include "isa/builtin.def"
    BUILTIN_N
};

/* Operand roles of a form, one letter each. '?' marks the next operand as optional; operands given
 * fill the optional roles from the left.
 *   d a  destination, source of form.type      D C  the same, twice as wide under .wide
 *   A    source of form.type2                  v    destination of 32 bits
 *   u    source of 32 bits                     x y  shfl's d|p of form.type, match's of 32 bits
 *   p    destination predicate                 q    destination predicate, p|q allowed
 *   P    source predicate, !p allowed          i    integer constant
 *   m    [address]       g  source or address of a variable, function or special register
 *   t    [texture or surface, coordinates], or a sampler between them   N  vector of coordinates
 *   z    any operand, not evaluated
 *   L    label           T  name of a .branchtargets list       F  call syntax
 *   k    [tensor map, {coordinates}]: address in src[0], coordinates from src[4] on
 *   s    size: source of 32 bits in src[2]          b    [mbarrier] in shared memory, in src[3]
 *   Q    [address] in shared memory, in src[0]      B    the same as b: src[0] holds both
 *   K    mask of blocks: source of 16 bits in src[4], with a tensor map in src[2]
 *   W X Y Z  fragments, {..}: destination or d, source a, source b, source or c (isa/matrix.h)
 * Where form.type is T_PRED, d and a are predicates (no negation). */
const char *op_roles(const struct form *f);
/* Returns the number of type words in a form, 0 to 3. struct form keeps the first two. The third is
 * the type of b in a video instruction (VIDEO_B_SIGNED); vabsdiff4 ignores the third. */
u32 op_type_n(const struct form *f);

/* Returns the opcode with a name such as "add", without modifiers; OP_NONE: no such opcode. */
enum op op_find(const char *name, size_t n);
const char *op_name(enum op op);
/* Returns the number of lanes of a video instruction, 1, 2 or 4; 0 for other opcodes. */
u32 op_video(enum op op);
bool op_refused(enum op op);           /* True if only the name is known. */
/* Why an instruction with this name is refused; NULL: no reason is known. */
const char *op_reason(enum op op, const char *name, size_t n);
enum unit op_unit(enum op op);
void op_nearest(struct nearest *n);    /* Offers every opcode name. */
/* Returns the type with a name such as "u32"; T_NONE: no such type. */
enum type type_find(const char *name, size_t n);

/* Adds one modifier word (without the dot, not a type) to a form. `seen` records the modifier
 * classes so far. Before the first word the form holds only the opcode and `seen` is 0. */
enum word_result {
    WORD_TAKEN,
    WORD_UNKNOWN,     /* not a modifier of the opcode */
    WORD_TWICE,       /* second word of one class (.rn.rz) */
    WORD_UNSUPPORTED, /* in PTX, but in no supported form of the opcode */
};
enum word_result form_word(struct form *f, u128 *seen, const char *word, size_t n);
/* Stores the type words of a form after its last modifier. False: the opcode takes another number
 * of types. */
bool form_types(struct form *f, const u8 *types, u32 n);
/* Returns the required modifiers still missing after the last word, as text such as ".lo, .hi or
 * .wide"; NULL: complete. */
const char *form_missing(const struct form *f, u128 seen);
/* Offers the modifiers of the opcode. */
void form_nearest(const struct form *f, struct nearest *n);

bool isa_supported(const struct form *f);
enum cost isa_cost(const struct form *f);
enum unit isa_unit(const struct form *f);
u32 isa_kind(const struct form *f);    /* Returns INST_* bits. */
/* Appends the form in PTX syntax, "setp.lt.and.f32". */
void form_show(const struct form *f, struct text *out);

/* Returns the special register with a name such as "%tid.x"; SPECIAL_N: none. */
enum special special_find(const char *name, size_t n);
const char *special_name(enum special s);
enum type special_type(enum special s);                 /* Returns T_U32 or T_U64. */
enum builtin builtin_find(const char *name, size_t n);  /* BUILTIN_N: none */
const char *builtin_name(enum builtin b);

/* The supported forms of one opcode and some types, one row of typed.def, texture.def or
 * matrix.def; `corun list opcodes`, the docs and the tests walk the table. A set is a bit mask over
 * the values of the field; bit 0 stands for "not given". */
struct typed {
    u16 op;
    u8 cost;               /* enum cost */
    u64 types, types2;     /* sets of enum type */
    u32 rounds, compares;  /* sets of enum round, enum compare */
    u128 subs;             /* set of form.sub */
    u16 spaces;            /* set of enum space */
    u32 flags, flags_need; /* flags a form may carry, flags a form must carry */
    u16 geometries;        /* set of enum geometry; 0: no geometry */
};
extern const struct typed isa_typed[];
extern const u32 isa_typed_n;
/* Returns the row that accepts a form; NULL: the form is not supported. */
const struct typed *isa_find(const struct form *f);

/* How lowering fills struct ptx_inst for operands other than rows:
 *   - T_PRED operations (and or xor not mov .pred): dst_pred is the destination; src[k] is the
 *     predicate index of operand k, or OPERAND_CONST | 0 or 1 for a constant.
 *   - selp, setp, set, vote, bar.red: src_pred is the source predicate, FLAG_NEGATE_C its negation;
 *     a constant is PRED_NONE (true), together with FLAG_NEGATE_C false.
 *   - PACK: dst[0], src[0..vector-1]; UNPACK: dst[0..vector-1], src[0]; form.type: type of
 *     the whole.
 *   - cvt to f16x2, bf16x2: src[0] is the upper half, src[1] the lower, as in PTX.
 *   - lop3: imm is the truth table; all other constants are splatted rows.
 *   - mma: the sources are in ptx_program.operands. m8n8k4 of f16 with an f32 operand is two
 *     instructions: imm 1 computes the lower half of the columns, imm 2 the upper; else imm is 0.
 *   - wmma.load, wmma.store: src[0] is the address, src[1] the stride in elements; absent: the
 *     matrix is contiguous.
 *   - A 64-bit register starts at an even row, and 32- and 64-bit registers never share rows.
 *     Therefore a destination row of an instruction is either no source row, or the same register
 *     as the source. */

#endif
