/* Memory of the run-time API: allocations, registered memory of the program, copies and fills. The
 * tests see the calls that reach the simulator. Source: CUDA run-time API, Memory Management and
 * API synchronization behavior. */
#include "fake_simulator.h"

#include <stdint.h>

#include "cuda/capture/capture.h"
#include "cuda/runtime/stream_id.h"

static void *const device = (void *)(uintptr_t)(WIRE_MEMORY_START + 4096);
static char host[8192];
static const cudaStream_t stream = (cudaStream_t)(uintptr_t)(3 + HANDLE);

/* ---- allocations ---- */

static void assert_allocated(const void *pointer, size_t bytes, enum wire_memory kind)
{
    assert_non_null(pointer);
    assert_int_equal(last_call()->call, CALL_ALLOC);
    assert_int_equal(last_call()->at[0], bytes);
    assert_int_equal(last_call()->at[1], kind);
    assert_true(fake.shown_bytes == (kind == WIRE_DEVICE ? 0 : bytes)); /* pages of the program */
    assert_true(fake.shown_address == (kind == WIRE_DEVICE ? 0 : corun_address(pointer)));
    fake.shown_address = fake.shown_bytes = 0;
}

static void test_allocation(void **state)
{
    (void)state;
    void *p = host;
    assert_int_equal(cudaMalloc(&p, 1000), cudaSuccess);
    assert_allocated(p, 1000, WIRE_DEVICE);
    assert_int_equal(cudaMallocManaged(&p, 2000, cudaMemAttachGlobal), cudaSuccess);
    assert_allocated(p, 2000, WIRE_MANAGED);
    assert_int_equal(cudaHostAlloc(&p, 3000, cudaHostAllocMapped | cudaHostAllocPortable),
                     cudaSuccess);
    assert_allocated(p, 3000, WIRE_PINNED);
    assert_int_equal(cudaMallocHost(&p, 4000), cudaSuccess);
    assert_allocated(p, 4000, WIRE_PINNED);
    assert_int_equal(cudaMalloc(&p, 0), cudaSuccess); /* nothing is allocated */
    assert_null(p);
    assert_int_equal(seen_of(CALL_ALLOC), 4);
    fake.refuses[CALL_ALLOC] = cudaErrorMemoryAllocation;
    p = host;
    assert_refused(cudaErrorMemoryAllocation, cudaMalloc(&p, 1ull << 50));
    assert_null(p);
    assert_refused(cudaErrorInvalidValue, cudaMalloc(NULL, 1));
    assert_refused(cudaErrorInvalidValue, cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    assert_refused(cudaErrorInvalidValue, cudaMallocManaged(&p, 8, cudaMemAttachSingle));
    assert_refused(cudaErrorInvalidValue, cudaHostAlloc(&p, 8, 8));
}

/* Rows begin at multiples of 512 bytes. */
static void test_pitch(void **state)
{
    (void)state;
    const size_t widths[] = {1, 511, 512, 513, 1024, 5000}, pitches[] = {512, 512, 512, 1024, 1024,
                                                                         5120};
    void *p;
    size_t pitch = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        assert_int_equal(cudaMallocPitch(&p, &pitch, widths[i], 7), cudaSuccess);
        assert_int_equal(pitch, pitches[i]);
        assert_allocated(p, 7 * pitches[i], WIRE_DEVICE);
        struct cudaPitchedPtr box = {0};
        assert_int_equal(cudaMalloc3D(&box, (struct cudaExtent){widths[i], 7, 3}), cudaSuccess);
        assert_int_equal(box.pitch, pitches[i]);
        assert_int_equal(box.xsize, widths[i]);
        assert_int_equal(box.ysize, 7);
        assert_allocated(box.ptr, 7 * 3 * pitches[i], WIRE_DEVICE);
    }
    struct cudaPitchedPtr box;
    const size_t sent = fake.seen_n;
    assert_refused(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, SIZE_MAX - 510, 1));
    assert_refused(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 1ull << 40, 1ull << 24));
    assert_refused(cudaErrorMemoryAllocation,
                   cudaMalloc3D(&box, (struct cudaExtent){1, 1ull << 40, 1ull << 24}));
    assert_refused(cudaErrorInvalidValue, cudaMallocPitch(NULL, &pitch, 1, 1));
    assert_refused(cudaErrorInvalidValue, cudaMallocPitch(&p, NULL, 1, 1));
    assert_refused(cudaErrorInvalidValue, cudaMalloc3D(NULL, (struct cudaExtent){1, 1, 1}));
    assert_int_equal(fake.seen_n, sent);
}

