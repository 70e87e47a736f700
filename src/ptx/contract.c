/* Fuses a product and a sum into fma, like the assembler, where neither has a rounding mode. */
#include "ptx/body.h"

#include <stdlib.h>
#include <string.h>

/* Model: the rule of ptxas 13.0, found by comparing random functions and their machine code for
 * sm_75 (test/ptx/contract.py; half precision by opcodes, for sm_75 to sm_90):
 *   - Product: mul of .f32, .f64, .f16 or .bf16, also in pairs, without rounding mode, saturation
 *     or guard. Sum: add or sub of the same type and .ftz, without rounding mode. No branch leads
 *     in or out between the two; mov and neg may lie between.
 *   - First each sum takes a product without other uses, the first operand before the second.
 *   - Then each sum takes a product used only by sums, none of which has taken another product.
 * Not fused here, but by ptxas: a product with factors overwritten before the sum. Fused here, but
 * not by ptxas: two equal products that are added. */
struct region { u32 first, end; }; /* steps [first, end) without a branch in or out between them */

/* A value of a register: a product of the region, or its negation. */
struct held {
    u32 product; /* index + 1 in contraction.products; 0: no product */
    bool negated;
};

struct product {
    u32 step; /* mul */
    u32 use_n; /* sums that read the product */
    bool kept; /* has uses other than sums */
    bool lost; /* a sum that reads the product has taken another product */
};

struct sum_use { /* of a product by a sum */
    u32 product, step;
    u8 side; /* operand, 0 or 1 */
    bool negated, intact; /* intact: the factors are still in their registers */
};

struct contraction {
    struct body *b;
    struct held *held; /* [register] */
    u32 *written;      /* [register] last step that wrote the register, plus 1 */
    u32 *home;         /* [register] the region that has all its uses, or SEVERAL */
    struct region *regions;
    u32 region_n;
    struct product *products;
    u32 product_n, product_room;
    struct sum_use *uses;
    u32 use_n, use_room;
    struct copy { u32 product, step; } *copies; /* mov and neg of products */
    u32 copy_n, copy_room;
    u32 *fused; /* [step] sum: its chosen use + 1; 0: none */
    u8 *dead;   /* [step] removed */
};
enum { NOWHERE = UINT32_MAX, SEVERAL = UINT32_MAX - 1 }; /* homes */

static bool is_float(u8 type)
{
    return type == T_F32 || type == T_F64 || type == T_F16 || type == T_F16X2 || type == T_BF16 ||
           type == T_BF16X2;
}

static bool is_free(const struct step *s, u32 op)
{
    return s->form.op == op && s->form.round == ROUND_NONE && is_float(s->form.type);
}

static bool is_product(const struct step *s)
{
    return is_free(s, OP_MUL) && s->guard == NO_INDEX && !(s->form.flags & FLAG_SAT);
}

static bool is_sum(const struct step *s) { return is_free(s, OP_ADD) || is_free(s, OP_SUB); }

/* True if the step copies or negates the product. */
static bool is_copy(const struct step *s, const struct step *product)
{
    if (s->guard != NO_INDEX || s->dst[0].kind != VALUE_REG) return false;
    if (s->form.op == OP_NEG)
        return s->form.type == product->form.type &&
               !((s->form.flags ^ product->form.flags) & FLAG_FTZ);
    return s->form.op == OP_MOV && s->form.vector <= 1 && s->form.type != T_PRED;
}

static bool sums(const struct step *sum, const struct step *product)
{
    return is_sum(sum) && sum->form.type == product->form.type && !sum->form.type2 &&
           !((sum->form.flags ^ product->form.flags) & FLAG_FTZ);
}

/* ---- uses of products ---- */

static bool factors_intact(const struct contraction *c, u32 product)
{
    u32 step = c->products[product].step;
    for (u32 k = 0; k < 2; k++) {
        const struct value *v = &c->b->steps[step].src[k];
        if (v->kind == VALUE_REG && c->written[v->reg] > step + 1) return false;
    }
    return true;
}

static void keep(struct contraction *c, u32 reg)
{
    if (c->held[reg].product) c->products[c->held[reg].product - 1].kept = true;
}

static const struct step *product_of(const struct contraction *c, u32 reg)
{
    u32 product = c->held[reg].product;
    return product ? &c->b->steps[c->products[product - 1].step] : NULL;
}

