/* Checks the operands of every statement: number, kind and size, by the roles in isa/op.def.
 * Source: PTX ISA manual, sections 6 and 9.4 (operand sizes). */
#include "ptx/parse/parser.h"

#include <stdio.h>
#include <string.h>
#include "isa/matrix.h"

static bool error(struct parser *p, const struct stmt *s, const struct arg *a, const char *expected)
{
    fail_at(p->fail, p->m->source, a->offset, "'%.*s' expects %s here", STMT_NAME(p->m, s),
            expected);
    return false;
}

/* Returns true if registers may be wider than the type: in loads, stores and conversions, and for
 * all 8-bit types. */
static bool may_be_wider(const struct stmt *s, u8 type)
{
    u16 op = s->form.op;
    return op == OP_LD || op == OP_LDU || op == OP_ST || op == OP_CVT ||
           type_bytes((enum type)type) == 1;
}

static bool check_register(struct parser *p, const struct stmt *s, const struct arg *a, u8 type,
                           u32 bytes)
{
    bool is_pred = a->type == T_PRED, wants_pred = type == T_PRED;
    u32 have = type_bytes((enum type)a->type);
    if (a->negated && !wants_pred) return error(p, s, a, "an operand without '!'");
    bool narrow = s->form.op == OP_ISSPACEP && have == 4; /* a generic address, zero-extended */
    if (is_pred == wants_pred &&
        (have == bytes || narrow || (have > bytes && may_be_wider(s, type))))
        return true;
    struct text name = {0};
    func_register_name(parser_func(p), a->index, &name);
    fail_at(p->fail, p->m->source, a->offset, "register '%s' is .%s; '%.*s' expects %s%u%s here",
            text_get(&name), type_name((enum type)a->type), STMT_NAME(p->m, s),
            wants_pred ? "a predicate (" : "", wants_pred ? 1 : bytes * 8,
            wants_pred ? " bit)" : " bits");
    text_free(&name);
    return false;
}

static bool type_is_float(u8 type)
{
    return type == T_F16 || type == T_F16X2 || type == T_F32 || type == T_F64 || type == T_BF16 ||
           type == T_BF16X2 || type == T_F32X2;
}

static bool check_constant(struct parser *p, const struct stmt *s, const struct arg *a, u8 type,
                           u32 bytes)
{
    bool bits = type == T_NONE || (type >= T_B8 && type <= T_B64);
    if (type == T_PRED && a->kind == ARG_INT) return true;
    if (a->kind == ARG_INT && (!type_is_float(type) || bytes == 2))
        return true; /* bits of a .f16 */
    if (a->kind == ARG_FLOAT && (type == T_F32 || type == T_F64)) return true;
    if (a->kind == ARG_FLOAT && bits && bytes == type_bytes((enum type)a->type)) return true;
    return error(p, s, a,
                 type_is_float(type) ? "a float constant (as 0f3F800000 or 1.0)"
                                     : "an integer constant");
}

u32 check_role_bytes(const struct form *f, char role, u8 *type)
{
    u32 wide = f->sub == HALF_WIDE && (f->op == OP_MUL || f->op == OP_MAD) ? 2 : 1;
    switch (role) {
    case 'A': *type = f->type2; return type_bytes((enum type)f->type2);
    case 'D':
    case 'C': *type = f->type; return type_bytes((enum type)f->type) * wide;
    case 'p':
    case 'q':
    case 'P': *type = T_PRED; return 0;
    case 'v':
    case 's':
    case 'u': *type = T_B32; return 4;
    case 'K': *type = T_B16; return 2;
    case 'x':
    case 'y': *type = f->type ? f->type : (u8)T_B32; return 4;
    case 'W':
    case 'X':
    case 'Y':
    case 'Z': *type = matrix_fragment(f, role).type; return type_bytes((enum type)*type);
    default: break;
    }
    bool pointer = f->op == OP_ISSPACEP || f->op == OP_ISTYPEP; /* a generic address or a handle */
    *type = pointer ? (u8)T_B64 : f->type;
    return type_bytes((enum type)*type);
}

/* %tid to %nctaid had 16 bits before PTX 2.0, and PTX still accepts 16-bit reads. */
static bool special_was_16(enum special s) { return s <= SPECIAL_NCTAID_Z; }

