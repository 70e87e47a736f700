"""Cases of asynchronous copies to shared memory, mbarriers, the heap and alloca.

Expected words are computed here from the manual's definitions. The functional runner completes a
copy when a thread waits for the copy, the oldest first, and no sooner than necessary.
"""
from pick import Pick
from case import Case, LANES, words_of

STORE = "st.global.u32 [%d1], %r2;"
SHARED = ".shared .align 16 .b8 s[2048]; .shared .align 8 .b64 m[4];"


def address(n):
    """The lane's n bytes of the input in %d4, of shared memory in %r3."""
    return f"mad.wide.u32 %d4, %r0, {n}, %d2; mov.u32 %r3, s; mad.lo.u32 %r3, %r0, {n}, %r3;"


def copied(n, size, data, lane):
    """Returns a lane's n bytes, of which `size` are read."""
    return data[n * lane:n * lane + size] + bytes(n - size)


def make_copies(out, data):
    for cache, n in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        c = Case(out, f"copy_{cache}_{n}", 32, SHARED)
        c.code(address(n), f"cp.async.{cache}.shared.global [%r3], [%d4], {n};",
               "ld.shared.u32 %r4, [%r3]; cp.async.wait_all; ld.shared.u32 %r5, [%r3];",
               f"ld.shared.u32 %r6, [%r3+{n - 4}]; st.global.u32 [%d1], %r4;",
               "st.global.u32 [%d1+128], %r5; st.global.u32 [%d1+256], %r6;").data(words_of(data))
        lanes = [copied(n, n, data, k) for k in LANES]
        c.expect(0, [0] * 32)
        c.expect(32, [words_of(b)[0] for b in lanes]).expect(64, [words_of(b)[-1] for b in lanes])
        c.end()
    for n in (4, 8, 16):  # lane k reads k % (n + 1) bytes, the rest is zero
        c = Case(out, f"copy_size_{n}", 32, SHARED)
        c.code(address(n), f"st.shared.b32 [%r3+{n - 4}], -1; rem.u32 %r4, %r0, {n + 1};",
               f"cp.async.ca.shared.global [%r3], [%d4], {n}, %r4; cp.async.commit_group;",
               "cp.async.wait_group 0; ld.shared.u32 %r5, [%r3];",
               f"ld.shared.u32 %r6, [%r3+{n - 4}];",
               "st.global.u32 [%d1], %r5; st.global.u32 [%d1+128], %r6;").data(words_of(data))
        lanes = [copied(n, k % (n + 1), data, k) for k in LANES]
        c.expect(0, [words_of(b)[0] for b in lanes]).expect(32, [words_of(b)[-1] for b in lanes])
        c.end()
    Case(out, "copy_ignores", 32, SHARED).code(
        address(4), "st.shared.b32 [%r3], -1; setp.lt.u32 %p1, %r0, 10;",
        "cp.async.ca.shared.global [%r3], [%d4], 4, %p1; cp.async.wait_all;",
        "ld.shared.u32 %r2, [%r3];", STORE).data(words_of(data)).expect(
            0, [0 if k < 10 else words_of(data)[k] for k in LANES]).end()
    Case(out, "copy_reads_nothing", 32, SHARED).code(
        address(4), "st.shared.b32 [%r3], -1; mov.u64 %d4, 0;",
        "cp.async.ca.shared.global [%r3], [%d4], 4, 0;", "ld.shared.u32 %r2, [%r3];", STORE).expect(
            0, [0] * 32).end()
    Case(out, "copy_offsets", 32, SHARED).code(
        address(4), "cp.async.ca.shared.global.L2::128B [%r3+64], [%d4+8], 4;",
        "cp.async.wait_all; ld.shared.u32 %r2, [%r3+64];", STORE).data(words_of(data)).expect(
            0, [words_of(data)[k + 2] for k in LANES]).end()


