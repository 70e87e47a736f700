/* Polynomials of math_float.h and math_double.h, made by cuda/coefficients.py: near
 * minimax. Each comment gives the interval and the polynomial's largest error. */
#ifndef CORUN_DEVICE_COEFFICIENTS_H
#define CORUN_DEVICE_COEFFICIENTS_H

#include "define.h"

/* [0, 0.6169]: 2.8e-11 */
CORUN_FN float corun_sin_f(float z)
{
    float p = 0x1.6dbe08p-19f;
    p = __builtin_fmaf(p, z, -0x1.a013a8p-13f);
    p = __builtin_fmaf(p, z, 0x1.11110ep-7f);
    p = __builtin_fmaf(p, z, -0x1.555556p-3f);
    return p;
}
/* [0, 0.6169]: 3.1e-10 */
CORUN_FN float corun_cos_f(float z)
{
    float p = 0x1.9a6f2cp-16f;
    p = __builtin_fmaf(p, z, -0x1.6c0e08p-10f);
    p = __builtin_fmaf(p, z, 0x1.55554cp-5f);
    p = __builtin_fmaf(p, z, -0x1p-1f);
    return p;
}
/* [-0.3466, 0.3466]: 1.4e-9 */
CORUN_FN float corun_expm1_f(float z)
{
    float p = 0x1.a124f2p-13f;
    p = __builtin_fmaf(p, z, 0x1.6d4324p-10f);
    p = __builtin_fmaf(p, z, 0x1.1110ep-7f);
    p = __builtin_fmaf(p, z, 0x1.5554eap-5f);
    p = __builtin_fmaf(p, z, 0x1.555556p-3f);
    p = __builtin_fmaf(p, z, 0x1p-1f);
    return p;
}
/* [-0.3333, 0.3333]: 5.0e-9 */
CORUN_FN float corun_log_f(float z)
{
    float p = 0x1.dba26p-4f;
    p = __builtin_fmaf(p, z, -0x1.04a268p-3f);
    p = __builtin_fmaf(p, z, 0x1.bc8cf8p-4f);
    p = __builtin_fmaf(p, z, -0x1.f4963ep-4f);
    p = __builtin_fmaf(p, z, 0x1.24c926p-3f);
    p = __builtin_fmaf(p, z, -0x1.55909ep-3f);
    p = __builtin_fmaf(p, z, 0x1.9998d4p-3f);
    p = __builtin_fmaf(p, z, -0x1.ffff2cp-3f);
    p = __builtin_fmaf(p, z, 0x1.555556p-2f);
    p = __builtin_fmaf(p, z, -0x1p-1f);
    return p;
}
/* [0, 1]: 1.6e-8 */
CORUN_FN float corun_atan_f(float z)
{
    float p = -0x1.38de56p-9f;
    p = __builtin_fmaf(p, z, 0x1.ba9f66p-7f);
    p = __builtin_fmaf(p, z, -0x1.25dc12p-5f);
    p = __builtin_fmaf(p, z, 0x1.0001c6p-4f);
    p = __builtin_fmaf(p, z, -0x1.6295f8p-4f);
    p = __builtin_fmaf(p, z, 0x1.c3f168p-4f);
    p = __builtin_fmaf(p, z, -0x1.246cd2p-3f);
    p = __builtin_fmaf(p, z, 0x1.99983cp-3f);
    p = __builtin_fmaf(p, z, -0x1.555554p-2f);
    return p;
}
/* [0, 0.25]: 4.2e-9 */
CORUN_FN float corun_asin_f(float z)
{
    float p = 0x1.13fed4p-5f;
    p = __builtin_fmaf(p, z, 0x1.18f91ep-6f);
    p = __builtin_fmaf(p, z, 0x1.fd8da2p-6f);
    p = __builtin_fmaf(p, z, 0x1.6d5bbap-5f);
    p = __builtin_fmaf(p, z, 0x1.33343p-4f);
    p = __builtin_fmaf(p, z, 0x1.555554p-3f);
    return p;
}
/* [0, 0.86]: 4.5e-10 */
CORUN_FN float corun_erf_f(float z)
{
    float p = 0x1.5e4ddp-14f;
    p = __builtin_fmaf(p, z, -0x1.aab506p-11f);
    p = __builtin_fmaf(p, z, 0x1.54d5c4p-8f);
    p = __builtin_fmaf(p, z, -0x1.b8100ep-6f);
    p = __builtin_fmaf(p, z, 0x1.ce2e1cp-4f);
    p = __builtin_fmaf(p, z, -0x1.812744p-2f);
    p = __builtin_fmaf(p, z, 0x1.06eba8p-3f);
    return p;
}
/* [0.92, 4.0]: 1.9e-8 */
CORUN_FN float corun_log_erfc_f(float z)
{
    float p = 0x1.b9314p-20f;
    p = __builtin_fmaf(p, z, -0x1.835e5p-15f);
    p = __builtin_fmaf(p, z, 0x1.3963c6p-11f);
    p = __builtin_fmaf(p, z, -0x1.382f88p-8f);
    p = __builtin_fmaf(p, z, 0x1.b10bbap-6f);
    p = __builtin_fmaf(p, z, -0x1.c2f26ep-4f);
    p = __builtin_fmaf(p, z, -0x1.437d32p-1f);
    p = __builtin_fmaf(p, z, -0x1.21574p+0f);
    p = __builtin_fmaf(p, z, 0x1.5001dep-12f);
    return p;
}
/* [0, 0.02944]: 7.7e-8 */
CORUN_FN float corun_atanh_tail_f(float z)
{
    float p = 0x1.d80798p-4f;
    p = __builtin_fmaf(p, z, 0x1.247a2ep-3f);
    p = __builtin_fmaf(p, z, 0x1.9999a4p-3f);
    return p;
}
/* [0, 0.6169]: 1.2e-20 */
CORUN_FN double corun_sin_d(double z)
{
    double p = -0x1.ab17d404de5b3p-41;
    p = __builtin_fma(p, z, 0x1.61217f0b800d5p-33);
    p = __builtin_fma(p, z, -0x1.ae645412c560cp-26);
    p = __builtin_fma(p, z, 0x1.71de3a546095bp-19);
    p = __builtin_fma(p, z, -0x1.a01a01a019938p-13);
    p = __builtin_fma(p, z, 0x1.111111111111p-7);
    p = __builtin_fma(p, z, -0x1.5555555555555p-3);
    return p;
}
/* [0, 0.6169]: 2.0e-19 */
CORUN_FN double corun_cos_d(double z)
{
    double p = -0x1.8ff9d439a204ap-37;
    p = __builtin_fma(p, z, 0x1.1eea7f259b344p-29);
    p = __builtin_fma(p, z, -0x1.27e4f8e4a2e74p-22);
    p = __builtin_fma(p, z, 0x1.a01a019de131fp-16);
    p = __builtin_fma(p, z, -0x1.6c16c16c15d79p-10);
    p = __builtin_fma(p, z, 0x1.5555555555551p-5);
    p = __builtin_fma(p, z, -0x1p-1);
    return p;
}
/* [-0.3466, 0.3466]: 1.7e-16 */
CORUN_FN double corun_exp_d(double z)
{
    double p = 0x1.61bfaa228dde5p-33;
    p = __builtin_fma(p, z, 0x1.1f7f2776cfaf2p-29);
    p = __builtin_fma(p, z, 0x1.ae642c82e33d5p-26);
    p = __builtin_fma(p, z, 0x1.27e4d41966f2fp-22);
    p = __builtin_fma(p, z, 0x1.71de3a5aa7bb7p-19);
    p = __builtin_fma(p, z, 0x1.a01a01a9e991bp-16);
    p = __builtin_fma(p, z, 0x1.a01a01a0196acp-13);
    p = __builtin_fma(p, z, 0x1.6c16c16c15a68p-10);
    p = __builtin_fma(p, z, 0x1.1111111111111p-7);
    p = __builtin_fma(p, z, 0x1.5555555555557p-5);
    p = __builtin_fma(p, z, 0x1.5555555555555p-3);
    p = __builtin_fma(p, z, 0x1p-1);
    return p;
}
/* [0, 0.02944]: 1.0e-18 */
CORUN_FN double corun_atanh_d(double z)
{
    double p = 0x1.0c05166ec4148p-4;
    p = __builtin_fma(p, z, 0x1.0fbe71ad855c9p-4);
    p = __builtin_fma(p, z, 0x1.3b1c36b445cebp-4);
    p = __builtin_fma(p, z, 0x1.745cf8fe328f9p-4);
    p = __builtin_fma(p, z, 0x1.c71c720168526p-4);
    p = __builtin_fma(p, z, 0x1.2492492476c42p-3);
    p = __builtin_fma(p, z, 0x1.9999999999a38p-3);
    p = __builtin_fma(p, z, 0x1.5555555555555p-2);
    return p;
}
/* [0, 0.02944]: 9.4e-19 */
CORUN_FN double corun_atanh_tail_d(double z)
{
    double p = 0x1.e02fc68c381f4p-5;
    p = __builtin_fma(p, z, 0x1.df7ca8236e9e1p-5);
    p = __builtin_fma(p, z, 0x1.1118c8814a0b1p-4);
    p = __builtin_fma(p, z, 0x1.3b1395cf37e45p-4);
    p = __builtin_fma(p, z, 0x1.745d177a9cebap-4);
    p = __builtin_fma(p, z, 0x1.c71c71c6ea994p-4);
    p = __builtin_fma(p, z, 0x1.2492492492522p-3);
    p = __builtin_fma(p, z, 0x1.999999999999ap-3);
    return p;
}
/* [0, 1]: 5.0e-18 */
CORUN_FN double corun_atan_d(double z)
{
    double p = -0x1.8d087295ab9f4p-17;
    p = __builtin_fma(p, z, 0x1.1f0adb240a1fbp-13);
    p = __builtin_fma(p, z, -0x1.8a2f3ae537bb1p-11);
    p = __builtin_fma(p, z, 0x1.57cc888719aap-9);
    p = __builtin_fma(p, z, -0x1.aef1a8e977bf8p-8);
    p = __builtin_fma(p, z, 0x1.a1fe88baf72d4p-7);
    p = __builtin_fma(p, z, -0x1.4b974a27ac39fp-6);
    p = __builtin_fma(p, z, 0x1.c3ac54a572735p-6);
    p = __builtin_fma(p, z, -0x1.147b2825d82f6p-5);
    p = __builtin_fma(p, z, 0x1.3d3f26d5ea7ffp-5);
    p = __builtin_fma(p, z, -0x1.60ebd1489b946p-5);
    p = __builtin_fma(p, z, 0x1.854a7b99af61dp-5);
    p = __builtin_fma(p, z, -0x1.af00bd568a3d2p-5);
    p = __builtin_fma(p, z, 0x1.e1dc0d7679adcp-5);
    p = __builtin_fma(p, z, -0x1.1110bfea8ed5ep-4);
    p = __builtin_fma(p, z, 0x1.3b13aaf4aba4ap-4);
    p = __builtin_fma(p, z, -0x1.745d16f26d0a3p-4);
    p = __builtin_fma(p, z, 0x1.c71c71c472843p-4);
    p = __builtin_fma(p, z, -0x1.249249248c7dap-3);
    p = __builtin_fma(p, z, 0x1.99999999998f9p-3);
    p = __builtin_fma(p, z, -0x1.5555555555555p-2);
    return p;
}
/* [0, 0.25]: 9.8e-19 */
CORUN_FN double corun_asin_d(double z)
{
    double p = 0x1.e529c6fce9bb4p-6;
    p = __builtin_fma(p, z, -0x1.3b416bb7d9257p-6);
    p = __builtin_fma(p, z, 0x1.406192d124629p-6);
    p = __builtin_fma(p, z, 0x1.8f193743418ffp-9);
    p = __builtin_fma(p, z, 0x1.31622469ce5adp-7);
    p = __builtin_fma(p, z, 0x1.3b49de7121487p-7);
    p = __builtin_fma(p, z, 0x1.7b027ee1dd585p-7);
    p = __builtin_fma(p, z, 0x1.c990ad3d8fdcap-7);
    p = __builtin_fma(p, z, 0x1.1c4efce23019fp-6);
    p = __builtin_fma(p, z, 0x1.6e8ba123e494cp-6);
    p = __builtin_fma(p, z, 0x1.f1c71c7a52ba3p-6);
    p = __builtin_fma(p, z, 0x1.6db6db6dac1ep-5);
    p = __builtin_fma(p, z, 0x1.3333333333388p-4);
    p = __builtin_fma(p, z, 0x1.5555555555555p-3);
    return p;
}
/* [0, 1]: 1.3e-19 */
CORUN_FN double corun_erf_d(double z)
{
    double p = 0x1.05ffd737fb32ep-34;
    p = __builtin_fma(p, z, -0x1.389d4f2641625p-30);
    p = __builtin_fma(p, z, 0x1.f7b4bf3b13964p-27);
    p = __builtin_fma(p, z, -0x1.5f1ecb6f0764cp-23);
    p = __builtin_fma(p, z, 0x1.b9df224ca4b97p-20);
    p = __builtin_fma(p, z, -0x1.f4d1e3183f7aep-17);
    p = __builtin_fma(p, z, 0x1.f9a321d5b8e1ep-14);
    p = __builtin_fma(p, z, -0x1.c02db3dac435fp-11);
    p = __builtin_fma(p, z, 0x1.565bcd0dbaa38p-8);
    p = __builtin_fma(p, z, -0x1.b82ce31284ep-6);
    p = __builtin_fma(p, z, 0x1.ce2f21a042b3p-4);
    p = __builtin_fma(p, z, -0x1.812746b0379e6p-2);
    p = __builtin_fma(p, z, 0x1.06eba8214db69p-3);
    return p;
}
/* [-1, 1]: 4.5e-17 */
CORUN_FN double corun_erfcx_d(double z)
{
    double p = 0x1.0967e527911a9p-30;
    p = __builtin_fma(p, z, 0x1.afe473b552685p-30);
    p = __builtin_fma(p, z, -0x1.af097381d257bp-27);
    p = __builtin_fma(p, z, -0x1.1904891a069b4p-26);
    p = __builtin_fma(p, z, 0x1.cad9b27d6d663p-24);
    p = __builtin_fma(p, z, 0x1.31744dd9b56dp-24);
    p = __builtin_fma(p, z, -0x1.b9339da7bf70bp-21);
    p = __builtin_fma(p, z, 0x1.400a0021a32f1p-22);
    p = __builtin_fma(p, z, 0x1.7f01a118598aep-18);
    p = __builtin_fma(p, z, -0x1.78a738afaf645p-17);
    p = __builtin_fma(p, z, -0x1.99551e5f87e2p-16);
    p = __builtin_fma(p, z, 0x1.3be12bafabe1fp-13);
    p = __builtin_fma(p, z, -0x1.a1df4a1e543bcp-13);
    p = __builtin_fma(p, z, -0x1.8d4aaa8fbedbcp-11);
    p = __builtin_fma(p, z, 0x1.49c672b9685cep-8);
    p = __builtin_fma(p, z, -0x1.0962386da3254p-6);
    p = __builtin_fma(p, z, 0x1.3079edf5d9d05p-5);
    p = __builtin_fma(p, z, -0x1.0fb06dfee479p-4);
    p = __builtin_fma(p, z, 0x1.7fee004e16d41p-4);
    p = __builtin_fma(p, z, -0x1.9ddb23c3e0c24p-4);
    p = __builtin_fma(p, z, 0x1.16ecefcfa5214p-4);
    p = __builtin_fma(p, z, 0x1.f7f5df66fc17fp-7);
    p = __builtin_fma(p, z, -0x1.1df1ad154a28ep-3);
    p = __builtin_fma(p, z, 0x1.3ba5916e9fd7fp+0);
    return p;
}
/* [0, 1]: 3.1e-17 */
CORUN_FN double corun_lgamma_d(double z)
{
    double p = -0x1.2eb5136d557dbp-16;
    p = __builtin_fma(p, z, 0x1.a2e63e3d08ec9p-13);
    p = __builtin_fma(p, z, -0x1.12d8af39b2ba6p-10);
    p = __builtin_fma(p, z, 0x1.c9b35e7872e98p-9);
    p = __builtin_fma(p, z, -0x1.11ead8530f375p-7);
    p = __builtin_fma(p, z, 0x1.fc720816f09e9p-7);
    p = __builtin_fma(p, z, -0x1.83c18154f68eap-6);
    p = __builtin_fma(p, z, 0x1.ffc060d29b846p-6);
    p = __builtin_fma(p, z, -0x1.32b58d549e0b2p-5);
    p = __builtin_fma(p, z, 0x1.5c7687f3348bcp-5);
    p = __builtin_fma(p, z, -0x1.837f1283846dep-5);
    p = __builtin_fma(p, z, 0x1.ae1df95734419p-5);
    p = __builtin_fma(p, z, -0x1.e1708ce9ecdcap-5);
    p = __builtin_fma(p, z, 0x1.115438704369p-4);
    p = __builtin_fma(p, z, -0x1.3cb1e27028feap-4);
    p = __builtin_fma(p, z, 0x1.79cf9af510d23p-4);
    p = __builtin_fma(p, z, -0x1.d7a3e69cd95afp-4);
    p = __builtin_fma(p, z, 0x1.3e54520464e8fp-3);
    p = __builtin_fma(p, z, -0x1.f6465978d437p-3);
    p = __builtin_fma(p, z, 0x1.2788cfc6fb619p-1);
    return p;
}
/* [0, 1]: 6.8e-20 */
CORUN_FN double corun_lgamma_2_d(double z)
{
    double p = -0x1.5318fc433f2f5p-28;
    p = __builtin_fma(p, z, 0x1.d7ad0ac20e1a5p-25);
    p = __builtin_fma(p, z, -0x1.424243da92209p-22);
    p = __builtin_fma(p, z, 0x1.26f60293f545dp-20);
    p = __builtin_fma(p, z, -0x1.a3af008e482edp-19);
    p = __builtin_fma(p, z, 0x1.00a205cd7354bp-17);
    p = __builtin_fma(p, z, -0x1.2253b1f988f5ap-16);
    p = __builtin_fma(p, z, 0x1.3ebd1cefc4875p-15);
    p = __builtin_fma(p, z, -0x1.5c41e8899bbp-14);
    p = __builtin_fma(p, z, 0x1.7ecd75c299a15p-13);
    p = __builtin_fma(p, z, -0x1.a96937fb493ebp-12);
    p = __builtin_fma(p, z, 0x1.dfebbb2ca473dp-11);
    p = __builtin_fma(p, z, -0x1.1451216c35244p-9);
    p = __builtin_fma(p, z, 0x1.4797484e91c76p-8);
    p = __builtin_fma(p, z, -0x1.95ce223a80097p-7);
    p = __builtin_fma(p, z, 0x1.0e0c9df293285p-5);
    p = __builtin_fma(p, z, -0x1.9ae6509ea109cp-4);
    p = __builtin_fma(p, z, 0x1.b0ee6072093cep-2);
    return p;
}
/* [0, 1]: 5.7e-23 */
CORUN_FN double corun_rgamma_d(double z)
{
    double p = 0x1.47827ab9ae281p-34;
    p = __builtin_fma(p, z, -0x1.047b5628f88ffp-30);
    p = __builtin_fma(p, z, 0x1.25c97059aed7ap-28);
    p = __builtin_fma(p, z, 0x1.02bf30f961ebfp-27);
    p = __builtin_fma(p, z, -0x1.bdbcdee0383c6p-23);
    p = __builtin_fma(p, z, 0x1.30aa2bc89e4cap-20);
    p = __builtin_fma(p, z, -0x1.50123d8b38dc9p-20);
    p = __builtin_fma(p, z, -0x1.51cae1d24d7e3p-16);
    p = __builtin_fma(p, z, 0x1.0c8a44a584efbp-13);
    p = __builtin_fma(p, z, -0x1.c364eca8b32d9p-13);
    p = __builtin_fma(p, z, -0x1.3171136138bb1p-10);
    p = __builtin_fma(p, z, 0x1.d919c52f0bbb6p-8);
    p = __builtin_fma(p, z, -0x1.3b4af28503153p-7);
    p = __builtin_fma(p, z, -0x1.59af103c30e87p-5);
    p = __builtin_fma(p, z, 0x1.5512320b43eedp-3);
    p = __builtin_fma(p, z, -0x1.5815e8fa27026p-5);
    p = __builtin_fma(p, z, -0x1.4fcf4026afa2ep-1);
    p = __builtin_fma(p, z, 0x1.2788cfc6fb619p-1);
    p = __builtin_fma(p, z, 0x1p+0);
    return p;
}
/* [0, 0.01563]: 1.3e-20 */
CORUN_FN double corun_stirling_d(double z)
{
    double p = -0x1.55b3a71b66a2ep-6;
    p = __builtin_fma(p, z, 0x1.96db40614b193p-8);
    p = __builtin_fma(p, z, -0x1.f5ff2fdcdf048p-10);
    p = __builtin_fma(p, z, 0x1.b94f6d6592192p-11);
    p = __builtin_fma(p, z, -0x1.38137ec070147p-11);
    p = __builtin_fma(p, z, 0x1.a01a019ee0dbep-11);
    p = __builtin_fma(p, z, -0x1.6c16c16c16b29p-9);
    p = __builtin_fma(p, z, 0x1.5555555555555p-4);
    return p;
}

#endif