static void test_release(void **state)
{
    (void)state;
    assert_int_equal(cudaFree(NULL), cudaSuccess);
    assert_int_equal(cudaFreeHost(NULL), cudaSuccess);
    assert_int_equal(fake.seen_n, 0);
    assert_int_equal(cudaFree(device), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_FREE);
    assert_int_equal(last_call()->at[0], corun_address(device));
    assert_int_equal(last_call()->at[1], WIRE_DEVICE);
    assert_int_equal(cudaFreeHost(device), cudaSuccess);
    assert_int_equal(last_call()->at[1], WIRE_PINNED);
    fake.refuses[CALL_FREE] = cudaErrorInvalidValue; /* freed twice */
    assert_refused(cudaErrorInvalidValue, cudaFree(device));
}

/* cudaMalloc and cudaFree during a capture are errors that invalidate the capture. */
static void test_capture_forbids(void **state)
{
    (void)state;
    void *p;
    cudaGraph_t graph;
    for (unsigned i = 0; i < 4; i++) {
        const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
        assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeGlobal), 0);
        const size_t sent = fake.seen_n;
        switch (i) {
        case 0: assert_refused(unsupported, cudaMalloc(&p, 8)); break;
        case 1: assert_refused(unsupported, cudaFree(device)); break;
        case 2: assert_refused(unsupported, cudaHostRegister(host, 8, 0)); break;
        case 3: assert_refused(unsupported, cudaHostUnregister(host)); break;
        }
        assert_int_equal(fake.seen_n, sent);
        assert_int_equal(corun_capture_end(3, &graph), cudaErrorStreamCaptureInvalidated);
    }
}

static void test_info(void **state)
{
    (void)state;
    size_t left = 1, total = 1;
    assert_int_equal(cudaMemGetInfo(&left, &total), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_MEMORY);
    assert_refused(cudaErrorInvalidValue, cudaMemGetInfo(NULL, &total));
    assert_refused(cudaErrorInvalidValue, cudaMemGetInfo(&left, NULL));
}

static void test_attributes(void **state)
{
    (void)state;
    struct cudaPointerAttributes a;
    void *p[3];
    const enum cudaMemoryType types[] = {cudaMemoryTypeDevice, cudaMemoryTypeManaged,
                                         cudaMemoryTypeHost};
    assert_int_equal(cudaMalloc(&p[0], 600), cudaSuccess);
    assert_int_equal(cudaMallocManaged(&p[1], 600, cudaMemAttachHost), cudaSuccess);
    assert_int_equal(cudaMallocHost(&p[2], 600), cudaSuccess);
    for (unsigned i = 0; i < 3; i++) {
        void *const inside = (char *)p[i] + 599;
        assert_int_equal(cudaPointerGetAttributes(&a, inside), cudaSuccess);
        assert_int_equal(a.type, types[i]);
        assert_int_equal(a.device, 0);
        assert_ptr_equal(a.devicePointer, inside);
        assert_ptr_equal(a.hostPointer, i ? inside : NULL);
        assert_int_equal(cudaPointerGetAttributes(&a, (char *)p[i] + 600), cudaSuccess);
        assert_int_equal(a.type, cudaMemoryTypeUnregistered); /* behind the end */
    }
    assert_int_equal(cudaPointerGetAttributes(&a, host), cudaSuccess);
    assert_int_equal(a.type, cudaMemoryTypeUnregistered);
    assert_int_equal(a.device, cudaInvalidDeviceId);
    assert_ptr_equal(a.hostPointer, host);
    assert_null(a.devicePointer);
    assert_refused(cudaErrorInvalidValue, cudaPointerGetAttributes(NULL, host));
}

