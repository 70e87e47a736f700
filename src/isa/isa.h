/* What is known of each opcode, from the rows of op.def, modifier.def, typed.def and special.def:
 * names, legal modifiers and operands for `ptx`, unit and cost for lowering, words for dumps. A
 * form is supported when a row of typed.def takes it; exec_bind has a function for every such form.
 * Source: PTX ISA manual. */
#ifndef CORUN_ISA_H
#define CORUN_ISA_H

#include "base/text.h"
#include "isa/inst.h"

/* values of form.sub, by opcode; 0: not given */
enum half { HALF_LO = 1, HALF_HI, HALF_WIDE };
enum bool_op { BOOL_AND = 1, BOOL_OR, BOOL_XOR };
enum atom_op { ATOM_ADD = 1, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR,
               ATOM_EXCH, ATOM_CAS }; /* atom, red, redux */
enum shfl_mode { SHFL_UP = 1, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum vote_mode { VOTE_ALL = 1, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum match_mode { MATCH_ANY = 1, MATCH_ALL };
/* bar, barrier: a combination, as BAR_RED | BAR_POPC or BAR_WARP | BAR_SYNC */
enum bar_kind { BAR_SYNC = 1, BAR_ARRIVE = 2, BAR_RED = 4, BAR_POPC = 8, BAR_AND = 16, BAR_OR = 24,
                BAR_WARP = 32 };
enum testp_kind { TESTP_FINITE = 1, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL,
                  TESTP_SUBNORMAL };
enum prmt_mode { PRMT_F4E = 1, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum shf_direction { SHF_L = 1, SHF_R };
enum simd_op { SIMD_ADD = 1, SIMD_MIN, SIMD_MAX }; /* video: the second operation */
enum vmad_mode { VMAD_SHR7 = 1, VMAD_SHR15 = 2, VMAD_ONE = 4 };
/* The constant of a video instruction. Parts of a and b, 12 bits each: a scalar's as enum part, a
 * vector's as 3 bits per lane, which count through a's parts, then b's. The result's: a scalar's
 * enum part, a vector's lanes that are written, a bit each. */
enum video { VIDEO_A = 0, VIDEO_B = 12, VIDEO_RESULT = 24, VIDEO_B_SIGNED = 1 << 28 };
enum part { PART_WORD, PART_BYTE, PART_HALF = 5 }; /* PART_BYTE + 0..3, PART_HALF + 0..1 */
enum bfind_kind { BFIND_SHIFTAMT = 1 };
enum griddep_kind { GRIDDEP_LAUNCH = 1, GRIDDEP_WAIT };
enum level_mode { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT }; /* tex */
enum component { COMPONENT_R = 1, COMPONENT_G, COMPONENT_B, COMPONENT_A }; /* tld4 */
/* txq, suq: a query; of a level that is given with QUERY_LEVEL */
enum query { QUERY_WIDTH = 1, QUERY_HEIGHT, QUERY_DEPTH, QUERY_ARRAY_SIZE, QUERY_LEVELS,
             QUERY_SAMPLES, QUERY_TYPE, QUERY_ORDER, QUERY_NORMALIZED, QUERY_FILTER,
             QUERY_ADDRESS_0, QUERY_ADDRESS_1, QUERY_ADDRESS_2, QUERY_UNNORMALIZED, QUERY_LAYOUT,
             QUERY_LEVEL = 32 };
/* suld, sust, sured: .p, else .b; with it sured's enum atom_op */
enum { SURFACE_FORMATTED = 16 };
enum opaque_kind { OPAQUE_TEXTURE = 1, OPAQUE_SAMPLER, OPAQUE_SURFACE }; /* istypep */
enum cluster_barrier { CLUSTER_ARRIVE = 1, CLUSTER_WAIT }; /* barrier.cluster */

enum copy_kind { COPY_IGNORE = 1 }; /* cp.async: lanes whose predicate is true read nothing */
enum cp_arrive_kind { CP_NO_INCREMENT = 1 }; /* cp.async.mbarrier.arrive */
/* mbarrier: one of MBAR_WHAT and one of MBAR_HOW, either may be missing */
enum mbarrier_kind { MBAR_INIT = 1, MBAR_INVAL, MBAR_ARRIVE, MBAR_DROP, MBAR_TEST, MBAR_TRY,
                     MBAR_PENDING, MBAR_COMPLETE_TX, MBAR_WHAT = 15,
                     MBAR_NO_COMPLETE = 16, MBAR_EXPECT_TX = 32, MBAR_PARITY = 48, MBAR_HOW = 48 };

enum special { /* form.sub of OP_SPECIAL */
#define SPECIAL(id, ...) SPECIAL_##id,
#include "isa/special.def"
    SPECIAL_N
};
_Static_assert(SPECIAL_N <= 64, "special registers are bits of a u64 (struct typed)");
enum builtin { /* form.sub of OP_BUILTIN */
#define BUILTIN(id, ...) BUILTIN_##id,
#include "isa/builtin.def"
    BUILTIN_N
};

/* Operands of a form, one letter each; '?': the next one may be left out (operands fill the
 * optional ones from the left).
 *   d a  destination, source of form.type      D C  the same, twice as wide under .wide
 *   A    source of form.type2                  v    destination of 32 bits
 *   u    source of 32 bits                     x y  shfl's d|p of form.type, match's of 32 bits
 *   p    destination predicate                 q    destination predicate, p|q allowed
 *   P    source predicate, !p allowed          i    integer constant
 *   m    [address]       g  source or address of a variable, function or special register
 *   t    [texture or surface, coordinates], or a sampler between them   N  vector of coordinates
 *   z    any: nobody looks at it
 *   L    label           T  name of a .branchtargets list       F  call syntax
 *   W X Y Z  fragments, {..}: destination or d, source a, source b, source or c (isa/matrix.h)
 * Where form.type is T_PRED, d and a are predicates (no negation). */
const char *op_roles(const struct form *f);
u32 op_type_n(const struct form *f);   /* type words it takes, 0..3; the third repeats the second */

enum op op_find(const char *name, size_t n); /* "add", no modifiers. OP_NONE: no such opcode */
const char *op_name(enum op op);
u32 op_video(enum op op);              /* lanes of a video instruction: 1, 2 or 4; 0: it is none */
bool op_refused(enum op op);           /* known by name only */
enum unit op_unit(enum op op);
void op_nearest(struct nearest *n);    /* offers every name */
enum type type_find(const char *name, size_t n); /* T_NONE: no such type */

/* Adds one modifier word (without its dot, no type) to a form. Start with seen = 0 and a form that
 * holds only the opcode. */
enum word_result {
    WORD_TAKEN,
    WORD_UNKNOWN,     /* no modifier of this opcode */
    WORD_TWICE,       /* a second word of the same kind (.rn.rz) */
    WORD_UNSUPPORTED, /* PTX has it, this opcode's supported forms do not */
};
enum word_result form_word(struct form *f, u128 *seen, const char *word, size_t n);
/* what is missing after the last word: a list such as ".lo, .hi or .wide"; NULL: nothing */
const char *form_missing(const struct form *f, u128 seen);
/* offers the modifiers of the opcode */
void form_nearest(const struct form *f, struct nearest *n);

bool isa_supported(const struct form *f);
enum cost isa_cost(const struct form *f);
enum unit isa_unit(const struct form *f);
void form_show(const struct form *f, struct text *out); /* "setp.lt.and.f32" */

enum special special_find(const char *name, size_t n);  /* "%tid.x". SPECIAL_N: none */
const char *special_name(enum special s);
enum type special_type(enum special s);                 /* T_U32 or T_U64 */
enum builtin builtin_find(const char *name, size_t n);  /* BUILTIN_N: none */
const char *builtin_name(enum builtin b);

/* One row per (op, type): what `corun list opcodes`, the docs and the tests walk. Sets are bit
 * masks over the field's values, bit 0: not given. */
struct typed {
    u16 op;
    u8 cost;               /* enum cost */
    u32 types, types2;     /* sets of enum type */
    u32 rounds, compares;  /* sets of enum round, enum compare */
    u64 subs;              /* set of form.sub */
    u16 spaces;            /* set of enum space */
    u16 flags, flags_need; /* flags it may, must carry */
    u16 geometries;        /* set of enum geometry; 0: it has none */
};
extern const struct typed isa_typed[];
extern const u32 isa_typed_n;
/* the row that takes a form, NULL: unsupported */
const struct typed *isa_find(const struct form *f);

/* How lowering fills struct inst for operands that are no rows:
 *   - T_PRED operations (and or xor not mov .pred): dst_pred is the destination; src[k] of operand
 *     k is a predicate index, or OPERAND_CONST | 0 or 1 for a constant.
 *   - selp, setp, set, vote, bar.red: the source predicate is src_pred, FLAG_NEGATE_C its '!'; a
 *     constant is PRED_NONE (true), with FLAG_NEGATE_C false.
 *   - PACK: dst[0], src[0..vector-1]; UNPACK: dst[0..vector-1], src[0]; form.type: the whole's.
 *   - cvt to f16x2, bf16x2: src[0] is the upper half, src[1] the lower, as in PTX.
 *   - lop3: imm is the table; every other constant is a splatted row.
 *   - mma: sources are in program.operands; imm 1, 2: of four products at once the lower or upper
 *     half of the columns.
 *   - wmma.load, wmma.store: src[0] is the address, src[1] the stride in elements, or absent: the
 *     matrix's own.
 *   - A 64-bit register starts at an even row, and 32- and 64-bit registers never share rows: what
 *     an instruction writes is no row it reads, or the same register. */

#endif
