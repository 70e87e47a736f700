// The second file of part_one.cu.
__device__ int calls;
__constant__ int offset = 40;
static __device__ int own = 3;

__device__ int scale(int x) { return x * own; }

__global__ void look(int *out) { *out = calls; }

void show(int *calls_seen)
{
    int *device;
    cudaMalloc(&device, sizeof *device);
    look<<<1, 1>>>(device);
    cudaMemcpy(calls_seen, device, sizeof *device, cudaMemcpyDeviceToHost);
}