/* Hints concern managed memory, within its allocation, and a device that exists. */
static void test_hints(void **state)
{
    (void)state;
    void *managed, *plain;
    const struct cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
    const struct cudaMemLocation cpu = {cudaMemLocationTypeHost, 0};
    const struct cudaMemLocation other = {cudaMemLocationTypeDevice, 1};
    assert_int_equal(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal), cudaSuccess);
    assert_int_equal(cudaMalloc(&plain, 100), cudaSuccess);
    assert_int_equal(cudaMemPrefetchAsync(managed, 100, gpu, 0, stream), cudaSuccess);
    assert_int_equal(cudaMemPrefetchAsync((char *)managed + 60, 40, cpu, 0, stream), cudaSuccess);
    assert_refused(cudaErrorInvalidValue,
                   cudaMemPrefetchAsync((char *)managed + 60, 41, cpu, 0, stream));
    assert_refused(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 0, gpu, 0, stream));
    assert_refused(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 100, gpu, 1, stream));
    assert_refused(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 100, other, 0, stream));
    assert_refused(cudaErrorInvalidValue, cudaMemPrefetchAsync(plain, 100, gpu, 0, stream));
    assert_refused(cudaErrorInvalidValue, cudaMemPrefetchAsync(host, 100, gpu, 0, stream));
    assert_int_equal(cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, other), cudaSuccess);
    assert_refused(cudaErrorInvalidDevice,
                   cudaMemAdvise(managed, 100, cudaMemAdviseSetPreferredLocation, other));
    assert_refused(cudaErrorInvalidValue,
                   cudaMemAdvise(managed, 100, (enum cudaMemoryAdvise)0, gpu));
    assert_refused(cudaErrorInvalidValue,
                   cudaMemAdvise(managed, 100,
                                 (enum cudaMemoryAdvise)(cudaMemAdviseUnsetAccessedBy + 1), gpu));
}

/* ---- registered memory ---- */

static void test_registration(void **state)
{
    (void)state;
    assert_refused(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
    assert_refused(cudaErrorInvalidValue, cudaHostRegister(NULL, 8, 0));
    assert_refused(cudaErrorInvalidValue, cudaHostRegister(host, 0, 0));
    assert_refused(cudaErrorInvalidValue, cudaHostRegister(host, SIZE_MAX, 0));
    assert_refused(cudaErrorInvalidValue, cudaHostRegister(host, 8, 16));
    assert_refused(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(device, 8, 0));
    assert_int_equal(cudaHostRegister(host + 100, 100, cudaHostRegisterPortable), cudaSuccess);
    const cudaError_t already = cudaErrorHostMemoryAlreadyRegistered;
    assert_refused(already, cudaHostRegister(host + 100, 100, 0)); /* any byte in common */
    assert_refused(already, cudaHostRegister(host + 199, 1, 0));
    assert_refused(already, cudaHostRegister(host, 101, 0));
    assert_refused(already, cudaHostRegister(host, 300, 0));
    assert_refused(already, cudaHostRegister(host + 150, 10, 0));
    assert_int_equal(cudaHostRegister(host, 100, 0), cudaSuccess); /* adjacent */
    assert_int_equal(cudaHostRegister(host + 200, 100, 0), cudaSuccess);
    assert_refused(cudaErrorInvalidValue, cudaHostUnregister(host + 1)); /* within a range */
    assert_refused(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host + 300));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(cudaHostUnregister(host + 100 * i), cudaSuccess);
    assert_refused(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(host));
    assert_int_equal(fake.seen_n, 0); /* the simulator need not know */
}