static bool check_name(struct parser *p, const struct stmt *s, const struct arg *a)
{
    u32 bytes = type_bytes((enum type)s->form.type);
    bool is_pred = a->index == SPECIAL_IS_EXPLICIT_CLUSTER, wants_pred = s->form.type == T_PRED;
    if (a->kind == ARG_SPECIAL && is_pred != wants_pred)
        return error(p, s, a, wants_pred ? "a predicate or %is_explicit_cluster"
                                         : "a special register other than a predicate");
    if (a->kind == ARG_SPECIAL) {
        if (is_pred) return true;
        if (type_bytes(special_type((enum special)a->index)) == bytes) return true;
        if (bytes == 2 && special_was_16((enum special)a->index)) return true;
        if (bytes == 4 && a->index == SPECIAL_GRIDID) return true; /* 32 bits before PTX 3.0 */
        return error(p, s, a,
                     bytes == 2   ? "%tid, %ntid, %ctaid or %nctaid"
                     : bytes == 4 ? "a special register of 32 bits"
                                  : "a special register of 64 bits");
    }
    return bytes >= 4 || error(p, s, a, "a register or a constant; an address does not fit");
}

static bool check_vector(struct parser *p, const struct stmt *s, const struct arg *a, bool source)
{
    const struct arg *parts = parser_func(p)->args + a->index;
    if (a->n != s->form.vector) {
        fail_at(p->fail, p->m->source, a->offset,
                "'%.*s' expects a vector of %u, here are %u elements", STMT_NAME(p->m, s),
                s->form.vector, a->n);
        return false;
    }
    u32 bytes = type_bytes((enum type)s->form.type);
    for (u32 i = 0; i < a->n; i++) {
        if (parts[i].kind == ARG_SINK && !source) continue;
        if (parts[i].kind == ARG_REG && !check_register(p, s, &parts[i], s->form.type, bytes))
            return false;
        if (source && s->form.op == OP_MOV && parts[i].kind == ARG_SPECIAL) {
            if (!check_name(p, s, &parts[i])) return false;
            continue;
        }
        if (parts[i].kind == ARG_REG) continue;
        if (!source || (parts[i].kind != ARG_INT && parts[i].kind != ARG_FLOAT)) {
            return error(p, s, &parts[i], source ? "a register or a constant" : "a register");
        }
        if (!check_constant(p, s, &parts[i], s->form.type, bytes)) return false;
    }
    return true;
}

/* Checks a matrix operand: a vector with as many registers as a lane holds of the matrix. */
static bool check_fragment(struct parser *p, const struct stmt *s, const struct arg *a, char role)
{
    struct fragment f = matrix_fragment(&s->form, role);
    const struct arg *parts = parser_func(p)->args + a->index;
    if (a->kind != ARG_VECTOR) return error(p, s, a, "a matrix such as {%r1, %r2}");
    if (a->n != f.n) {
        fail_at(p->fail, p->m->source, a->offset,
                "'%.*s' expects %u register%s for the matrix, here %s %u", STMT_NAME(p->m, s), f.n,
                f.n == 1 ? "" : "s", a->n == 1 ? "is" : "are", a->n);
        return false;
    }
    u32 bytes = type_bytes((enum type)f.type);
    for (u32 i = 0; i < a->n; i++) {
        if (parts[i].kind == ARG_REG && !check_register(p, s, &parts[i], f.type, bytes))
            return false;
        if (parts[i].kind == ARG_REG) continue;
        if (role == 'W' || (parts[i].kind != ARG_INT && parts[i].kind != ARG_FLOAT))
            return error(p, s, &parts[i], role == 'W' ? "a register" : "a register or a constant");
        if (!check_constant(p, s, &parts[i], f.type, bytes)) return false;
    }
    return true;
}

static bool check_destination(struct parser *p, const struct stmt *s, const struct arg *a,
                              char role)
{
    u8 type;
    u32 bytes = check_role_bytes(&s->form, role, &type);
    if (a->second != NO_INDEX && !strchr("qxy", role))
        return error(p, s, a, "a destination without '|'");
    if (a->kind == ARG_SINK) return true;
    if (a->kind == ARG_VECTOR && s->form.vector > 1) return check_vector(p, s, a, false);
    if (a->kind != ARG_REG || s->form.vector > 1) {
        return error(p, s, a,
                     s->form.vector > 1 ? "a vector such as {%r1, %r2}"
                     : type == T_PRED   ? "a predicate"
                                        : "a register");
    }
    if (a->negated) return error(p, s, a, "a destination without '!'");
    return check_register(p, s, a, type, bytes);
}

