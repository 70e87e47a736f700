/* Quicksort by recursion: each thread sorts n numbers, n calls deep if the numbers are sorted.
 * recursion.ptx: nvcc -ptx -arch=sm_75 -O3. */
__device__ __noinline__ void sort(int *a, int low, int high)
{
    if (low >= high) return;
    int last = a[high], at = low;
    for (int k = low; k < high; k++) {
        if (a[k] >= last) continue;
        int t = a[at];
        a[at++] = a[k];
        a[k] = t;
    }
    a[high] = a[at];
    a[at] = last;
    sort(a, low, at - 1);
    sort(a, at + 1, high);
}

extern "C" __global__ void sort_each(int *a, int n)
{
    sort(a + (blockIdx.x * blockDim.x + threadIdx.x) * n, 0, n - 1);
}