/* Mapped memory gets pages that the device sees: whole pages around the registered bytes. */
static void test_mapped_registration(void **state)
{
    (void)state;
    static char backing[5 * 4096]; /* of the pinned memory, as the fake simulator has no pages */
    char *const pages = (char *)((corun_address(backing) + 4095) / 4096 * 4096);
    char *const start = pages + 4096 - 10; /* in two pages */
    void *p = NULL;
    fake.next_address = corun_address(pages) + 2 * 4096; /* pinned memory: two further pages */
    assert_int_equal(cudaHostRegister(start, 20, cudaHostRegisterMapped), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_ALLOC);
    assert_int_equal(last_call()->at[0], 3 * 4096); /* a page more, for alignment */
    assert_int_equal(last_call()->at[1], WIRE_PINNED);
    assert_int_equal(fake.alias_address, corun_address(pages));
    assert_int_equal(fake.alias_device, corun_address(pages) + 2 * 4096);
    assert_int_equal(fake.alias_bytes, 2 * 4096);
    assert_int_equal(cudaHostGetDevicePointer(&p, start + 19, 0), cudaSuccess);
    assert_ptr_equal(p, pages + 3 * 4096 - 10 + 19);
    assert_refused(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, start + 20, 0));
    assert_refused(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, start - 1, 0));
    assert_refused(cudaErrorInvalidValue, cudaHostGetDevicePointer(NULL, start, 0));
    assert_int_equal(cudaHostUnregister(start), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_SYNC); /* work that uses the pages has ended */
    assert_refused(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, start, 0));
    fake.aliased = 0x1234000; /* by the first registration: no memory is allocated again */
    const size_t calls = fake.seen_n;
    assert_int_equal(cudaHostRegister(start, 20, 0), cudaSuccess);
    assert_int_equal(cudaHostGetDevicePointer(&p, start + 3, 0), cudaSuccess); /* mapped now */
    assert_ptr_equal(p, corun_pointer(0x1234000 + 4096 - 10 + 3));
    assert_int_equal(fake.seen_n, calls);
    fake.alias_bytes = 0;
    assert_int_equal(cudaHostGetDevicePointer(&p, start, 0), cudaSuccess);
    assert_int_equal(fake.alias_bytes, 0); /* nothing to look for */
    assert_int_equal(cudaHostUnregister(start), cudaSuccess);
    assert_int_equal(last_call()->call, CALL_SYNC);
    fake.aliased = 0;
    fake.is_shared = true; /* another process would not see the device's pages */
    assert_refused(cudaErrorNotSupported, cudaHostRegister(start, 20, cudaHostRegisterMapped));
    assert_int_equal(cudaHostRegister(start, 20, 0), cudaSuccess);
    assert_refused(cudaErrorNotSupported, cudaHostGetDevicePointer(&p, start, 0));
    assert_int_equal(cudaHostUnregister(start), cudaSuccess);
    fake.is_shared = false;
    fake.alias_fails = true;
    fake.next_address = corun_address(pages) + 2 * 4096;
    assert_refused(cudaErrorMemoryAllocation, cudaHostRegister(start, 20, cudaHostRegisterMapped));
    assert_refused(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(start));
}

static void test_host_pointers(void **state)
{
    (void)state;
    void *p;
    unsigned flags;
    assert_int_equal(cudaHostGetDevicePointer(&p, device, 0), cudaSuccess);
    assert_ptr_equal(p, device); /* host and device address are equal */
    assert_int_equal(cudaHostGetFlags(&flags, device), cudaSuccess);
    assert_int_equal(flags, cudaHostAllocMapped);
    assert_refused(cudaErrorInvalidValue, cudaHostGetFlags(&flags, host));
    assert_refused(cudaErrorInvalidValue, cudaHostGetFlags(NULL, device));
}

/* ---- copies ---- */

#define H2H cudaMemcpyHostToHost
#define H2D cudaMemcpyHostToDevice
#define D2H cudaMemcpyDeviceToHost
#define D2D cudaMemcpyDeviceToDevice
#define ANY cudaMemcpyDefault

/* The direction must agree with the addresses. Managed and pinned memory, at device addresses, is
 * accessible from both sides. */
static void test_directions(void **state)
{
    (void)state;
    static const bool fits[5][4] = { /* [direction][destination on the device, source] */
        [H2H] = {true, false, false, false}, [H2D] = {false, false, true, true},
        [D2H] = {false, true, false, true}, [D2D] = {false, false, false, true},
        [ANY] = {true, true, true, true}};
    for (int kind = H2H; kind <= ANY; kind++) {
        for (unsigned ends = 0; ends < 4; ends++) {
            void *const to = ends & 2 ? device : host;
            const void *const from = ends & 1 ? (char *)device + 64 : host + 64;
            const size_t sent = fake.seen_n;
            const cudaError_t error = cudaMemcpy(to, from, 64, (enum cudaMemcpyKind)kind);
            assert_int_equal(error, fits[kind][ends] ? cudaSuccess : cudaErrorInvalidValue);
            assert_int_equal(cudaGetLastError(), error);
            assert_int_equal(fake.seen_n, sent + fits[kind][ends]);
            if (error) continue;
            const struct wire_copy w = last_copy();
            assert_int_equal(w.to, corun_address(to));
            assert_int_equal(w.from, corun_address(from));
            assert_int_equal(w.to_host, !(ends & 2));
            assert_int_equal(w.from_host, !(ends & 1));
            assert_int_equal(w.width, 64);
            assert_int_equal(w.height, 1);
            assert_int_equal(w.depth, 1);
            assert_int_equal(last_call()->at[1] & COPY_WAITS, COPY_WAITS);
        }
    }
    assert_refused(cudaErrorInvalidMemcpyDirection,
                   cudaMemcpy(device, host, 8, (enum cudaMemcpyKind)5));
    assert_refused(cudaErrorInvalidValue, cudaMemcpy(NULL, host, 8, ANY));
    assert_refused(cudaErrorInvalidValue, cudaMemcpy(device, NULL, 8, ANY));
    const size_t sent = fake.seen_n;
    assert_int_equal(cudaMemcpy(device, host, 0, H2D), cudaSuccess); /* nothing to do */
    assert_int_equal(fake.seen_n, sent);
}