static bool check_source(struct parser *p, const struct stmt *s, const struct arg *a, char role)
{
    u8 type;
    u32 bytes = check_role_bytes(&s->form, role, &type);
    bool vector = s->form.vector > 1 && (role == 'a' || role == 'g');
    if (a->second != NO_INDEX) return error(p, s, a, "an operand without '|'");
    if (role == 'g' && !vector &&
        (a->kind == ARG_SYMBOL || a->kind == ARG_FUNCTION || a->kind == ARG_SPECIAL)) {
        return check_name(p, s, a);
    }
    if (s->form.op == OP_CVT && a->kind == ARG_SPECIAL && bytes == 4) return true;
    if (role == 'P' && a->kind != ARG_REG && a->kind != ARG_INT)
        return error(p, s, a, "a predicate, or an integer constant");
    if (a->kind == ARG_SPECIAL)
        return error(p, s, a, "a register; special registers are read with 'mov'");
    if (a->kind == ARG_VECTOR && vector) return check_vector(p, s, a, true);
    if (a->kind == ARG_REG && !vector) {
        if (a->negated && type != T_PRED) return error(p, s, a, "an operand without '!'");
        return check_register(p, s, a, type, bytes);
    }
    if ((a->kind == ARG_INT || a->kind == ARG_FLOAT) && !vector)
        return check_constant(p, s, a, type, bytes);
    return error(p, s, a,
                 vector ? "a vector such as {%r1, %r2}" : "a register or a constant");
}

/* Parameters are read-only, unlike results of a function. */
static bool is_input(const struct func *f, u32 symbol)
{
    const struct signature *g = &f->signature;
    return symbol - (g->symbol + g->result_n) < g->param_n;
}

static bool check_address(struct parser *p, const struct stmt *s, const struct arg *a)
{
    static const char *const names[SPACE_N] = {"generic", "global", "shared",
                                               "local",   "const",  "param"};
    u8 space = s->form.space;
    if (a->kind != ARG_ADDRESS || a->n) return error(p, s, a, "an address such as [%rd1+4]");
    if (a->base == ARG_REG) {
        u32 bytes = type_bytes((enum type)a->type);
        bool narrow = space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_PARAM ||
                      space == SPACE_CONST;
        return bytes == 8 || (narrow && bytes == 4) ||
               error(p, s, a, narrow ? "an address of 32 or 64 bits" : "an address of 64 bits");
    }
    if (a->base != ARG_SYMBOL) return true;
    const struct symbol *v = &p->m->symbols[a->index];
    u8 have = v->space == SPACE_REG ? (u8)SPACE_PARAM : v->space;
    if (have != space && (space || have == SPACE_PARAM)) {
        fail_at(p->fail, p->m->source, a->offset, "'%s' is in .%s, '%.*s' accesses %s%s", v->name,
                names[have], STMT_NAME(p->m, s), space ? "." : "", names[space]);
        return false;
    }
    if (s->form.op != OP_ST || !is_input(parser_func(p), a->index)) return true;
    fail_at(p->fail, p->m->source, a->offset, "'%s' is a parameter of '%s' and cannot be written",
            v->name, parser_func(p)->name);
    return false;
}

/* Checks the destination of a copy to shared memory. */
static bool check_shared(struct parser *p, const struct stmt *s, const struct arg *a)
{
    struct stmt to = *s;
    to.form.space = SPACE_SHARED;
    return check_address(p, &to, a);
}

static bool check_copy_bytes(struct parser *p, const struct stmt *s, const struct arg *a)
{
    bool all = s->form.cache == CACHE_CA;
    if (a->kind == ARG_INT && (a->value == 16 || (all && (a->value == 4 || a->value == 8))))
        return true;
    return error(p, s, a, all ? "4, 8 or 16, a constant" : "16, a constant");
}

/* ---- textures and surfaces ---- */

u32 check_coordinate_n(const struct form *f)
{
    static const u8 n[GEOMETRY_N] = {
        [GEOMETRY_1D] = 1,  [GEOMETRY_2D] = 2,   [GEOMETRY_3D] = 3,   [GEOMETRY_A1D] = 2,
        [GEOMETRY_A2D] = 3, [GEOMETRY_CUBE] = 3, [GEOMETRY_ACUBE] = 4};
    return n[f->geometry];
}

bool check_has_layer(const struct form *f)
{
    return f->geometry == GEOMETRY_A1D || f->geometry == GEOMETRY_A2D ||
           f->geometry == GEOMETRY_ACUBE;
}

