/* A simulator for tests of the CUDA libraries: takes the place of cuda/connection/client.c, records
 * the calls of the library and answers each call like the real simulator. */
#ifndef CORUN_TEST_FAKE_SIMULATOR_H
#define CORUN_TEST_FAKE_SIMULATOR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/connection/alias.h"
#include "cuda/connection/client.h"
#include "cuda/connection/error.h"

enum { SEEN_MAX = 512, FAKE_STREAMS = 64, FAKE_ALLOCATIONS = 64, FAKE_BYTES = 256 };

struct seen { /* a call received, with the first bytes of the payload */
    struct corun_call call;
    unsigned char payload[FAKE_BYTES], more[FAKE_BYTES];
};
struct fake_allocation {
    uint64_t address, bytes, kind, variable;
};
static struct fake {
    struct seen seen[SEEN_MAX];
    size_t seen_n;
    cudaError_t refuses[CALL_N]; /* the answer to each kind of call; cudaSuccess by default */
    uint64_t apart[FAKE_STREAMS], priority[FAKE_STREAMS]; /* [stream] */
    uint64_t stream_n, event_n, handle_n, next_address;
    struct fake_allocation allocations[FAKE_ALLOCATIONS];
    size_t allocation_n;
    uint64_t elapsed_ps, shared_per_sm;
    struct wire_kernel kernel; /* the answer to CALL_KERNEL */
    struct wire_param params[8];
    void (*on_call)(struct corun_call *c); /* called for each call, or NULL */
    uint64_t shown_address, shown_bytes;   /* of the last corun_show */
    uint64_t alias_address, alias_device, alias_bytes; /* of the last corun_alias */
    uint64_t aliased; /* the answer of corun_aliased */
    bool is_shared, alias_fails, has_no_device;
    struct wire_device device;
} fake;

/* Setup of each test: a simulator without calls, a library without a stored error. Blocking
 * streams 1 to FAKE_STREAMS - 1 exist. */
static inline int fake_start(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.next_address = WIRE_MEMORY_START;
    fake.shared_per_sm = 65536;
    fake.device.attributes[cudaDevAttrMaxSharedMemoryPerBlock] = 49152;
    fake.device.attributes[cudaDevAttrMaxSharedMemoryPerBlockOptin] = 65536;
    fake.device.attributes[cudaDevAttrComputeCapabilityMajor] = 7;
    fake.device.attributes[cudaDevAttrComputeCapabilityMinor] = 5;
    cudaGetLastError();
    return 0;
}

/* Returns the n-th call received, from the end; 0: the last. */
static inline const struct seen *seen_back(size_t n)
{
    assert_true(n < fake.seen_n);
    return &fake.seen[fake.seen_n - 1 - n];
}

static inline const struct corun_call *last_call(void) { return &seen_back(0)->call; }

static inline struct wire_copy last_copy(void)
{
    struct wire_copy w;
    assert_int_equal(last_call()->call, CALL_COPY);
    memcpy(&w, seen_back(0)->payload, sizeof w);
    return w;
}

static inline struct wire_launch last_launch(void)
{
    struct wire_launch l;
    assert_int_equal(last_call()->call, CALL_LAUNCH);
    memcpy(&l, seen_back(0)->payload, sizeof l);
    return l;
}

/* Number of calls of a kind so far. */
static inline size_t seen_of(enum wire_call call)
{
    size_t n = 0;
    for (size_t i = 0; i < fake.seen_n; i++) n += fake.seen[i].call.call == call;
    return n;
}

static inline void fake_allocate(struct corun_call *c)
{
    assert_true(fake.allocation_n < FAKE_ALLOCATIONS);
    struct fake_allocation *a = &fake.allocations[fake.allocation_n++];
    *a = (struct fake_allocation){fake.next_address, c->at[0], c->at[1], 0};
    fake.next_address += (c->at[0] + 511) / 512 * 512;
    c->got[0] = a->address;
}