static void read_product(struct contraction *c, u32 step, u32 reg)
{
    const struct step *s = &c->b->steps[step], *mul = product_of(c, reg);
    u32 product = c->held[reg].product - 1;
    const struct sum_use *last = c->use_n ? &c->uses[c->use_n - 1] : NULL;
    bool twice = last && last->step == step && last->product == product;
    if (is_copy(s, mul)) {
        *base_push(c->copies, c->copy_n, c->copy_room) = (struct copy){product, step};
    } else if (!sums(s, mul) || twice) {
        c->products[product].kept = true;
    } else {
        c->products[product].use_n++;
        *base_push(c->uses, c->use_n, c->use_room) = (struct sum_use){
            .product = product,
            .step = step,
            .side = s->src[0].kind != VALUE_REG || s->src[0].reg != reg,
            .negated = c->held[reg].negated,
            .intact = factors_intact(c, product)};
    }
}

struct walk {
    struct contraction *c;
    u32 step;
};

static void visit_register(void *context, u32 reg, bool is_write)
{
    const struct walk *w = context;
    struct contraction *c = w->c;
    if (is_write) {
        bool guarded = c->b->steps[w->step].guard != NO_INDEX;
        if (guarded) keep(c, reg); /* lanes may keep the old value */
        c->held[reg] = (struct held){0};
        c->written[reg] = w->step + 1;
    } else if (c->held[reg].product) {
        read_product(c, w->step, reg);
    }
}

/* Returns the new value of the step's destination. */
static struct held held_after(struct contraction *c, u32 step)
{
    const struct step *s = &c->b->steps[step];
    if (is_product(s)) {
        *base_push(c->products, c->product_n, c->product_room) = (struct product){.step = step};
        return (struct held){.product = c->product_n};
    }
    const struct step *mul = s->src[0].kind == VALUE_REG ? product_of(c, s->src[0].reg) : NULL;
    if (!mul || !is_copy(s, mul)) return (struct held){0};
    struct held from = c->held[s->src[0].reg];
    from.negated ^= s->form.op == OP_NEG;
    return from;
}

static void find_uses(struct contraction *c, const struct region *region)
{
    const struct body *b = c->b;
    for (u32 i = region->first; i < region->end; i++) {
        struct held after = held_after(c, i);
        step_registers(&b->steps[i], visit_register, &(struct walk){c, i});
        if (after.product) c->held[b->steps[i].dst[0].reg] = after;
    }
}

/* Keeps products read in other regions; then the registers hold nothing. */
static void leave_region(struct contraction *c, u32 region)
{
    const struct body *b = c->b;
    for (u32 i = c->regions[region].first; i < c->regions[region].end; i++) {
        for (u32 k = 0; k < DST_MAX; k++) {
            const struct value *v = &b->steps[i].dst[k];
            if (v->kind != VALUE_REG) continue;
            if (c->home[v->reg] != region) keep(c, v->reg);
            c->held[v->reg] = (struct held){0};
        }
    }
}

/* ---- choice ---- */

/* True if mul overwrites one of its factors: then only a sum in its place may read the factors. */
static bool overwrites_factor(const struct step *mul)
{
    for (u32 k = 0; k < 2; k++)
        if (mul->src[k].kind == VALUE_REG && mul->src[k].reg == mul->dst[0].reg) return true;
    return false;
}

/* Fuses use i. A product read by the same sum is the neighbour of i. */
static void take(struct contraction *c, u32 i)
{
    const struct sum_use *u = &c->uses[i];
    c->fused[u->step] = i + 1;
    if (i && u[-1].step == u->step) c->products[u[-1].product].lost = true;
    if (i + 1 < c->use_n && u[1].step == u->step) c->products[u[1].product].lost = true;
}

/* Fuses uses [first, end) of a region. `single`: only products with a single use. */
static void choose(struct contraction *c, u32 first, u32 end, bool single)
{
    for (u32 i = first; i < end; i++) {
        const struct sum_use *u = &c->uses[i];
        const struct product *p = &c->products[u->product];
        if ((p->use_n == 1) != single || p->kept || !u->intact || c->fused[u->step]) continue;
        if (!single && (p->lost || overwrites_factor(&c->b->steps[p->step]))) continue;
        take(c, i);
    }
}

/* ---- result ---- */

static void fuse(struct contraction *c, const struct sum_use *u)
{
    struct step *s = &c->b->steps[u->step];
    const struct step *mul = &c->b->steps[c->products[u->product].step];
    bool sub = s->form.op == OP_SUB;
    struct value addend = s->src[1 - u->side];
    s->form.op = OP_FMA;
    s->form.round = ROUND_RN;
    if (u->negated != (sub && u->side == 1)) s->form.flags |= FLAG_NEGATE_A;
    if (sub && u->side == 0) s->form.flags |= FLAG_NEGATE_C;
    s->src[0] = mul->src[0];
    s->src[1] = mul->src[1];
    s->src[2] = addend;
}