/* Returns the type of the i-th coordinate: layers are integers. */
u8 check_coordinate_type(const struct form *f, u32 i)
{
    if (i == 0 && check_has_layer(f)) return T_U32;
    return f->op == OP_TEX || f->op == OP_TLD4 ? f->type2 : (u8)T_S32;
}

/* Checks coordinates. A vector of three coordinates has a fourth, unused element. */
static bool check_coordinates(struct parser *p, const struct stmt *s, const struct arg *a,
                              u8 type /* T_NONE: from the geometry */)
{
    const struct arg *parts = a->kind == ARG_VECTOR ? parser_func(p)->args + a->index : a;
    u32 n = a->kind == ARG_VECTOR ? a->n : 1, wanted = check_coordinate_n(&s->form);
    if (type && check_has_layer(&s->form)) wanted--;
    if (n != wanted && !(wanted == 3 && n == 4)) {
        fail_at(p->fail, p->m->source, a->offset, "'%.*s' expects %u coordinate%s, here %s %u",
                STMT_NAME(p->m, s), wanted, wanted == 1 ? "" : "s", n == 1 ? "is" : "are", n);
        return false;
    }
    for (u32 i = 0; i < n; i++) {
        u8 own = type ? type : i < wanted ? check_coordinate_type(&s->form, i) : (u8)T_B32;
        bool constant = parts[i].kind == ARG_INT || parts[i].kind == ARG_FLOAT;
        if (i >= wanted && (parts[i].kind == ARG_SINK || constant)) continue;
        if (parts[i].kind != ARG_REG && !constant)
            return error(p, s, &parts[i], "a register or a constant");
        if (parts[i].kind == ARG_REG ? !check_register(p, s, &parts[i], own, 4)
                                     : !check_constant(p, s, &parts[i], own, 4))
            return false;
    }
    return true;
}

static bool check_handle(struct parser *p, const struct stmt *s, const struct arg *a, u8 kind,
                         enum reference_kind wanted)
{
    static const char *const names[] = {
        [REFERENCE_TEXTURE] = "a texture: a .texref variable or a 64-bit register",
        [REFERENCE_SAMPLER] = "a sampler: a .samplerref variable or a 64-bit register",
        [REFERENCE_SURFACE] = "a surface: a .surfref variable or a 64-bit register",
    };
    bool fits = kind == ARG_REG ? a->type != T_PRED && type_bytes((enum type)a->type) == 8
                                : kind == ARG_SYMBOL &&
                                  p->m->symbols[a->index].opaque == wanted + 1 &&
                                  p->m->symbols[a->index].space == SPACE_GLOBAL;
    return (fits && !a->value) || error(p, s, a, names[wanted]);
}

/* Checks a texture operand; a query may refer to a sampler instead. */
static bool check_texture(struct parser *p, const struct stmt *s, const struct arg *a)
{
    u16 op = s->form.op;
    bool query = op == OP_TXQ || op == OP_SUQ, texture = op == OP_TEX || op == OP_TLD4;
    const struct arg *more = parser_func(p)->args + a->second;
    enum reference_kind kind = texture || op == OP_TXQ ? REFERENCE_TEXTURE : REFERENCE_SURFACE;
    u32 query_id = s->form.sub & (QUERY_LEVEL - 1u);
    if (op == OP_TXQ && query_id >= QUERY_FILTER && a->base == ARG_SYMBOL &&
        a->kind == ARG_ADDRESS && p->m->symbols[a->index].opaque == REFERENCE_SAMPLER + 1)
        kind = REFERENCE_SAMPLER;
    if (a->kind != ARG_ADDRESS || (query ? a->n != 0 : a->n != 1 && !(texture && a->n == 2))) {
        return error(p, s, a, query     ? "a texture or surface in brackets"
                              : texture ? "[texture, coordinates]"
                                        : "[surface, coordinates]");
    }
    if (!check_handle(p, s, a, a->base, kind)) return false;
    if (a->n == 2 && !check_handle(p, s, &more[0], more[0].kind, REFERENCE_SAMPLER)) return false;
    return query || check_coordinates(p, s, &more[a->n - 1], T_NONE);
}

/* Requires four channels for texture instructions; suld and sust accept any number of channels. */
static bool check_sampled(struct parser *p, const struct stmt *s)
{
    if ((s->form.op != OP_TEX && s->form.op != OP_TLD4) || s->form.vector == 4) return true;
    fail_at(p->fail, p->m->source, s->offset, "'%.*s' needs .v4", STMT_NAME(p->m, s));
    return false;
}