static inline cudaError_t fake_pointer(struct corun_call *c)
{
    for (size_t i = 0; i < fake.allocation_n; i++) {
        const struct fake_allocation *a = &fake.allocations[i];
        if (c->at[0] - a->address >= a->bytes) continue;
        c->got[0] = a->address;
        c->got[1] = a->bytes;
        c->got[2] = a->kind;
        c->got[3] = a->variable;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

static inline void fake_kernel(struct corun_call *c)
{
    char *answer = malloc(sizeof fake.kernel + sizeof fake.params);
    assert_non_null(answer);
    memcpy(answer, &fake.kernel, sizeof fake.kernel);
    memcpy(answer + sizeof fake.kernel, fake.params, sizeof fake.params);
    *c->out_new = answer;
    c->got_bytes = (uint32_t)(sizeof fake.kernel + fake.kernel.param_n * sizeof *fake.params);
    c->got[0] = ++fake.handle_n;
}

static inline cudaError_t fake_answer(struct corun_call *c)
{
    if (fake.refuses[c->call]) return fake.refuses[c->call];
    switch ((int)c->call) {
    case CALL_ALLOC: fake_allocate(c); break;
    case CALL_POINTER: return fake_pointer(c);
    case CALL_KERNEL: fake_kernel(c); break;
    case CALL_MODULE: c->got[0] = ++fake.handle_n; break;
    case CALL_STREAM_NEW:
        c->got[0] = 32 + fake.stream_n++; /* streams with lower numbers exist from the start */
        assert_true(c->got[0] < FAKE_STREAMS);
        fake.apart[c->got[0]] = c->at[0];
        fake.priority[c->got[0]] = c->at[1];
        break;
    case CALL_STREAM_GET:
        assert_true(c->at[0] < FAKE_STREAMS);
        c->got[0] = fake.apart[c->at[0]];
        c->got[1] = fake.priority[c->at[0]];
        break;
    case CALL_EVENT_NEW: c->got[0] = ++fake.event_n; break;
    case CALL_EVENT_ELAPSED: c->got[0] = fake.elapsed_ps; break;
    case CALL_OCCUPANCY:
        c->got[0] = c->at[2] ? fake.shared_per_sm / c->at[2] : 32;
        break;
    default: break;
    }
    return cudaSuccess;
}

cudaError_t corun_do(struct corun_call *c)
{
    assert_true(fake.seen_n < SEEN_MAX);
    struct seen *s = &fake.seen[fake.seen_n++];
    s->call = *c;
    if (c->payload) memcpy(s->payload, c->payload, c->payload_bytes < FAKE_BYTES ? c->payload_bytes
                                                                                 : FAKE_BYTES);
    if (c->more) memcpy(s->more, c->more, c->more_bytes < FAKE_BYTES ? c->more_bytes : FAKE_BYTES);
    if (fake.on_call) fake.on_call(c);
    return fake_answer(c);
}

const struct wire_device *corun_device(void) { return fake.has_no_device ? NULL : &fake.device; }

void corun_show(uint64_t address, uint64_t size)
{
    fake.shown_address = address;
    fake.shown_bytes = size;
}

uint64_t corun_aliased(uint64_t address, uint64_t size)
{
    fake.alias_address = address;
    fake.alias_bytes = size;
    return fake.aliased;
}

bool corun_is_shared(uint64_t address, uint64_t size)
{
    (void)address, (void)size;
    return fake.is_shared;
}

bool corun_alias(uint64_t address, uint64_t device, uint64_t size)
{
    fake.alias_address = address;
    fake.alias_device = device;
    fake.alias_bytes = size;
    return !fake.alias_fails;
}

#define TEST(name) cmocka_unit_test_setup(name, fake_start)
/* The call fails with this error, and the library stores the error for cudaGetLastError. */
#define assert_refused(error, call)                                                                \
    do {                                                                                           \
        assert_int_equal(call, error);                                                             \
        assert_int_equal(cudaGetLastError(), error);                                               \
    } while (0)

#endif