def make_groups(out, data):
    """The last of three groups is still under way; every lane has its own groups."""
    words = words_of(data)
    Case(out, "copy_groups", 32, SHARED).code(
        address(4), *[f"cp.async.ca.shared.global [%r3+{128 * k}], [%d4+{4 * k}], 4; "
                      "cp.async.commit_group;" for k in range(3)],
        "cp.async.wait_group 1;",
        *[f"ld.shared.u32 %r2, [%r3+{128 * k}]; st.global.u32 [%d1+{128 * k}], %r2;"
          for k in range(3)]).data(words).expect(
              0, [words[k] for k in LANES]).expect(32, [words[k + 1] for k in LANES]).expect(
                  64, [0] * 32).end()
    Case(out, "copy_own_groups", 32, SHARED).code(
        address(4), "setp.lt.u32 %p1, %r0, 8;",
        "cp.async.ca.shared.global [%r3], [%d4], 4; cp.async.commit_group;",
        "@%p1 cp.async.commit_group; @!%p1 cp.async.wait_group 1; ld.shared.u32 %r2, [%r3];",
        STORE, "@%p1 cp.async.wait_group 1; ld.shared.u32 %r2, [%r3];",
        "st.global.u32 [%d1+128], %r2;").data(words).expect(0, [0] * 32).expect(
            32, [words[k] for k in LANES]).end()


FULL = 1 << 20  # more arrivals than an mbarrier can count


