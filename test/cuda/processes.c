/* Programs of several processes, or of several programs in one process: the simulator gives a
 * single connection. Each process prints the error of the first call. */
#include <sys/wait.h>
#include <unistd.h>

#include "test/cuda/kernels.h"

static void tell(const char *who)
{
    int n = -1;
    cudaError_t error = cudaGetDeviceCount(&n);
    void *p;
    if (!error) error = cudaMalloc(&p, 4);
    printf("%s: %s\n", who, cudaGetErrorString(error));
    fflush(stdout);
}

static void ended(pid_t child)
{
    int status;
    NEED(child > 0 && waitpid(child, &status, 0) == child);
    NEED(WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(int n, char **arguments)
{
    const char *how = n > 1 ? arguments[1] : "", *self = arguments[0];
    pid_t child;
    if (!strcmp(how, "first")) execl(self, self, "second", NULL); /* before the first call */
    tell(n > 1 ? how : "only");
    if (!strcmp(how, "exec")) execl(self, self, "executed", NULL);
    if (!strcmp(how, "twice")) execl(self, self, "exec", NULL);
    if (!strcmp(how, "clean")) execle(self, self, "executed", NULL, (char *[]){NULL});
    if (!strcmp(how, "other")) execl(arguments[2], arguments[2], "execed", NULL);
    if (!strcmp(how, "fork")) {
        if (!(child = fork())) {
            tell("forked");
            tell("forked");
            _exit(0);
        }
        ended(child);
        tell("parent");
    }
    if (!strcmp(how, "spawn")) {
        if (!(child = fork())) execl(self, self, "spawned", NULL);
        ended(child);
        tell("parent");
    }
    return 0;
}