/* Fuses the chosen uses, and marks products without remaining uses as dead, with their copies. */
static void fuse_chosen(struct contraction *c)
{
    for (u32 i = 0; i < c->use_n; i++) {
        const struct sum_use *u = &c->uses[i];
        if (c->fused[u->step] != i + 1) continue;
        fuse(c, u);
        struct product *p = &c->products[u->product];
        if (!--p->use_n && !p->kept) c->dead[p->step] = 1;
    }
    for (u32 i = 0; i < c->copy_n; i++)
        if (c->dead[c->products[c->copies[i].product].step]) c->dead[c->copies[i].step] = 1;
}

static void remove_dead(struct contraction *c)
{
    struct body *b = c->b;
    u32 *to = base_alloc(sizeof *to * (b->step_n + 1)), n = 0;
    for (u32 i = 0; i < b->step_n; i++) {
        to[i] = n;
        if (!c->dead[i]) b->steps[n++] = b->steps[i];
    }
    to[b->step_n] = n;
    b->step_n = n;
    for (u32 i = 0; i < n; i++) {
        struct step *s = &b->steps[i];
        if (s->form.op == OP_BRA) s->target = to[s->target];
        if (s->reconverge != NO_INDEX) s->reconverge = to[s->reconverge];
    }
    for (u32 i = 0; i < b->target_n; i++) b->targets[i] = to[b->targets[i]];
    for (u32 i = 0; i < b->block_n; i++) {
        b->blocks[i].first = to[b->blocks[i].first];
        b->blocks[i].end = to[b->blocks[i].end];
    }
    free(to);
}

struct homes {
    u32 *of, region;
    u32 *written_in; /* [register] last region that wrote the register, plus 1 */
};

/* A home is the only region with uses of the register, all after a write. */
static void home_register(void *context, u32 reg, bool is_write)
{
    struct homes *h = context;
    bool here = h->written_in[reg] == h->region + 1;
    if (is_write) {
        h->written_in[reg] = h->region + 1;
        if (h->of[reg] == NOWHERE) h->of[reg] = h->region;
    }
    if (h->of[reg] != h->region || (!is_write && !here)) h->of[reg] = SEVERAL;
}

static void find_homes(struct contraction *c)
{
    const struct body *b = c->b;
    struct homes h = {.of = c->home, .written_in = base_alloc(sizeof(u32) * (b->register_n + 1))};
    memset(c->home, 0xff, sizeof *c->home * b->register_n);
    for (h.region = 0; h.region < c->region_n; h.region++)
        for (u32 i = c->regions[h.region].first; i < c->regions[h.region].end; i++)
            step_registers(&b->steps[i], home_register, &h);
    free(h.written_in);
}

/* Joins each block and the next if neither has another successor or predecessor there. */
static void find_regions(struct contraction *c)
{
    const struct body *b = c->b;
    u32 *entries = base_alloc(sizeof *entries * (b->block_n + 1));
    bool joined = false;
    for (u32 i = 0; i < b->edge_n; i++) entries[b->edges[i]]++;
    c->regions = base_alloc(sizeof *c->regions * (b->block_n + 1));
    for (u32 i = 0; i < b->block_n; i++) {
        const struct basic_block *k = &b->blocks[i];
        if (!joined) c->regions[c->region_n++].first = k->first;
        c->regions[c->region_n - 1].end = k->end;
        joined = k->edge_n == 1 && b->edges[k->edge] == i + 1 && entries[i + 1] == 1;
    }
    free(entries);
}

void contract(struct body *b)
{
    struct contraction c = {.b = b,
                            .held = base_alloc(sizeof *c.held * (b->register_n + 1)),
                            .written = base_alloc(sizeof *c.written * (b->register_n + 1)),
                            .home = base_alloc(sizeof *c.home * (b->register_n + 1)),
                            .fused = base_alloc(sizeof *c.fused * (b->step_n + 1)),
                            .dead = base_alloc(b->step_n + 1)};
    find_regions(&c);
    find_homes(&c);
    for (u32 i = 0; i < c.region_n; i++) {
        u32 first = c.use_n;
        find_uses(&c, &c.regions[i]);
        leave_region(&c, i);
        choose(&c, first, c.use_n, true);
        choose(&c, first, c.use_n, false);
    }
    fuse_chosen(&c);
    remove_dead(&c);
    free(c.held);
    free(c.written);
    free(c.home);
    free(c.regions);
    free(c.fused);
    free(c.dead);
    free(c.products);
    free(c.uses);
    free(c.copies);
}