def make_mbarriers(out):
    head = "mov.u32 %r3, m; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r3], {};"

    def case(name, count, *code, threads=32):
        return Case(out, "mbarrier_" + name, threads, SHARED).code(
            head.format(count), "bar.sync 0;", *code)

    count = "mbarrier.pending_count.b64 %r2, %d4;"
    # arrivals in lane order: the state before each
    case("arrive", 40, "mbarrier.arrive.shared.b64 %d4, [%r3];", count, STORE).expect(
        0, [40 - k for k in LANES]).end()
    case("arrive_count", 100, "mbarrier.arrive.release.cta.shared::cta.b64 %d4, [%r3], 3;", count,
         STORE).expect(0, [100 - 3 * k for k in LANES]).end()
    case("arrive_wraps", 8, "mbarrier.arrive.shared.b64 %d4, [%r3];", count, STORE).expect(
        0, [8 - k % 8 for k in LANES]).end()
    case("no_complete", 40, "mbarrier.arrive.noComplete.shared.b64 %d4, [%r3], 1;", count,
         STORE).expect(0, [40 - k for k in LANES]).end()
    # half of them drop out: the second phase waits for the other half
    case("drop", 32, "setp.lt.u32 %p2, %r0, 16; @%p2 mbarrier.arrive_drop.shared.b64 %d4, [%r3];",
         *["@!%p2 mbarrier.arrive.shared.b64 %d4, [%r3];"] * 2,
         count, STORE).expect(
             0, [32 - k for k in range(16)] + [16 - k for k in range(16)]).end()
    case("drop_no_complete", 40, "mbarrier.arrive_drop.noComplete.shared.b64 %d4, [%r3], 1;", count,
         STORE).expect(0, [40 - k for k in LANES]).end()
    # a phase is over for a thread with the phase's state, not with the state of the next phase
    case("test_wait", 32, "mbarrier.arrive.shared.b64 %d4, [%r3];",
         "mbarrier.test_wait.shared.b64 %p2, [%r3], %d4; selp.u32 %r2, 1, 0, %p2;", STORE,
         "@%p1 mbarrier.arrive.shared.b64 %d4, [%r3];",
         "mbarrier.test_wait.acquire.cta.shared.b64 %p2, [%r3], %d4; selp.u32 %r2, 1, 0, %p2;",
         "st.global.u32 [%d1+128], %r2;").expect(0, [1] * 32).expect(32, [0] + [1] * 31).end()
    case("parity", 32, "and.b32 %r4, %r0, 1;",
         "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], %r4; selp.u32 %r2, 1, 0, %p2;", STORE,
         "mbarrier.arrive.shared.b64 _, [%r3];",
         "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], %r4; selp.u32 %r2, 1, 0, %p2;",
         "st.global.u32 [%d1+128], %r2;").expect(0, [k & 1 for k in LANES]).expect(
             32, [1 - (k & 1) for k in LANES]).end()
    # warp 1 waits for warp 0, whose path is longer
    for name, wait in (("try", "mbarrier.try_wait.shared.b64 %p2, [%r3], %d4;"),
                       ("try_time", "mbarrier.try_wait.shared.b64 %p2, [%r3], %d4, 20;"),
                       ("try_parity", "mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;"),
                       ("try_parity_time", "mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0, 9;"),
                       ("test", "mbarrier.test_wait.shared.b64 %p2, [%r3], %d4;")):
        case(name, 64, "mov.u32 %r4, s; mad.lo.u32 %r4, %r0, 4, %r4; setp.lt.u32 %p3, %r0, 32;",
             "mov.u32 %r5, 0; @!%p3 bra there;",
             "again: add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 50; @%p4 bra again;",
             "there: add.u32 %r6, %r0, %r5; st.shared.u32 [%r4], %r6;",
             "mbarrier.arrive.shared.b64 %d4, [%r3];", "spin: " + wait, "@!%p2 bra spin;",
             "xor.b32 %r4, %r4, 128; ld.shared.u32 %r2, [%r4];", STORE, threads=64).expect(
                 0, [k + 32 for k in LANES] + [k + 50 for k in LANES]).end()
    # waits include expected bytes
    for name, way in (("expect_tx", "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], 64;"),
                      ("arrive_expect_tx", "mbarrier.arrive.expect_tx.shared.b64 %d4, [%r3], 64;")):
        case(name, 1, "@%p1 " + way,
             "@%p1 mbarrier.arrive.shared.b64 %d4, [%r3];" if name == "expect_tx" else "",
             "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; selp.u32 %r2, 1, 0, %p2;", STORE,
             "setp.lt.u32 %p3, %r0, 4; @%p3 mbarrier.complete_tx.shared.b64 [%r3], 16;",
             "mbarrier.test_wait.parity.shared.b64 %p2, [%r3], 0; selp.u32 %r2, 1, 0, %p2;",
             "st.global.u32 [%d1+128], %r2;").expect(0, [0] * 32).expect(32, [1] * 32).end()
    case("drop_expect_tx", 2, "@%p1 mbarrier.arrive_drop.expect_tx.shared.b64 %d4, [%r3], 4;",
         "@%p1 mbarrier.complete_tx.shared.b64 [%r3], 4;",
         "@%p1 mbarrier.arrive.shared.b64 %d4, [%r3];",
         "@%p1 mbarrier.arrive.shared.b64 %d4, [%r3]; mbarrier.pending_count.b64 %r2, %d4;",
         "@!%p1 mov.u32 %r2, 9;", STORE).expect(0, [1] + [9] * 31).end()
    generic = "mov.u64 %d5, m; cvta.shared.u64 %d5, %d5;"
    case("generic", 40, generic, "mbarrier.arrive.b64 %d4, [%d5];", count, STORE).expect(
        0, [40 - k for k in LANES]).end()
    case("inval", 40, "@%p1 mbarrier.inval.shared.b64 [%r3]; ld.shared.u32 %r2, [%r3];",
         STORE).expect(0, [0] * 32).end()
    for name, n, fault, code in (
            ("no_init", 40, "an uninitialised mbarrier",
             "mbarrier.arrive.shared.b64 %d4, [%r3+8];"),
            ("was_invalid", 40, "an uninitialised mbarrier",
             "@%p1 mbarrier.inval.shared.b64 [%r3]; mbarrier.arrive.shared.b64 %d4, [%r3];"),
            ("too_many", 40, "more arrivals at an mbarrier than expected",
             "mbarrier.arrive.shared.b64 %d4, [%r3], 41;"),
            ("completes", 32, ".noComplete would complete a phase",
             "mbarrier.arrive.noComplete.shared.b64 %d4, [%r3], 1;"),
            ("count", FULL, "mbarrier count out of range", ""),
            ("zero", 0, "mbarrier count out of range", ""),
            ("elsewhere", 1, "mbarrier outside shared memory", "mbarrier.arrive.b64 %d4, [%d2];"),
            ("tx_range", 1, "transaction count of an mbarrier out of range",
             f"mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3], {FULL};")):
        c = case("fault_" + name, n, code)
        c.out.append("fault: " + fault)
        c.end()