/* Checks [tensor map, {coordinates}], a coordinate of 32 bits for each dimension. */
static bool check_tensor(struct parser *p, const struct stmt *s, const struct arg *a)
{
    const struct arg *f = parser_func(p)->args, *at = f + a->second;
    bool map = a->kind == ARG_ADDRESS && a->base == ARG_REG && a->n == 1;
    if (!map || a->type == T_PRED || type_bytes((enum type)a->type) != 8)
        return error(p, s, a, "[address of a tensor map in 64 bits, {coordinates}]");
    const struct arg *parts = at->kind == ARG_VECTOR ? f + at->index : at;
    u32 n = at->kind == ARG_VECTOR ? at->n : 1;
    if (n != s->form.vector) {
        fail_at(p->fail, p->m->source, at->offset, "'%.*s' expects %u coordinate%s, here %s %u",
                STMT_NAME(p->m, s), s->form.vector, s->form.vector == 1 ? "" : "s",
                n == 1 ? "is" : "are", n);
        return false;
    }
    for (u32 k = 0; k < n; k++)
        if (parts[k].kind == ARG_REG ? !check_register(p, s, &parts[k], T_B32, 4)
                                     : !check_constant(p, s, &parts[k], T_B32, 4))
            return false;
    return true;
}

static bool check_role(struct parser *p, const struct stmt *s, const struct arg *a, char role)
{
    switch (role) {
    case 'd':
    case 'D':
    case 'v':
    case 'x':
    case 'y':
    case 'p':
    case 'q': return check_destination(p, s, a, role);
    case 'm': return check_address(p, s, a);
    case 'k': return check_tensor(p, s, a);
    case 'b':
    case 'B':
    case 'Q':
    case 'M': return check_shared(p, s, a);
    case 'n': return check_copy_bytes(p, s, a);
    case 'W':
    case 'X':
    case 'Y':
    case 'Z': return check_fragment(p, s, a, role);
    case 't': return check_texture(p, s, a);
    case 'N': return check_coordinates(p, s, a, T_F32);
    case 'z': return true;
    case 'i': return a->kind == ARG_INT || error(p, s, a, "an integer constant");
    default: return check_source(p, s, a, role);
    }
}

char check_role_of(const char *roles, u32 arg_n, u32 i)
{
    u32 total = 0, optional = 0;
    for (const char *r = roles; *r; r++) *r == '?' ? optional++ : total++;
    u32 given = arg_n - min_u32(arg_n, total - optional),
        at = 0; /* number of optional operands present */
    for (const char *r = roles; *r; r++) {
        bool is_optional = *r == '?';
        if (is_optional) r++;
        if (is_optional && !given) continue;
        if (is_optional) given--;
        if (at++ == i) return *r;
    }
    return 0;
}

static bool check_count(struct parser *p, const struct stmt *s, const char *roles, u32 end)
{
    u32 total = 0, optional = 0;
    for (const char *r = roles; *r; r++) *r == '?' ? optional++ : total++;
    if (s->arg_n >= total - optional && s->arg_n <= total) return true;
    u32 place = s->arg_n > total ? parser_func(p)->args[s->arg + total].offset : end;
    char wanted[24] = "";
    if (optional) snprintf(wanted, sizeof wanted, "%u to %u", total - optional, total);
    else snprintf(wanted, sizeof wanted, "%u", total);
    fail_at(p->fail, p->m->source, place, "'%.*s' takes %s operand%s, here %s %u",
            STMT_NAME(p->m, s), wanted, total == 1 ? "" : "s", s->arg_n == 1 ? "is" : "are",
            s->arg_n);
    return false;
}

/* Turns mov with a vector operand into pack or unpack: the vector side splits or combines a
 * register. */
static void make_pack(struct parser *p, struct stmt *s)
{
    const struct arg *a = parser_func(p)->args + s->arg;
    if (s->form.op != OP_MOV || s->arg_n != 2 || s->form.vector > 1) return;
    u32 side = a[0].kind == ARG_VECTOR ? 0 : 1;
    if (a[side].kind != ARG_VECTOR) return;
    s->form.op = side ? OP_PACK : OP_UNPACK;
    s->form.vector = (u8)a[side].n;
}

/* The last operand of cp.async is a size, or a predicate that suppresses the read. A bulk copy to
 * shared memory without another space comes from shared memory. */
