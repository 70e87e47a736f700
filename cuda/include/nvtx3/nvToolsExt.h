/* NVTX for `corun cc`: ranges by name, pushed and popped per thread or started and ended by number,
 * in any domain. Ranges with the name of `ranges` in an app file are requests (corun_request.h);
 * everything else has no effect. Programs compiled with NVIDIA's headers have the same functions
 * from a library (cuda/nvtx/nvtx.c). */
#ifndef NVTOOLSEXT_V3
#define NVTOOLSEXT_V3

#include <stdint.h>
#include <string.h>

#include "../corun_request.h"

#define NVTX_VERSION 3
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_SUCCESS 0

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB };
enum { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE,
       NVTX_MESSAGE_TYPE_REGISTERED };
enum { NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64,
       NVTX_PAYLOAD_TYPE_DOUBLE, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32,
       NVTX_PAYLOAD_TYPE_FLOAT };
typedef union {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#ifdef __cplusplus
extern "C" {
#endif
/* Of this thread: number of pushed ranges, and a bit for each of the first 64 that is a request. */
__attribute__((weak)) __thread uint64_t corun_nvtx_requests;
__attribute__((weak)) __thread int corun_nvtx_depth;
#ifdef __cplusplus
}
#endif

static inline const char *corun_nvtx_name(const nvtxEventAttributes_t *a)
{
    if (!a) return NULL;
    if (a->messageType == NVTX_MESSAGE_TYPE_ASCII) return a->message.ascii;
    return a->messageType == NVTX_MESSAGE_TYPE_REGISTERED ? (const char *)a->message.registered
                                                          : NULL;
}

static inline int nvtxRangePushA(const char *name)
{
    int depth = corun_nvtx_depth++;
    uint64_t bit = depth < 64 ? (uint64_t)1 << depth : 0;
    corun_nvtx_requests &= ~bit;
    if (corun_range_begin(name)) corun_nvtx_requests |= bit;
    return depth;
}
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *a)
{
    return nvtxRangePushA(corun_nvtx_name(a));
}
static inline int nvtxRangePop(void)
{
    if (!corun_nvtx_depth) return NVTX_NO_PUSH_POP_TRACKING;
    int depth = --corun_nvtx_depth;
    if (depth < 64 && corun_nvtx_requests >> depth & 1) corun_range_end(NULL);
    return depth;
}
/* The number of a range that is a request is 3, of all others 2. */
static inline nvtxRangeId_t nvtxRangeStartA(const char *name)
{
    return 2 | (nvtxRangeId_t)corun_range_begin(name);
}
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a)
{
    return nvtxRangeStartA(corun_nvtx_name(a));
}
static inline void nvtxRangeEnd(nvtxRangeId_t id)
{
    if (id & 1) corun_range_end(NULL);
}

/* Domains do not matter: a handle is the name. */
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
    return (nvtxDomainHandle_t)(uintptr_t)name;
}
static inline void nvtxDomainDestroy(nvtxDomainHandle_t d) { (void)d; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t d, const char *text)
{
    (void)d;
    return (nvtxStringHandle_t)(uintptr_t)(text ? strdup(text) : NULL); /* kept to the end */
}
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    (void)d;
    return nvtxRangePushEx(a);
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t d)
{
    (void)d;
    return nvtxRangePop();
}
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t d,
                                                   const nvtxEventAttributes_t *a)
{
    (void)d;
    return nvtxRangeStartEx(a);
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t d, nvtxRangeId_t id)
{
    (void)d;
    nvtxRangeEnd(id);
}

static inline void nvtxInitialize(const void *reserved) { (void)reserved; }
static inline void nvtxMarkA(const char *text) { (void)text; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *a) { (void)a; }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    (void)d, (void)a;
}
static inline void nvtxNameCategoryA(uint32_t category, const char *name)
{
    (void)category, (void)name;
}
static inline void nvtxNameOsThreadA(uint32_t thread, const char *name)
{
    (void)thread, (void)name;
}
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA

#endif