static uint64_t async_bits(void *to, const void *from, size_t size)
{
    assert_int_equal(cudaMemcpyAsync(to, from, size, cudaMemcpyDefault, stream), cudaSuccess);
    assert_int_equal(last_call()->at[0], 3);
    return last_call()->at[1];
}

/* An asynchronous copy has read pageable memory when the call returns (staged with the call), and
 * to pageable memory the call waits; registered memory is read and written at the copy's turn. */
static void test_asynchronous_copies(void **state)
{
    (void)state;
    memcpy(host, "source", 7);
    assert_int_equal(async_bits(device, host, 7), COPY_STAGED);
    assert_int_equal(last_call()->more_bytes, 7);
    assert_memory_equal(seen_back(0)->more, "source", 7);
    assert_int_equal(async_bits(host, device, 7), COPY_WAITS);
    assert_int_equal(async_bits(device, (char *)device + 64, 7), 0);
    assert_int_equal(last_call()->more_bytes, 0);
    assert_int_equal(async_bits(host, host + 64, 7), COPY_WAITS);
    assert_int_equal(cudaHostRegister(host, 100, 0), cudaSuccess);
    assert_int_equal(async_bits(device, host + 50, 50), COPY_PINNED);
    assert_int_equal(last_call()->more_bytes, 0);
    assert_int_equal(async_bits(device, host + 51, 50), COPY_STAGED); /* one byte beyond */
    assert_int_equal(async_bits(host, device, 100), COPY_PINNED);
    assert_int_equal(async_bits(host, device, 101), COPY_WAITS);
    assert_int_equal(cudaHostUnregister(host), cudaSuccess);
    assert_int_equal(async_bits(device, host, WIRE_PAYLOAD_MAX), COPY_WAITS); /* too large */
    assert_int_equal(cudaMemcpy2DAsync(device, 64, host, 32, 16, 4, H2D, stream), cudaSuccess);
    assert_int_equal(last_call()->at[1], COPY_WAITS); /* rows are not staged */
}

/* A captured copy reads its source whenever the graph runs; a synchronous copy is forbidden. */
static void test_captured_copies(void **state)
{
    (void)state;
    cudaGraph_t graph;
    assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeRelaxed), 0);
    const size_t sent = fake.seen_n;
    assert_int_equal(cudaMemcpyAsync(device, host, 7, H2D, stream), cudaSuccess);
    assert_int_equal(cudaMemcpyAsync(host, device, 7, D2H, stream), cudaSuccess);
    assert_int_equal(fake.seen_n, sent);
    assert_int_equal(corun_capture_end(3, &graph), cudaSuccess);
    assert_int_equal(graph->node_n, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(graph->nodes[i]->calls[0].at[1], 0);
        assert_int_equal(graph->nodes[i]->calls[0].more_bytes, 0);
    }
    corun_graph_free(graph);
    assert_int_equal(corun_capture_begin(3, NULL, NULL, 0, cudaStreamCaptureModeRelaxed), 0);
    assert_refused(cudaErrorStreamCaptureImplicit, cudaMemcpy(device, host, 7, H2D));
    assert_int_equal(corun_capture_end(3, &graph), cudaErrorStreamCaptureInvalidated);
}

