#include "run/jobs/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static _Thread_local bool own; /* this thread is in forks_own */
static atomic_uint counted;

static void count(void)
{
    if (!own) counted++;
}

pid_t forks_own(void)
{
    own = true;
    pid_t pid = fork();
    own = false;
    return pid;
}

void forks_watch(void)
{
    static bool watched;
    if (!watched) watched = !pthread_atfork(NULL, count, NULL);
}

u32 forks_of_files(void) { return counted; }
