/* The program's end of the connection: the test is the simulator, at the other end of the sockets;
 * each program is a child process that links the real cuda/connection/client.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cuda/connection/alias.h"
#include "cuda/connection/client.h"

/* In a program: ends the program unless the condition holds. */
#define expect(condition)                                                                          \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                    \
        _exit(9);                                                                                  \
    } while (0)

struct program { /* as seen by the simulator */
    int calls, asks, memory, out, err;
    pid_t pid;
};

/* Starts a program with a connection. `variable` NULL: with the right variable. */
static struct program start_with(int (*body)(void), const char *variable)
{
    int calls[2], asks[2], out[2], err[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, calls), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, asks), 0);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(pipe(err), 0);
    const int memory = memfd_create("device memory", 0);
    assert_int_equal(ftruncate(memory, WIRE_MEMORY_END), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        char text[64];
        snprintf(text, sizeof text, "%d,%d,%d", calls[1], memory, asks[1]);
        setenv(WIRE_VARIABLE, variable ? variable : text, 1);
        if (variable && !*variable) unsetenv(WIRE_VARIABLE);
        dup2(out[1], STDOUT_FILENO);
        dup2(err[1], STDERR_FILENO);
        const int ends[] = {calls[0], asks[0], out[0], out[1], err[0], err[1]};
        for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) close(ends[i]);
        const int status = body();
        fflush(stdout);
        _exit(status);
    }
    close(calls[1]);
    close(asks[1]);
    close(out[1]);
    close(err[1]);
    return (struct program){calls[0], asks[0], memory, out[0], err[0], pid};
}

static void assert_text(int fd, const char *expected)
{
    char text[1024];
    size_t n = 0;
    for (ssize_t got; (got = read(fd, text + n, sizeof text - 1 - n)) > 0;) n += (size_t)got;
    text[n] = 0;
    if (strstr(expected, "...")) { /* a number of the process in the middle */
        const size_t head = (size_t)(strstr(expected, "...") - expected);
        const char *tail = expected + head + 3;
        assert_memory_equal(text, expected, head);
        assert_true(n >= head + strlen(tail));
        assert_string_equal(text + n - strlen(tail), tail);
    } else {
        assert_string_equal(text, expected);
    }
}

/* Waits for the program's end and expects the program's texts and exit status. The connection lasts
 * until then: the library ends a program that has lost the simulator. */