static void make_copy(struct parser *p, struct stmt *s)
{
    const struct arg *a = parser_func(p)->args + s->arg;
    if (s->form.op == OP_CP_ASYNC && s->arg_n == 4 && a[3].kind == ARG_REG && a[3].type == T_PRED)
        s->form.sub = COPY_IGNORE;
    if (s->form.op == OP_CP_BULK && s->form.sub == BULK_LOAD && !s->form.space)
        s->form.space = SPACE_SHARED; /* .shared::cluster.shared::cta */
}

/* Turns an instruction of 128 bits into an instruction on two registers of 64 bits. */
static bool make_pair(struct parser *p, struct stmt *s)
{
    u16 op = s->form.op;
    if (s->form.type != T_B128) return true;
    bool atomic = op == OP_ATOM && (s->form.sub == ATOM_EXCH || s->form.sub == ATOM_CAS);
    if ((op != OP_LD && op != OP_ST && op != OP_MOV && !atomic) || s->form.vector > 1) {
        fail_at(p->fail, p->m->source, s->offset, "'%.*s' has no form of 128 bits",
                STMT_NAME(p->m, s));
        return false;
    }
    s->form.type = T_B64;
    s->form.vector = 2;
    return true;
}

/* A vector of more than 128 bits has 256, of 32- or 64-bit elements, in global memory. Atomics on
 * vectors are sums of f32, or any operation on f16 and bf16, whose min and max need a vector. */
static bool check_wide(struct parser *p, const struct stmt *s)
{
    const struct form *f = &s->form;
    bool atomic = f->op == OP_ATOM || f->op == OP_RED;
    if (!atomic && f->op != OP_LD && f->op != OP_ST) return true;
    u32 bytes = f->vector * type_bytes((enum type)f->type);
    bool global = f->space == SPACE_GLOBAL || f->space == SPACE_NONE;
    bool half = f->type == T_F16 || f->type == T_BF16 || f->type == T_F16X2 || f->type == T_BF16X2;
    const char *wrong = NULL;
    if (!atomic) {
        bool wide = f->vector == 8 || bytes > 16;
        if (wide && (bytes != 32 || !global)) wrong = "has at most 128 bits, in global memory 256";
    } else if (f->vector == 1) {
        bool extreme = f->sub == ATOM_MIN || f->sub == ATOM_MAX;
        if (half && extreme) wrong = "needs .v2, .v4 or .v8";
    } else if (f->type != T_B64 || f->op == OP_RED) { /* not of 128 bits */
        bool known = half || (f->type == T_F32 && f->sub == ATOM_ADD);
        if (!known || !global || bytes > 16) wrong = "has no such vector form";
    }
    if (!wrong) return true;
    fail_at(p->fail, p->m->source, s->offset, "'%.*s' %s", STMT_NAME(p->m, s), wrong);
    return false;
}

