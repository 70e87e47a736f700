// Kernels that allocate from the heap, and a kernel that allocates on the stack.
extern "C" __global__ void fill(int **list)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = t % 7 + 1;
    int *p = (int *)malloc(n * sizeof *p);
    for (int i = 0; p && i < n; i++) p[i] = t * 10 + i;
    if (t & 1) {
        free(p);
        p = 0;
    }
    list[t] = p;
}

extern "C" __global__ void sum(int *to, int **list)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = t % 7 + 1, s = 0;
    for (int i = 0; list[t] && i < n; i++) s += list[t][i];
    free(list[t]);
    to[t] = s;
}

extern "C" __global__ void too_much(int *to) { *to = malloc(9 << 20) == 0; }
extern "C" __global__ void wrong(char *p) { free(p); }

__device__ __noinline__ int reversed(int n, int t)
{
    int *row = (int *)__builtin_alloca(n * sizeof(int)), s = 0;
    for (int i = 0; i < n; i++) row[n - 1 - i] = t + i * i;
    for (int i = 0; i < n; i++) s = s * 3 + row[i];
    return s;
}

extern "C" __global__ void stack(int *to)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    to[t] = reversed(t % 5 + 1, t) + reversed(100, t);
}