static void end_with(struct program *p, int expected, const char *out, const char *err)
{
    int status;
    assert_text(p->err, err);
    assert_text(p->out, out);
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    const int ends[] = {p->calls, p->asks, p->memory, p->out, p->err};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) close(ends[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static void take(int socket, void *bytes, size_t n)
{
    assert_int_equal(recv(socket, bytes, n, MSG_WAITALL), n);
}

/* Takes the next call of the program, with up to `room` bytes of payload. */
static struct wire_request take_call(struct program *p, void *payload, size_t room)
{
    struct wire_request q;
    take(p->calls, &q, sizeof q);
    assert_true(q.payload_bytes <= room);
    if (q.payload_bytes) take(p->calls, payload, q.payload_bytes);
    return q;
}

static void answer(struct program *p, cudaError_t error, const void *payload, size_t n)
{
    const struct wire_reply r = {.kind = WIRE_ANSWER, .payload_bytes = (uint32_t)n,
                                 .error = (int32_t)error, .at = {11, 12, 13, 14, 15, 16}};
    assert_int_equal(send(p->calls, &r, sizeof r, MSG_NOSIGNAL), sizeof r);
    if (n) assert_int_equal(send(p->calls, payload, n, MSG_NOSIGNAL), n);
}

/* Starts a program and accepts the first call. */
static struct program start(int (*body)(void))
{
    struct program p = start_with(body, NULL);
    static struct wire_device device = {.name = "a machine", .memory_bytes = 1ull << 33};
    const struct wire_request q = take_call(&p, NULL, 0);
    assert_int_equal(q.call, CALL_HELLO);
    assert_true(q.at[0] == WIRE_VERSION);
    assert_int_equal(q.at[1], 13); /* major version of the library */
    answer(&p, cudaSuccess, &device, sizeof device);
    return p;
}

/* ---- start ---- */

static int show_device(void)
{
    const struct wire_device *d = corun_device();
    expect(d && !strcmp(d->name, "a machine") && d->memory_bytes == 1ull << 33);
    expect(corun_device() == d); /* asked once */
    return 0;
}

static void test_start(void **state)
{
    (void)state;
    struct program p = start(show_device);
    end_with(&p, 0, "", "");
}

static int has_no_device(void)
{
    for (unsigned i = 0; i < 2; i++) {
        expect(!corun_device());
        expect(corun_simple(.call = CALL_SYNC) == cudaErrorNoDevice);
    }
    return 0;
}

/* Without a simulator every call fails, and the program says why, once. */
static void test_no_connection(void **state)
{
    (void)state;
    const char *const wrong[] = {"", "5", "3,4,x"};
    for (unsigned i = 0; i < 3; i++) {
        struct program p = start_with(has_no_device, wrong[i]);
        end_with(&p, 0, "", "corun: the program is linked for the simulated GPU: start the program "
                            "with corun cuda\n");
    }
    struct program p = start_with(has_no_device, "700,701,702");
    end_with(&p, 0, "", "corun: the simulator cannot be reached: the descriptors passed by corun, "
                        "700,701,702, are closed\n");
}

static void test_other_version(void **state)
{
    (void)state;
    struct program p = start_with(has_no_device, NULL);
    take_call(&p, NULL, 0);
    answer(&p, cudaErrorInsufficientDriver, NULL, 0);
    end_with(&p, 0, "", "corun: the program is linked with the library of another corun version: "
                        "link again\n");
}

static int of_ancestor(void)
{
    setenv("CORUN_CUDA_CLIENT", "1,0x10,5", 1); /* process 1 has called CUDA */
    return has_no_device();
}

static int of_itself(void)
{
    char text[64];
    snprintf(text, sizeof text, "%ld,0x10,5", (long)getpid()); /* before another execve */
    setenv("CORUN_CUDA_CLIENT", text, 1);
    return has_no_device();
}

static int forks(void)
{
    expect(corun_device());
    const pid_t pid = fork();
    if (!pid) _exit(has_no_device());
    int status;
    expect(waitpid(pid, &status, 0) == pid && status == 0);
    return 0;
}

/* One process of a program has the connection. */
static void test_processes(void **state)
{
    (void)state;
    struct program p = start_with(of_ancestor, NULL);
    end_with(&p, 0, "", "corun: ancestor process 1 has called CUDA: only a single process of a "
                        "program can use the simulated GPU\n");
    p = start_with(of_itself, NULL);
    end_with(&p, 0, "", "corun: the process called CUDA before execve, and execve ends the "
                        "connection to the simulator: execute the program before the first "
                        "call\n");
    p = start(forks);
    end_with(&p, 0, "", "corun: parent process ... called CUDA before fork: only a single process "
                        "of a program can use the simulated GPU\n");
}

/* ---- calls ---- */

static int call_with_payload(void)
{
    char out[4] = "....", *more = NULL;
    struct corun_call c = {.call = CALL_COPY, .at = {1, 2, 3, 4, 5, 6, 7, 8}, .payload = "first",
                           .payload_bytes = 5, .more = "second", .more_bytes = 6, .out = out,
                           .out_bytes = 4};
    expect(corun_do(&c) == cudaSuccess);
    expect(!memcmp(out, "wxyz", 4) && c.got_bytes == 4);
    for (unsigned i = 0; i < 6; i++) expect(c.got[i] == 11 + i);
    /* an answer of another size is not stored, but taken off the socket */
    expect(corun_do(&c) == cudaErrorInvalidValue);
    expect(!memcmp(out, "wxyz", 4) && c.got_bytes == 9000);
    c = (struct corun_call){.call = CALL_KERNEL, .out_new = (void **)&more};
    expect(corun_do(&c) == cudaSuccess);
    expect(c.got_bytes == 9000 && more[0] == 'a' && more[8999] == 'a');
    free(more);
    more = NULL;
    expect(corun_do(&c) == cudaSuccess); /* an empty answer */
    expect(!more && c.got_bytes == 0);
    return 0;
}

static void test_calls(void **state)
{
    (void)state;
    char payload[16], answered[9000];
    struct program p = start(call_with_payload);
    memset(answered, 'a', sizeof answered);
    struct wire_request q = take_call(&p, payload, sizeof payload);
    assert_int_equal(q.call, CALL_COPY);
    assert_int_equal(q.payload_bytes, 11);
    assert_memory_equal(payload, "firstsecond", 11);
    assert_int_equal(q.thread, p.pid); /* thread of the call: the program's first */
    for (unsigned i = 0; i < 8; i++) assert_int_equal(q.at[i], i + 1);
    answer(&p, cudaSuccess, "wxyz", 4);
    take_call(&p, payload, sizeof payload);
    answer(&p, cudaErrorInvalidValue, answered, sizeof answered);
    q = take_call(&p, payload, sizeof payload);
    assert_int_equal(q.call, CALL_KERNEL);
    assert_int_equal(q.payload_bytes, 0);
    answer(&p, cudaSuccess, answered, sizeof answered);
    take_call(&p, payload, sizeof payload);
    answer(&p, cudaSuccess, NULL, 0);
    end_with(&p, 0, "", "");
}

static int call_with_too_much(void)
{
    struct corun_call c = {.call = CALL_MODULE, .payload = "", .payload_bytes = WIRE_PAYLOAD_MAX,
                           .more = "", .more_bytes = 1};
    expect(corun_do(&c) == cudaErrorInvalidValue);
    return 0;
}

static void test_too_much(void **state)
{
    (void)state;
    struct program p = start(call_with_too_much);
    char byte;
    assert_int_equal(recv(p.calls, &byte, 1, 0), 0); /* nothing was sent */
    end_with(&p, 0, "", "");
}

static int call_once(void)
{
    corun_simple(.call = CALL_SYNC);
    return 0;
}

/* A program ends with the simulator, since no call could have a result. */
static void test_lost_simulator(void **state)
{
    (void)state;
    struct program p = start(call_once);
    take_call(&p, NULL, 0);
    shutdown(p.calls, SHUT_RDWR);
    end_with(&p, 1, "", "corun: the simulator has ended\n");
    p = start(call_once);
    take_call(&p, NULL, 0);
    shutdown(p.asks, SHUT_RDWR);
    end_with(&p, 1, "", "corun: the simulator has ended\n");
    p = start(call_once);
    take_call(&p, NULL, 0);
    const struct wire_reply no_answer = {.kind = WIRE_PRINT};
    assert_int_equal(send(p.calls, &no_answer, sizeof no_answer, 0), sizeof no_answer);
    end_with(&p, 1, "", "corun: the simulator has ended\n");
}

/* ---- requests of the simulator ---- */

static void ask(struct program *p, struct wire_reply r, const void *payload, size_t n)
{
    struct wire_request done;
    r.payload_bytes = (uint32_t)n;
    assert_int_equal(send(p->asks, &r, sizeof r, MSG_NOSIGNAL), sizeof r);
    if (n) assert_int_equal(send(p->asks, payload, n, MSG_NOSIGNAL), n);
    take(p->asks, &done, sizeof done);
    assert_int_equal(done.call, CALL_DONE);
}

enum { PITCH = 16, ROWS = 3 };
static char matrix[2][ROWS * PITCH];

static int has_matrices(void)
{
    for (unsigned i = 0; i < sizeof matrix[0]; i++) matrix[0][i] = (char)('A' + i % 26);
    char *const address = (char *)&matrix;
    struct corun_call c = {.call = CALL_SYNC, .at = {corun_address(address)}};
    expect(corun_do(&c) == cudaSuccess);
    for (unsigned i = 0; i < sizeof matrix[1]; i++) {
        const bool copied = i % PITCH < 4 && i / PITCH < 2; /* a box of 4 by 2 bytes */
        expect(matrix[1][i] == (copied ? matrix[0][i] : 0));
    }
    return 0;
}

/* Copies between the program's own memory and device memory, which both processes map. */
static void test_copies(void **state)
{
    (void)state;
    struct program p = start(has_matrices);
    const struct wire_request q = take_call(&p, NULL, 0);
    const uint64_t at = WIRE_MEMORY_START + 8192;
    char *const view = mmap(NULL, 4096, PROT_READ, MAP_SHARED, p.memory, (off_t)at);
    assert_ptr_not_equal(view, MAP_FAILED);
    struct wire_copy c = {.to = at, .from = q.at[0], .to_pitch = 8, .from_pitch = PITCH, .width = 4,
                          .height = ROWS, .depth = 1, .from_host = 1};
    ask(&p, (struct wire_reply){.kind = WIRE_COPY}, &c, sizeof c);
    assert_memory_equal(view, "ABCD\0\0\0\0QRST\0\0\0\0GHIJ\0\0\0\0", 24);
    c = (struct wire_copy){.to = q.at[0] + sizeof matrix[0], .from = at, .to_pitch = 2 * PITCH,
                           .from_pitch = 16, .to_slice = PITCH, .from_slice = 8, .width = 4,
                           .height = 1, .depth = 2, .to_host = 1}; /* two slices of a row */
    ask(&p, (struct wire_reply){.kind = WIRE_COPY}, &c, sizeof c);
    munmap(view, 4096);
    answer(&p, cudaSuccess, NULL, 0);
    end_with(&p, 0, "", "");
}

static int called;
static void host_function(void *data)
{
    expect(data == &called);
    expect(corun_simple(.call = CALL_SYNC) == cudaErrorNotPermitted); /* no calls from here */
    called++;
}

static void callback(cudaStream_t stream, cudaError_t error, void *data)
{
    expect(stream == corun_pointer(77) && error == cudaErrorLaunchFailure && data == &called);
    called += 10;
}

static int has_functions(void)
{
    struct corun_call c = {.call = CALL_SYNC, .at = {(uint64_t)(uintptr_t)host_function,
                                                     (uint64_t)(uintptr_t)callback,
                                                     corun_address(&called)}};
    expect(corun_do(&c) == cudaSuccess);
    expect(called == 11);
    return 0;
}

static void test_functions(void **state)
{
    (void)state;
    struct program p = start(has_functions);
    const struct wire_request q = take_call(&p, NULL, 0);
    ask(&p, (struct wire_reply){.kind = WIRE_FUNC, .at = {q.at[0], q.at[2]}}, NULL, 0);
    ask(&p, (struct wire_reply){.kind = WIRE_CALLBACK, .error = cudaErrorLaunchFailure,
                                .at = {q.at[1], 77, q.at[2]}}, NULL, 0);
    answer(&p, cudaSuccess, NULL, 0);
    end_with(&p, 0, "", "");
}

/* Output of kernels: a text longer than the library's buffer, and standard error. */
static void test_output(void **state)
{
    (void)state;
    static char text[4096 + 600];
    struct program p = start(call_once);
    take_call(&p, NULL, 0);
    memset(text, 'o', sizeof text - 1);
    ask(&p, (struct wire_reply){.kind = WIRE_PRINT}, text, 700);
    ask(&p, (struct wire_reply){.kind = WIRE_PRINT, .at = {1}}, "error\n", 6);
    ask(&p, (struct wire_reply){.kind = WIRE_PRINT}, text, 0);
    answer(&p, cudaSuccess, NULL, 0);
    text[700] = 0;
    end_with(&p, 0, text, "error\n");
    p = start(call_once);
    take_call(&p, NULL, 0);
    memset(text, '\n', sizeof text);
    ask(&p, (struct wire_reply){.kind = WIRE_PRINT}, text, sizeof text);
    answer(&p, cudaSuccess, NULL, 0);
    size_t n = 0;
    char got[512];
    for (ssize_t part; (part = read(p.out, got, sizeof got)) > 0;) n += (size_t)part;
    assert_int_equal(n, sizeof text);
    end_with(&p, 0, "", "");
}

/* A request that the library does not know ends the program. */
static void test_unknown_request(void **state)
{
    (void)state;
    struct program p = start(call_once);
    take_call(&p, NULL, 0);
    const struct wire_reply r = {.kind = 99};
    assert_int_equal(send(p.asks, &r, sizeof r, 0), sizeof r);
    char byte;
    assert_int_equal(recv(p.calls, &byte, 1, 0), 0);
    end_with(&p, 1, "", "corun: the simulator has ended\n");
}

/* ---- memory ---- */

static int shows_memory(void)
{
    static char own[2 * 4096];
    const uint64_t at = WIRE_MEMORY_START + 4096 * 5;
    expect(corun_device());
    corun_show(at + 4000, 200); /* in two pages */
    memcpy(corun_pointer(at + 4090), "managed", 7);
    char *const page = (char *)((corun_address(own) + 4095) / 4096 * 4096);
    memcpy(page + 4090, "keeps", 6);
    expect(!corun_aliased(corun_address(page), 4096));
    expect(corun_alias(corun_address(page), at, 4096));
    expect(!memcmp(page + 4090, "keeps", 6));
    expect(corun_aliased(corun_address(page), 4096) == at);
    memcpy(page, "alias", 5);
    return call_once();
}

/* Pages of managed memory appear at their device addresses; pages of registered memory become pages
 * of the device. */
static void test_memory(void **state)
{
    (void)state;
    char bytes[16];
    const off_t at = WIRE_MEMORY_START + 4096 * 5;
    struct program p = start(shows_memory);
    take_call(&p, NULL, 0);
    assert_int_equal(pread(p.memory, bytes, 7, at + 4090), 7);
    assert_memory_equal(bytes, "keeps", 6);
    assert_int_equal(pread(p.memory, bytes, 5, at), 5);
    assert_memory_equal(bytes, "alias", 5);
    answer(&p, cudaSuccess, NULL, 0);
    end_with(&p, 0, "", "");
}

int main(void)
{
    unsetenv("CORUN_CUDA_CLIENT");
    alarm(60); /* no wait lasts longer */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start), cmocka_unit_test(test_no_connection),
        cmocka_unit_test(test_other_version), cmocka_unit_test(test_processes),
        cmocka_unit_test(test_calls), cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_lost_simulator), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_output),
        cmocka_unit_test(test_unknown_request), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