static bool check_pack(struct parser *p, const struct stmt *s)
{
    static const u8 pieces[9] = {[1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64};
    const struct arg *a = parser_func(p)->args + s->arg;
    bool pack = s->form.op == OP_PACK;
    const struct arg *vector = &a[pack ? 1 : 0], *whole = &a[pack ? 0 : 1];
    u32 bytes = type_bytes((enum type)s->form.type), n = s->form.vector;
    if ((n != 2 && n != 4) || bytes % n) return error(p, s, vector, "a vector of 2 or 4 elements");
    struct stmt piece = *s, scalar = *s;
    piece.form.type = pieces[bytes / n];
    scalar.form.vector = 1;
    if (!check_vector(p, &piece, vector, pack)) return false;
    return pack ? check_destination(p, &scalar, whole, 'd') : check_source(p, &scalar, whole, 'a');
}

/* Checks an argument: a register or a constant, for a vector each element. */
static bool check_argument(struct parser *p, const struct stmt *s, const struct arg *a,
                           const struct symbol *formal)
{
    bool vector = a->kind == ARG_VECTOR;
    if (a->negated) return error(p, s, a, "an operand without '!'");
    const struct arg *parts = vector ? parser_func(p)->args + a->index : a;
    u32 n = symbol_elements(formal);
    u32 bytes = formal->type == T_PRED ? 0 : (u32)formal->size_bytes / (vector ? n : 1);
    if (vector && a->n != n) {
        fail_at(p->fail, p->m->source, a->offset, "the function's parameter has %u element%s, here "
                "are %u", n, n == 1 ? "" : "s", a->n);
        return false;
    }
    for (u32 i = 0; i < (vector ? n : 1); i++)
        if (parts[i].kind == ARG_REG ? !check_register(p, s, &parts[i], formal->type, bytes)
                                     : !check_constant(p, s, &parts[i], formal->type, bytes))
            return false;
    return true;
}

static bool check_call_list(struct parser *p, const struct stmt *s, const struct arg *list,
                            u32 symbol, u32 n, const char *what)
{
    const struct arg *a = parser_func(p)->args + list->index;
    if (list->n != n) {
        fail_at(p->fail, p->m->source, list->offset ? list->offset : s->offset,
                "the call has %u %s, the function is declared with %u", list->n, what, n);
        return false;
    }
    for (u32 i = 0; i < n; i++) {
        const struct symbol *formal = &p->m->symbols[symbol + i];
        if (a[i].kind == ARG_SYMBOL) {
            const struct symbol *v = &p->m->symbols[a[i].index];
            if (v->space != SPACE_PARAM || v->function != p->func_id)
                return error(p, s, &a[i], "a .param variable");
            if (v->size_bytes == formal->size_bytes) continue;
            fail_at(p->fail, p->m->source, a[i].offset,
                    "'%s' has %llu bytes, the function's parameter has %llu", v->name,
                    (unsigned long long)v->size_bytes, (unsigned long long)formal->size_bytes);
            return false;
        }
        if (a[i].kind == ARG_SINK) continue;
        if (!check_argument(p, s, &a[i], formal)) return false;
    }
    return true;
}

static bool check_call(struct parser *p, const struct stmt *s)
{
    const struct arg *a = parser_func(p)->args + s->arg;
    const struct signature *g;
    if (a[1].kind == ARG_FUNCTION) {
        if (p->m->funcs[a[1].index].is_kernel)
            return error(p, s, &a[1], "a .func; a kernel cannot be called");
        if (p->m->funcs[a[1].index].is_unknown)
            return error(p, s, &a[1], "a function declared before the call");
        g = &p->m->funcs[a[1].index].signature;
    } else {
        if (a[1].type == T_PRED || type_bytes((enum type)a[1].type) != 8) {
            return error(p, s, &a[1], "a function or its address in 64 bits");
        }
        if (a[3].kind != ARG_PROTOTYPE)
            return error(p, s, &a[1], "a .callprototype behind a call through a register");
        g = &p->m->prototypes[a[3].index];
    }
    return check_call_list(p, s, &a[0], g->symbol, g->result_n, "results") &&
           check_call_list(p, s, &a[2], g->symbol + g->result_n, g->param_n, "arguments");
}

static bool check_brx(struct parser *p, const struct stmt *s)
{
    return check_source(p, s, parser_func(p)->args + s->arg, 'u');
}

/* Integer products need .lo, .hi or .wide; floating-point products have no half. */
static bool check_half(struct parser *p, const struct stmt *s)
{
    const struct form *f = &s->form;
    if ((f->op != OP_MUL && f->op != OP_MAD) || f->sub || type_is_float(f->type)) return true;
    fail_at(p->fail, p->m->source, s->offset, "'%s' of integers needs .lo, .hi or .wide",
            op_name((enum op)f->op));
    return false;
}

/* Rejects constants that no block can use in bar and barrier. bar.warp has a mask instead. */
static bool check_barrier(struct parser *p, const struct stmt *s, const char *roles)
{
    u16 op = s->form.op;
    if ((op != OP_BAR && op != OP_BARRIER) || s->form.sub & BAR_WARP) return true;
    for (u32 i = 0, nth = 0; i < s->arg_n; i++) {
        const struct arg *a = parser_func(p)->args + s->arg + i;
        if (check_role_of(roles, s->arg_n, i) != 'u') continue;
        bool is_number = !nth++;
        if (a->kind != ARG_INT) continue;
        if (is_number && a->value > 15) return error(p, s, a, "a barrier from 0 to 15");
        if (!is_number && a->value % LANES)
            return error(p, s, a, "a number of threads that is a multiple of 32");
    }
    return true;
}

/* PTX ISA, setmaxnreg: the range of the number of registers. */
static bool check_registers(struct parser *p, const struct stmt *s)
{
    if (s->form.op != OP_SETMAXNREG) return true;
    const struct arg *a = parser_func(p)->args + s->arg;
    return (a->value >= 24 && a->value <= 256 && a->value % 8 == 0) ||
           error(p, s, a, "a multiple of 8 from 24 to 256");
}

/* setp.lt.and and set.lt.and need a predicate as fourth operand, setp.lt and set.lt none. */
static bool check_bool(struct parser *p, const struct stmt *s)
{
    const struct form *f = &s->form;
    if ((f->op != OP_SET && f->op != OP_SETP) || (s->arg_n == 4) == (f->sub != 0)) return true;
    fail_at(p->fail, p->m->source, s->offset, "'%.*s' %s", STMT_NAME(p->m, s),
            f->sub ? "needs a predicate as fourth operand"
                   : "with four operands needs .and, .or or .xor");
    return false;
}

static bool check_descriptor(struct parser *p, const struct stmt *s, const struct arg *a)
{
    if (a->kind == ARG_REG) return check_register(p, s, a, T_B64, 8);
    return a->kind == ARG_INT || error(p, s, a, "a matrix descriptor of 64 bits");
}

/* Requires a selector of lanes of each four that have metadata. */
static bool check_selector(struct parser *p, const struct stmt *s, u32 nth)
{
    const struct arg *a = parser_func(p)->args + s->arg + nth;
    static const char *const wanted[] = {[1] = "a selector from 0 to 3", [2] = "selector 0 or 1",
                                         [4] = "selector 0"};
    u32 lanes = matrix_metadata_lanes(matrix_row(&s->form));
    return (a->kind == ARG_INT && a->value < 4 / lanes) || error(p, s, a, wanted[lanes]);
}

/* wgmma.mma_async: the sums, A in registers or its descriptor, the descriptor of B, of a sparse A
 * metadata and selector, a predicate; of floats the signs of A and B; of 16-bit floats the order of
 * elements of A, if in memory, and B. */
static bool check_group(struct parser *p, const struct stmt *s, u32 end)
{
    const struct arg *a = parser_func(p)->args + s->arg;
    bool floats = s->form.type != T_S32, fragment = s->arg_n > 1 && a[1].kind == ARG_VECTOR;
    u32 orders = floats && matrix_bits(s->form.type2) == 16 ? fragment ? 1 : 2 : 0;
    u32 at = matrix_sparse(s->form.op) ? 5 : 3; /* of the predicate */
    char roles[] = "WXXuiPiiii";
    roles[at + 1u + (floats ? 2 : 0) + orders] = 0;
    if (!check_count(p, s, roles, end) || !check_fragment(p, s, &a[0], 'W') ||
        !(fragment ? check_fragment(p, s, &a[1], 'X') : check_descriptor(p, s, &a[1])) ||
        !check_descriptor(p, s, &a[2]))
        return false;
    if (at == 5 && !(check_source(p, s, &a[3], 'u') && check_selector(p, s, 4))) return false;
    if (a[at].kind != ARG_INT && (a[at].kind != ARG_REG || a[at].type != T_PRED))
        return error(p, s, &a[at], "a predicate, or an integer constant");
    for (u32 k = at + 1; k < s->arg_n; k++) {
        bool sign = k < at + 3, given = a[k].kind == ARG_INT;
        u64 value = a[k].value;
        if (!given || (sign ? value != 1 && value != UINT64_MAX : value > 1))
            return error(p, s, &a[k], sign ? "1 or -1" : "0 or 1");
    }
    return true;
}

bool check_statement(struct parser *p, struct stmt *s, u32 end)
{
    if (matrix_group(s->form.op)) return check_group(p, s, end);
    if (s->form.op == OP_BRA) return true;
    if (s->form.op == OP_BRX) return check_brx(p, s);
    if (s->form.op == OP_CALL) return check_call(p, s);
    if (!make_pair(p, s)) return false;
    make_pack(p, s);
    make_copy(p, s);
    if (s->form.op == OP_PACK || s->form.op == OP_UNPACK) return check_pack(p, s);
    const char *roles = op_roles(&s->form);
    if (!check_half(p, s) || !check_count(p, s, roles, end) || !check_bool(p, s) ||
        !check_sampled(p, s) || !check_wide(p, s))
        return false;
    for (u32 i = 0; i < s->arg_n; i++) {
        const struct arg *a = parser_func(p)->args + s->arg + i;
        if (!check_role(p, s, a, check_role_of(roles, s->arg_n, i))) return false;
    }
    if (matrix_sparse(s->form.op) && !check_selector(p, s, s->arg_n - 1)) return false;
    return check_barrier(p, s, roles) && check_registers(p, s);
}
