/* cudaProfilerStart and related calls are in the run-time API. */
#include "cuda_runtime_api.h"
