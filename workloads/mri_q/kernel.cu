// The matrix Q of non-Cartesian magnetic resonance image reconstruction: at each voxel the sum over
// all sample points of k-space of their magnitude squared times exp(2 pi i k.x). mri_phi makes the
// magnitudes; mri_q adds a piece of the samples, held in constant memory, to the sums of a voxel
// per thread. The host launches mri_q piece after piece.
// Algorithm: Stone, Haldar, Tsao, Hwu, Sutton and Liang, Accelerating advanced MRI reconstructions
// on GPUs, J. Parallel and Distributed Computing 68, 2008, equation for Q; written from the
// formula. Phases are reduced to half a turn before the approximate sine.
enum { PIECE = 1024 };
struct sample {
    float x, y, z, magnitude;
};
__constant__ struct sample samples[PIECE];

extern "C" __global__ void mri_phi(const float *real, const float *imaginary, float *magnitude,
                                   unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) magnitude[i] = fmaf(real[i], real[i], imaginary[i] * imaginary[i]);
}

extern "C" __global__ void mri_q(const float *x, const float *y, const float *z, float *real,
                                 float *imaginary, unsigned voxels, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels) return;
    float at_x = x[i], at_y = y[i], at_z = z[i], sum_real = real[i], sum_imaginary = imaginary[i];
#pragma unroll 2
    for (unsigned k = 0; k < n; ++k) {
        struct sample s = samples[k];
        float turns = fmaf(s.x, at_x, fmaf(s.y, at_y, s.z * at_z));
        float phase = 6.2831853f * (turns - rintf(turns));
        sum_real = fmaf(s.magnitude, __cosf(phase), sum_real);
        sum_imaginary = fmaf(s.magnitude, __sinf(phase), sum_imaginary);
    }
    real[i] = sum_real;
    imaginary[i] = sum_imaginary;
}
