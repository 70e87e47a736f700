// Features of present-day programs, one after the other: prints "all right", or the failing check.
#include <cstdio>
#include <cstdlib>

#define CALL(call)                                                                          \
    do {                                                                                    \
        cudaError_t error = (call);                                                         \
        if (error != cudaSuccess) {                                                         \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));                   \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)
#define NEED(condition)                                                                     \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            printf("line %d: not %s\n", __LINE__, #condition);                              \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

__constant__ int factors[4];
__device__ int total;
__managed__ int seen = 5;
template <typename T> struct pair { T a, b; };

template <typename T> __global__ void combine(const T *in, T *out, pair<T> with, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * with.a + with.b;
}

__global__ void add_up(const int *in, int n)
{
    extern __shared__ int part[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] * factors[i % 4] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x) {
        atomicAdd(&total, part[0]);
        atomicAdd(&seen, 1);
    }
}

__global__ void say(int n) { printf("kernel %d\n", n); }

int main()
{
    const int n = 1000;
    int *in, *out, *device, back = 0, want = 0, of[4] = {1, 2, 3, 4};
    cudaStream_t stream;
    cudaEvent_t start, end;
    float ms = -1;
    CALL(cudaMallocManaged(&in, n * sizeof *in));
    CALL(cudaMallocHost(&out, n * sizeof *out));
    CALL(cudaMalloc(&device, n * sizeof *device));
    CALL(cudaStreamCreate(&stream));
    CALL(cudaEventCreate(&start));
    CALL(cudaEventCreate(&end));
    for (int i = 0; i < n; i++) in[i] = i;
    CALL(cudaMemcpyToSymbol(factors, of, sizeof of));
    CALL(cudaEventRecord(start, stream));
    combine<<<(n + 127) / 128, 128, 0, stream>>>(in, device, pair<int>{3, 7}, n);
    add_up<<<(n + 255) / 256, 256, 256 * sizeof(int), stream>>>(device, n);
    CALL(cudaEventRecord(end, stream));
    CALL(cudaMemcpyAsync(out, device, n * sizeof *out, cudaMemcpyDeviceToHost, stream));
    CALL(cudaStreamSynchronize(stream));
    CALL(cudaGetLastError());
    CALL(cudaEventElapsedTime(&ms, start, end));
    CALL(cudaMemcpyFromSymbol(&back, total, sizeof back));
    for (int i = 0; i < n; i++) {
        NEED(out[i] == 3 * i + 7);
        want += out[i] * of[i % 4];
    }
    NEED(back == want && seen == 5 + 4 && ms > 0);
    say<<<1, 1>>>(7);
    CALL(cudaDeviceSynchronize());
    puts("all right");
}