static void test_boxes(void **state)
{
    (void)state;
    assert_int_equal(cudaMemcpy2D(device, 64, host, 32, 20, 4, H2D), cudaSuccess);
    struct wire_copy w = last_copy();
    assert_int_equal(w.to_pitch, 64);
    assert_int_equal(w.from_pitch, 32);
    assert_int_equal(w.width, 20);
    assert_int_equal(w.height, 4);
    assert_int_equal(w.depth, 1);
    assert_int_equal(cudaMemcpy2D(device, 20, host, 20, 20, 4, H2D), cudaSuccess);
    assert_refused(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 19, host, 32, 20, 4, H2D));
    assert_refused(cudaErrorInvalidPitchValue, cudaMemcpy2D(device, 64, host, 19, 20, 4, H2D));
    const struct cudaMemcpy3DParms p = {
        .srcPtr = {host, 32, 20, 8}, .srcPos = {1, 2, 3}, .dstPtr = {device, 64, 20, 4},
        .dstPos = {4, 1, 2}, .extent = {16, 2, 3}, .kind = cudaMemcpyHostToDevice};
    assert_int_equal(cudaMemcpy3D(&p), cudaSuccess);
    w = last_copy();
    assert_int_equal(w.from, corun_address(host) + 1 + 32 * (2 + 8 * 3));
    assert_int_equal(w.to, corun_address(device) + 4 + 64 * (1 + 4 * 2));
    assert_int_equal(w.from_slice, 32 * 8);
    assert_int_equal(w.to_slice, 64 * 4);
    assert_int_equal(w.depth, 3);
    assert_refused(cudaErrorInvalidValue, cudaMemcpy3D(NULL));
    assert_refused(cudaErrorInvalidDevice, cudaMemcpyPeer(device, 1, device, 0, 8));
    assert_refused(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(device, 0, device, 1, 8, stream));
    assert_int_equal(cudaMemcpyPeer(device, 0, (char *)device + 64, 0, 8), cudaSuccess);
}

/* ---- fills ---- */

static void test_fills(void **state)
{
    (void)state;
    assert_int_equal(cudaMemset(device, 0x1ab, 9), cudaSuccess);
    const struct corun_call *c = last_call();
    assert_int_equal(c->call, CALL_FILL);
    assert_int_equal(c->at[0], 0);
    assert_int_equal(c->at[1], true); /* waits */
    assert_int_equal(c->at[2], corun_address(device));
    assert_int_equal(c->at[4], 0xab); /* a byte */
    assert_int_equal(c->at[5], 1);
    assert_int_equal(c->at[6], 9);
    assert_int_equal(c->at[7], 1);
    assert_int_equal(cudaMemset2DAsync(device, 64, 0, 20, 3, stream), cudaSuccess);
    c = last_call();
    assert_int_equal(c->at[0], 3);
    assert_int_equal(c->at[1], false);
    assert_int_equal(c->at[3], 64);
    assert_int_equal(c->at[6], 20);
    assert_int_equal(c->at[7], 3);
    assert_refused(cudaErrorInvalidValue, cudaMemset2D(device, 19, 0, 20, 2));
    assert_int_equal(cudaMemset2D(device, 19, 0, 20, 1), cudaSuccess); /* a single row */
    const size_t sent = fake.seen_n;
    assert_int_equal(cudaMemset2D(device, 64, 0, 0, 2), cudaSuccess); /* nothing to do */
    assert_int_equal(cudaMemset2D(device, 64, 0, 8, 0), cudaSuccess);
    assert_int_equal(fake.seen_n, sent);
    const struct cudaPitchedPtr box = {device, 64, 20, 5};
    assert_int_equal(cudaMemset3D(box, 1, (struct cudaExtent){20, 4, 3}), cudaSuccess);
    assert_int_equal(fake.seen_n, sent + 3); /* a fill per slice */
    for (unsigned z = 0; z < 3; z++)
        assert_int_equal(seen_back(2 - z)->call.at[2], corun_address(device) + z * 64 * 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_allocation), TEST(test_pitch), TEST(test_release), TEST(test_capture_forbids),
        TEST(test_info), TEST(test_attributes), TEST(test_hints), TEST(test_registration),
        TEST(test_mapped_registration), TEST(test_host_pointers), TEST(test_directions),
        TEST(test_asynchronous_copies), TEST(test_captured_copies), TEST(test_boxes),
        TEST(test_fills)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
