/* Declarations shared by the files of corun's NVML. The only device is the simulated machine. */
#ifndef CORUN_NVML_OWN_H
#define CORUN_NVML_OWN_H

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "cuda/connection/client.h"
#include "cuda/include/nvml.h"

/* Names of the device on its bus. */
#define NVML_BUS_ID "00000000:01:00.0"
#define NVML_BUS_ID_LEGACY "0000:01:00.0"
/* UUID of struct cudaDeviceProp, the letters "corun" and zeros. */
#define NVML_UUID "GPU-636f7275-6e00-0000-0000-000000000000"

/* Returns the handle of the device. */
nvmlDevice_t nvml_handle(void);
/* Returns the description of the device. NULL: *error says why. */
const struct wire_device *nvml_device(nvmlDevice_t device, nvmlReturn_t *error);
/* Returns NVML_ERROR_UNINITIALIZED outside nvmlInit and nvmlShutdown, else NVML_SUCCESS. */
nvmlReturn_t nvml_ready(void);
/* Copies a text with its zero into a buffer of the program. */
nvmlReturn_t nvml_text(char *to, unsigned length, const char *text);

#endif
