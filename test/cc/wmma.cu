// Products of matrices by nvcuda::wmma, every shape, type and layout, against whole numbers: prints
// "N products, 0 wrong". Numbers are small; hence sums are exact.
#include <cstdio>
#include <type_traits>
#include <mma.h>

using namespace nvcuda;

template<class T> struct as { typedef T stored; };
template<> struct as<wmma::precision::tf32> { typedef float stored; };

template<int M, int N, int K, class T, class Sum, class LA, class LB>
__global__ void product(const typename as<T>::stored *a, const typename as<T>::stored *b, Sum *c,
                        wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> before, sum;
    bool by_rows = layout == wmma::mem_row_major;
    wmma::fill_fragment(before, Sum(9));
    wmma::load_matrix_sync(before, c, by_rows ? N : M, layout);
    wmma::load_matrix_sync(fa, a, std::is_same<LA, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(fb, b, std::is_same<LB, wmma::row_major>::value ? N : K);
    if (std::is_same<T, wmma::precision::tf32>::value)
        for (int i = 0; i < fa.num_elements; i++)
            fa.x[i] = wmma::__float_to_tf32((float)fa.x[i]);
    wmma::mma_sync(sum, fa, fb, before);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(c, sum, by_rows ? N : M, layout);
}

static int wrong, products;

template<int M, int N, int K, class T, class Sum, class LA, class LB>
static void check_layouts(wmma::layout_t layout)
{
    typedef typename as<T>::stored S;
    bool sa = std::is_same<LA, wmma::row_major>::value;
    bool sb = std::is_same<LB, wmma::row_major>::value;
    bool sc = layout == wmma::mem_row_major, is_signed = !std::is_same<T, unsigned char>::value;
    S *a, *b;
    Sum *c;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, K * N * sizeof *b);
    cudaMallocManaged(&c, M * N * sizeof *c);
    auto in_a = [=](int i, int k) { return (i * 7 + k * 3) % 5 - (is_signed ? 2 : 0); };
    auto in_b = [=](int k, int j) { return (k * 5 + j * 11) % 7 - (is_signed ? 3 : 0); };
    auto in_c = [=](int i, int j) { return (i * 3 + j) % 9 - 4; };
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) a[sa ? i * K + k : k * M + i] = S(in_a(i, k));
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) b[sb ? k * N + j : j * K + k] = S(in_b(k, j));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) c[sc ? i * N + j : j * M + i] = Sum(in_c(i, j));
    product<M, N, K, T, Sum, LA, LB><<<1, 32>>>(a, b, c, layout);
    bool right = !cudaDeviceSynchronize();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int want = in_c(i, j);
            for (int k = 0; k < K; k++) want += in_a(i, k) * in_b(k, j);
            right = right && (double)c[sc ? i * N + j : j * M + i] == 2 * want;
        }
    products++;
    wrong += !right;
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

template<int M, int N, int K, class T, class Sum> static void check()
{
    for (int i = 0; i < 2; i++) {
        wmma::layout_t layout = i ? wmma::mem_col_major : wmma::mem_row_major;
        check_layouts<M, N, K, T, Sum, wmma::row_major, wmma::row_major>(layout);
        check_layouts<M, N, K, T, Sum, wmma::row_major, wmma::col_major>(layout);
        check_layouts<M, N, K, T, Sum, wmma::col_major, wmma::row_major>(layout);
        check_layouts<M, N, K, T, Sum, wmma::col_major, wmma::col_major>(layout);
    }
}

template<int M, int N> static void check_shape()
{
    check<M, N, 16, __half, float>();
    check<M, N, 16, __half, __half>();
    check<M, N, 16, signed char, int>();
    check<M, N, 16, unsigned char, int>();
#ifdef NEWER
    check<M, N, 16, __nv_bfloat16, float>();
#endif
}

int main()
{
    check_shape<16, 16>();
    check_shape<32, 8>();
    check_shape<8, 32>();
#ifdef NEWER
    check<16, 16, 8, wmma::precision::tf32, float>();
    check<8, 8, 4, double, double>();
#endif
    printf("%d products, %d wrong\n", products, wrong);
    return wrong != 0;
}