def make_arrivals(out, data):
    """A lane's arrival follows the lane's copies; noinc: the mbarrier already expects the
    arrival."""
    words = words_of(data)
    for name, count, how in (("noinc", 32, ".noinc"), ("inc", 32, "")):
        arrive = "" if how else "mbarrier.arrive.shared.b64 %d5, [%r4];"
        Case(out, f"copy_arrive_{name}", 32, SHARED).code(
            address(4), "mov.u32 %r4, m; setp.eq.u32 %p1, %r0, 0;",
            f"@%p1 mbarrier.init.shared.b64 [%r4], {count}; bar.sync 0;",
            "cp.async.ca.shared.global [%r3], [%d4], 4;",
            f"cp.async.mbarrier.arrive{how}.shared.b64 [%r4]; ld.shared.u32 %r2, [%r3];", STORE,
            arrive, "spin: mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0; @!%p2 bra spin;",
            "ld.shared.u32 %r2, [%r3]; st.global.u32 [%d1+128], %r2;").data(words).expect(
                0, [0] * 32).expect(32, [words[k] for k in LANES]).end()
    Case(out, "copy_arrive_at_once", 32, SHARED).code(
        "mov.u32 %r4, m; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r4], 32;",
        "bar.sync 0; mov.u64 %d5, m; cvta.shared.u64 %d5, %d5;",
        "cp.async.mbarrier.arrive.noinc.b64 [%d5];",
        "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0; selp.u32 %r2, 1, 0, %p2;",
        STORE).expect(0, [1] * 32).end()


def make_faults(out):
    for name, fault, to, from_, size in (
            ("far", "out-of-bounds shared store", "[%r3+4096]", "[%d4]", 4),
            ("crooked", "misaligned shared store", "[%r3+2]", "[%d4]", 4),
            ("outside", "out-of-bounds global load", "[%r3]", "[%d4+65536]", 4),
            ("null", "null-pointer global load", "[%r3]", "[8]", 4),
            ("uneven", "misaligned global load", "[%r3]", "[%d4+4]", 8)):
        c = Case(out, "copy_fault_" + name, 32, SHARED).code(
            address(size), f"cp.async.ca.shared.global {to}, {from_}, {size}; cp.async.wait_all;")
        c.out.append("fault: " + fault)
        c.end()


HEAP = """.extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);
.func (.reg .b64 p) take(.reg .b64 n) { .param .b64 a; .param .b64 b; st.param.b64 [a], n;
call (b), malloc, (a); ld.param.b64 p, [b]; ret; }
.func give(.reg .b64 p) { .param .b64 a; st.param.b64 [a], p; call free, (a); ret; }"""
STACK = """.func (.reg .b32 r) f(.reg .b32 n) { .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .pred %p;
cvt.u64.u32 %d0, n; alloca.u64 %d1, %d0, 32; st.local.u32 [%d1], n; cvt.u32.u64 r, %d1; ret; }"""


