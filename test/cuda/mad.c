/* A program that violates the protocol of corun's library; argv[1] is the violation. Prints the
 * process id, and the ids of everything else that must end, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cuda/wire.h"

static int corun, memory, asks;

static void say_with(uint32_t call, uint32_t payload_bytes, uint64_t number)
{
    struct wire_request q = {.call = call, .payload_bytes = payload_bytes, .at = {number}};
    if (send(corun, &q, sizeof q, MSG_NOSIGNAL) != sizeof q) exit(3);
}

static void say(uint32_t call, uint32_t payload_bytes)
{
    say_with(call, payload_bytes, call == CALL_HELLO ? WIRE_VERSION : 0);
}

static struct wire_reply hear(void)
{
    struct wire_reply r;
    char bytes[sizeof(struct wire_device)];
    if (recv(corun, &r, sizeof r, MSG_WAITALL) != sizeof r) exit(4);
    if (r.payload_bytes && recv(corun, bytes, r.payload_bytes, MSG_WAITALL) <= 0) exit(4);
    return r;
}

/* Copies with sizes that wrap around, and a copy from nowhere: each must be refused. */
static int copies(void)
{
    say_with(CALL_ALLOC, 0, 1 << 25);
    uint64_t place = hear().at[0];
    const struct wire_array_copy bad[] = {
        {.to.host = 1, .from = {.address = place, .pitch = 1, .rows = 1}, .width = 1 << 24,
         .height = 1 << 20, .depth = 1 << 20},
        {.to.host = 1, .from = {.address = place, .pitch = 1ull << 63}, .width = 16, .height = 3,
         .depth = 1},
        {.to.host = 1, .width = 16, .height = 1, .depth = 1}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        say(CALL_ARRAY_COPY, sizeof *bad);
        if (send(corun, &bad[i], sizeof *bad, MSG_NOSIGNAL) != sizeof *bad || !hear().error)
            return 7;
    }
    return 0;
}

/* Sends half of a call; a child process goes on holding the socket. */
static void leave_child(void)
{
    pid_t child = fork();
    if (!child) {
        alarm(30);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        pause();
        _exit(0);
    }
    printf("%d\n", (int)child);
    fflush(stdout);
    send(corun, "half", 4, MSG_NOSIGNAL);
    _exit(5);
}

int main(int n, char **arguments)
{
    const char *what = n > 1 ? arguments[1] : "", *where = getenv(WIRE_VARIABLE);
    if (!where || sscanf(where, "%d,%d,%d", &corun, &memory, &asks) != 3) return 2;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    alarm(30); /* in every case */
    if (!strcmp(what, "no-greeting")) say(CALL_SYNC, 0);
    say(CALL_HELLO, 0);
    hear();
    if (!strcmp(what, "unknown")) say(CALL_N, 0);
    if (!strcmp(what, "length")) say(CALL_MODULE, UINT32_MAX);
    if (!strcmp(what, "done")) say(CALL_DONE, 0);
    if (!strcmp(what, "half")) send(corun, "half", 4, MSG_NOSIGNAL);
    if (!strcmp(what, "child")) leave_child();
    if (!strcmp(what, "answer")) { /* confirms another request than the one made */
        say(CALL_HOST_FUNC, 0);
        corun = asks;
        hear();
        say(CALL_SYNC, 0);
    }
    if (!strcmp(what, "flood")) /* never reads an answer */
        for (;;) say(CALL_MEMORY, 0);
    if (!strcmp(what, "truncate")) { /* of memory mapped by the simulator */
        if (!ftruncate(memory, 0) || errno != EPERM) return 6;
        say(CALL_SYNC, 0);
        hear();
        return 0;
    }
    if (!strcmp(what, "copies")) return copies();
    if (!strcmp(what, "half")) return 5;
    pause();
    return 0;
}
