/* Adds two vectors of argv[1] numbers, argv[2] times, and says whether the sum is right. */
#include "test/cuda/kernels.h"

int main(int n_arguments, char **arguments)
{
    unsigned n = n_arguments > 1 ? (unsigned)atoi(arguments[1]) : 1000;
    int times = n_arguments > 2 ? atoi(arguments[2]) : 1;
    unsigned *host = malloc(4 * n), *a, *b, *c;
    CALL(cudaMalloc((void **)&a, 4 * n));
    CALL(cudaMalloc((void **)&b, 4 * n));
    CALL(cudaMalloc((void **)&c, 4 * n));
    for (unsigned i = 0; i < n; i++) host[i] = i;
    CALL(cudaMemcpy(a, host, 4 * n, cudaMemcpyHostToDevice));
    CALL(cudaMemcpy(b, a, 4 * n, cudaMemcpyDeviceToDevice));
    for (int i = 0; i < times; i++) {
        void *with[] = {&a, &b, &c, &n};
        const dim3 grid = {(n + 127) / 128, 1, 1}, block = {128, 1, 1};
        CALL(cudaLaunchKernel(&add, grid, block, with, 0, NULL));
    }
    CALL(cudaMemcpy(host, c, 4 * n, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < n; i++) NEED(host[i] == 2 * i);
    CALL(cudaFree(a));
    printf("%u sums are right\n", n);
    return 0;
}