def make_heap(out):
    # lane k gets 16 k + 1 bytes: k + 1 units, right behind the lane before
    Case(out, "malloc", 32, HEAP).code(
        "mad.lo.u32 %r3, %r0, 16, 1; cvt.u64.u32 %d4, %r3; call (%d5), take, (%d4);",
        "st.u32 [%d5], %r0; shfl.sync.idx.b32 %r4, %r3, 0, 31, -1; cvt.u32.u64 %r5, %d5;",
        "shfl.sync.idx.b32 %r6, %r5, 0, 31, -1; sub.u32 %r2, %r5, %r6;", STORE,
        "ld.u32 %r2, [%d5]; st.global.u32 [%d1+128], %r2;").expect(
            0, [16 * (k * (k + 1) // 2) for k in LANES]).expect(32, list(LANES)).end()
    # Allocation reuses free space, the lowest fitting block first; returns null for 0 bytes or too
    # many.
    Case(out, "free", 1, HEAP).code(
        "call (%d4), take, (32); call (%d5), take, (16); call (%d6), take, (48);",
        "call give, (%d4); call give, (%d5); call (%d7), take, (48); sub.u64 %d8, %d7, %d4;",
        "cvt.u32.u64 %r2, %d8; st.global.u32 [%d0], %r2; call (%d7), take, (16);",
        "sub.u64 %d8, %d7, %d6; cvt.u32.u64 %r2, %d8; st.global.u32 [%d0+4], %r2;",
        "call (%d7), take, (0); st.global.u64 [%d0+8], %d7; call (%d7), take, (8388608);",
        "st.global.u64 [%d0+16], %d7; call give, (0);").expect(0, [0, 48, 0, 0, 0, 0]).end()
    for name, code in (("foreign", "call give, (%d2);"),
                       ("twice", "call (%d4), take, (8); call give, (%d4); call give, (%d4);"),
                       ("inside", "call (%d4), take, (64); add.u64 %d4, %d4, 16; "
                                  "call give, (%d4);")):
        c = Case(out, "free_" + name, 1, HEAP).code(code)
        c.out.append("fault: free of an address not allocated by malloc")
        c.end()


def make_alloca(out):
    for t, r in (("u64", "%d"), ("u32", "%r")):
        size = r + "4"
        Case(out, f"alloca_{t}").code(
            "mov.u32 %r4, 12; mov.u64 %d4, 12;",
            f"alloca.{t} {r}5, {size}; alloca.{t} {r}7, {size}, 32; st.local.u32 [{r}5], %r0;",
            f"st.local.u32 [{r}7+8], 7; ld.local.u32 %r2, [{r}5];", STORE,
            f"sub.{t} {r}8, {r}7, {r}5; rem.{t} {r}9, {r}7, 32;",
            f"setp.lt.{t} %p1, {r}8, 12; selp.u32 %r3, 1, 0, %p1; st.global.u32 [%d1+128], %r3;",
            f"setp.ne.{t} %p1, {r}9, 0; selp.u32 %r3, 1, 0, %p1; st.global.u32 [%d1+256], %r3;",
        ).expect(0, list(LANES)).expect(32, [0] * 64).end()
        # memory allocated after a save is free after the restore
        Case(out, f"stack_{t}").code(
            "mov.u32 %r4, 600; mov.u64 %d4, 600;",
            f"stacksave.{t} {r}10; alloca.{t} {r}5, {size}; stackrestore.{t} {r}10;",
            f"alloca.{t} {r}7, {size}; sub.{t} {r}8, {r}7, {r}5;",
            "cvt.u32.u64 %r2, %d8;" if t == "u64" else "mov.u32 %r2, %r8;", STORE).expect(
                0, [0] * 32).end()
    # memory of a function is free after the function returns
    Case(out, "alloca_function", 32, STACK).code(
        "call (%r3), f, (700); call (%r4), f, (700); sub.u32 %r2, %r4, %r3;", STORE).expect(
            0, [0] * 32).end()
    for name, fault, code in (
            ("overflow", "stack overflow", "mov.u64 %d4, 1025; alloca.u64 %d5, %d4;"),
            ("restore", "stackrestore to an address not returned by stacksave",
             "mov.u64 %d4, 8; stackrestore.u64 %d4;")):
        c = Case(out, "alloca_" + name).code(code)
        c.out.append("fault: " + fault)
        c.end()


def make_cluster(out):
    """A block is its own cluster."""
    for t, r in (("u32", "%r"), ("u64", "%d")):
        Case(out, f"mapa_{t}", 32, SHARED).code(
            f"mov.{t} {r}4, s; mapa.shared::cluster.{t} {r}5, {r}4, 0; sub.{t} {r}6, {r}5, {r}4;",
            f"getctarank.shared::cluster.{t} %r3, {r}5;",
            "cvt.u32.u64 %r2, %d6;" if t == "u64" else "mov.u32 %r2, %r6;",
            "add.u32 %r2, %r2, %r3;", STORE).expect(0, [0] * 32).end()
    c = Case(out, "mapa_other", 32, SHARED).code("mov.u32 %r4, s; mapa.shared::cluster.u32 %r5, "
                                                 "%r4, 1;")
    c.out.append("fault: block rank out of range")
    c.end()
    Case(out, "shared_cluster", 32, SHARED).code(
        "mov.u32 %r3, s; mad.lo.u32 %r3, %r0, 4, %r3; st.shared::cluster.u32 [%r3], %r0;",
        "fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta; fence.proxy.alias;",
        "ld.shared::cluster.u32 %r2, [%r3];", STORE).expect(0, list(LANES)).end()


def make():
    random = Pick(7).random
    data = bytes(random.randrange(256) for _ in range(512))
    out = ["# made by make_cases.py"]
    make_copies(out, data)
    make_groups(out, data)
    make_mbarriers(out)
    make_arrivals(out, data)
    make_faults(out)
    make_heap(out)
    make_alloca(out)
    make_cluster(out)
    return out
