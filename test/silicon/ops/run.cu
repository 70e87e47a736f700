/* Runs the kernels prepared by make.py on GPU 0: run FOLDER OUTPUT [SECONDS [BUDGET]].
 *
 * FOLDER has cubins, plan.txt and data.bin. Lines of the plan:
 *     plan STAMP JOBS BYTES        identity of the plan, number of jobs, bytes of all outputs
 *     module CUBIN                 file of the kernels of the following jobs
 *     job KERNEL THREADS AT BYTES OUT BYTES FILL TEXTURES
 *                                  input: from AT of data.bin; output: to OUT of the outputs; FILL:
 *                                  64 bits written all over the output before
 *     texture ...                  of the previous job: numbers as in test/op/cases.c, then offset
 *                                  and bytes of the texels in data.bin
 * Parameters of a kernel: output, input, 0, handles of textures 1 .. 4.
 *
 * OUTPUT: "CORUNOPS", the stamp (16 characters), device name (64), driver version and number of
 * jobs (u32 each), for each job the state and CUDA error (i32 each), then the outputs.
 *
 * A child process runs the jobs. After a job ends the context, crashes or exceeds SECONDS (10), the
 * parent records the failure and starts a new child behind the job. After BUDGET seconds (100) the
 * parent stops and writes all results so far. */
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536, LEAST_BYTES = 8192, TEXTURES = 4, NUMBERS = 13, RESTARTS = 40,
       START_SECONDS = 45 };
enum state { NOT_RUN, GOOD, NO_MODULE, NO_TEXTURE, NO_LAUNCH, ENDED, CRASHED, HANGS, STATES };
static const char *const state_names[STATES] = {
    "not run", "good", "module does not load", "texture cannot be made", "does not launch",
    "ends the context", "crashes the process", "hangs"};

enum { KIND, TYPE, CHANNELS, WIDTH, HEIGHT, DEPTH, FLAGS, LEVELS, FILTER, LEVEL_FILTER, ADDRESS,
       NORMALIZED, FRACTIONS };
struct texture {
    int n[NUMBERS];
    size_t at, bytes;
};
struct job {
    char name[48];
    int module, threads;
    size_t in_at, in_bytes, out_at, out_bytes;
    uint64_t fill;
    int texture_n;
    struct texture textures[TEXTURES];
};
struct plan {
    char stamp[20];
    struct job *jobs;
    int job_n, module_n;
    char (*modules)[64];
    size_t out_bytes;
    uint8_t *data;
};

/* shared by parent and child */
struct shared {
    volatile int job;       /* current job of the child; -1: none yet */
    volatile uint64_t beat; /* grows as the child goes on */
    volatile int started;   /* the child has a context */
    int driver;
    char device[64];
};
static struct plan plan;
static struct shared *shared;
static int32_t *states, *errors;
static uint8_t *outputs;
static const char *folder;

static void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "run: ");
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
    exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define CALLS(F) \
    F(cuInit) F(cuDriverGetVersion) F(cuDeviceGet) F(cuDeviceGetName) F(cuDevicePrimaryCtxRetain) \
    F(cuCtxSetCurrent) F(cuCtxSynchronize) F(cuModuleLoadData) F(cuModuleGetFunction) \
    F(cuMemAlloc) F(cuMemFree) F(cuMemcpyHtoD) F(cuMemcpyDtoH) F(cuLaunchKernel) \
    F(cuArray3DCreate) F(cuArrayDestroy) F(cuMipmappedArrayCreate) F(cuMipmappedArrayDestroy) \
    F(cuMipmappedArrayGetLevel) F(cuMemcpy3D) F(cuMemcpy2D) F(cuMemAllocPitch) \
    F(cuTexObjectCreate) F(cuTexObjectDestroy) F(cuSurfObjectCreate) F(cuSurfObjectDestroy) \
    F(cuGetErrorName)
#define DECLARE(f) static decltype(&f) p_##f;
CALLS(DECLARE)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static void load_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                        "/usr/lib/x86_64-linux-gnu/libcuda.so.1"};
    void *lib = NULL;
    for (int k = 0; k < 3 && !lib; k++) lib = dlopen(names[k], RTLD_NOW);
    if (!lib) die("there is no CUDA driver here (libcuda.so.1): %s", dlerror());
#define FIND(f) \
    p_##f = (decltype(&f))dlsym(lib, TEXT(f)); \
    if (!p_##f) die("the driver has no %s", TEXT(f));
    CALLS(FIND)
}

static const char *error_name(int e)
{
    const char *name = NULL;
    if (p_cuGetErrorName) p_cuGetErrorName((CUresult)e, &name);
    return name ? name : "?";
}

static void must(CUresult e, const char *what)
{
    if (e != CUDA_SUCCESS) die("%s: %s (%d)", what, error_name(e), (int)e);
}

static uint8_t *read_file(const char *name, size_t *bytes)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    uint8_t *data = (uint8_t *)calloc(1, (size_t)n + 1);
    *bytes = data ? fread(data, 1, (size_t)n, f) : 0;
    fclose(f);
    return data;
}

static void read_job(const char *line, struct job *j, int module)
{
    memset(j, 0, sizeof *j);
    j->module = module;
    unsigned long long fill;
    if (sscanf(line, "job %47s %d %zu %zu %zu %zu %llx %d", j->name, &j->threads, &j->in_at,
               &j->in_bytes, &j->out_at, &j->out_bytes, &fill, &j->texture_n) != 8)
        die("not a job: %s", line);
    j->fill = fill;
    if (j->in_bytes > BUFFER_BYTES || j->out_bytes > BUFFER_BYTES || j->texture_n > TEXTURES)
        die("too large a job: %s", line);
}

static void read_texture(const char *line, struct texture *t)
{
    int at = (int)strlen("texture"), step = 0;
    for (int k = 0; k < NUMBERS; k++, at += step)
        if (sscanf(line + at, "%d%n", &t->n[k], &step) != 1) die("not a texture: %s", line);
    if (sscanf(line + at, "%zu %zu", &t->at, &t->bytes) != 2) die("not a texture: %s", line);
}

static void read_plan(void)
{
    size_t bytes, data_bytes;
    char *text = (char *)read_file("plan.txt", &bytes), *save, *line;
    plan.data = read_file("data.bin", &data_bytes);
    if (!text || !plan.data) die("cannot read plan.txt and data.bin in %s", folder);
    line = strtok_r(text, "\n", &save);
    int n = 0, texture = 0;
    if (!line || sscanf(line, "plan %19s %d %zu", plan.stamp, &n, &plan.out_bytes) != 3)
        die("not a plan");
    plan.jobs = (struct job *)calloc((size_t)n, sizeof *plan.jobs);
    plan.modules = (char(*)[64])calloc((size_t)n + 1, 64);
    while ((line = strtok_r(NULL, "\n", &save))) {
        if (!strncmp(line, "module ", 7)) {
            snprintf(plan.modules[plan.module_n++], 64, "%s", line + 7);
        } else if (!strncmp(line, "job ", 4) && plan.job_n < n) {
            read_job(line, &plan.jobs[plan.job_n++], plan.module_n - 1);
            texture = 0;
        } else if (!strncmp(line, "texture ", 8) && plan.job_n && texture < TEXTURES) {
            read_texture(line, &plan.jobs[plan.job_n - 1].textures[texture++]);
        } else {
            die("not of a plan: %s", line);
        }
    }
    for (int k = 0; k < n; k++) {
        const struct job *j = &plan.jobs[k];
        if (j->in_at + j->in_bytes > data_bytes || j->out_at + j->out_bytes > plan.out_bytes)
            die("job %s reaches out of its files", j->name);
        for (int t = 0; t < j->texture_n; t++)
            if (j->textures[t].at + j->textures[t].bytes > data_bytes)
                die("a texture of job %s reaches out of data.bin", j->name);
    }
    free(text);
    if (plan.job_n != n) die("the plan names %d jobs and has %d", n, plan.job_n);
}

/* a texture or surface on the device, and the memory behind the object */
struct made {
    unsigned long long handle;
    bool surface;
    CUarray array;
    CUmipmappedArray levels;
    CUdeviceptr memory;
};

static unsigned format_bytes(int type)
{
    static const unsigned bytes[] = {1, 2, 4, 1, 2, 4, 2, 4};
    return bytes[type];
}

static CUarray_format format_of(int type)
{
    static const CUarray_format formats[] = {
        CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
        CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32,
        CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT};
    return formats[type];
}

static size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* Copies the texels of a level, stored row by row, into an array; adds the bytes to *used. */
static CUresult fill_level(CUarray array, const struct texture *t, int level, const uint8_t *texels,
                           size_t *used)
{
    size_t texel = format_bytes(t->n[TYPE]) * (size_t)t->n[CHANNELS];
    size_t w = most((size_t)t->n[WIDTH] >> level, 1), h = most((size_t)t->n[HEIGHT] >> level, 1);
    size_t d = most(t->n[FLAGS] ? (size_t)t->n[DEPTH] : (size_t)t->n[DEPTH] >> level, 1);
    CUDA_MEMCPY3D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.srcPitch = w * texel;
    copy.srcHeight = h;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = w * texel;
    copy.Height = h;
    copy.Depth = d;
    *used = w * h * d * texel;
    if (*used > t->bytes) return CUDA_ERROR_INVALID_VALUE;
    return p_cuMemcpy3D(&copy);
}

static CUresult make_array(const struct texture *t, struct made *m, CUDA_RESOURCE_DESC *resource)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    memset(&d, 0, sizeof d);
    d.Width = (size_t)t->n[WIDTH];
    d.Height = (size_t)t->n[HEIGHT];
    d.Depth = (size_t)t->n[DEPTH];
    d.Format = format_of(t->n[TYPE]);
    d.NumChannels = (unsigned)t->n[CHANNELS];
    if (t->n[FLAGS] & 1) d.Flags |= CUDA_ARRAY3D_LAYERED;
    if (t->n[FLAGS] & 2) d.Flags |= CUDA_ARRAY3D_CUBEMAP;
    if (t->n[KIND] == 4) d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    int levels = t->n[LEVELS];
    CUresult e = levels > 1 ? p_cuMipmappedArrayCreate(&m->levels, &d, (unsigned)levels)
                            : p_cuArray3DCreate(&m->array, &d);
    size_t used = 0, at = t->at;
    for (int l = 0; e == CUDA_SUCCESS && l < (levels > 1 ? levels : 1); l++, at += used) {
        CUarray array = m->array;
        if (levels > 1) e = p_cuMipmappedArrayGetLevel(&array, m->levels, (unsigned)l);
        if (e == CUDA_SUCCESS) e = fill_level(array, t, l, plan.data + at, &used);
    }
    resource->resType = levels > 1 ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : CU_RESOURCE_TYPE_ARRAY;
    if (levels > 1) resource->res.mipmap.hMipmappedArray = m->levels;
    else resource->res.array.hArray = m->array;
    return e;
}

static CUresult make_memory(const struct texture *t, struct made *m, CUDA_RESOURCE_DESC *resource)
{
    size_t row = format_bytes(t->n[TYPE]) * (size_t)t->n[CHANNELS] * (size_t)t->n[WIDTH];
    if (t->n[KIND] == 1) {
        resource->resType = CU_RESOURCE_TYPE_LINEAR;
        resource->res.linear.format = format_of(t->n[TYPE]);
        resource->res.linear.numChannels = (unsigned)t->n[CHANNELS];
        resource->res.linear.sizeInBytes = row;
        CUresult e = p_cuMemAlloc(&m->memory, row);
        resource->res.linear.devPtr = m->memory;
        return e != CUDA_SUCCESS ? e : p_cuMemcpyHtoD(m->memory, plan.data + t->at, row);
    }
    size_t pitch = 0, rows = most((size_t)t->n[HEIGHT], 1);
    CUresult e = p_cuMemAllocPitch(&m->memory, &pitch, row, rows, 16);
    CUDA_MEMCPY2D copy;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = plan.data + t->at;
    copy.srcPitch = copy.WidthInBytes = row;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = m->memory;
    copy.dstPitch = pitch;
    copy.Height = rows;
    resource->resType = CU_RESOURCE_TYPE_PITCH2D;
    resource->res.pitch2D.devPtr = m->memory;
    resource->res.pitch2D.format = format_of(t->n[TYPE]);
    resource->res.pitch2D.numChannels = (unsigned)t->n[CHANNELS];
    resource->res.pitch2D.width = (size_t)t->n[WIDTH];
    resource->res.pitch2D.height = rows;
    resource->res.pitch2D.pitchInBytes = pitch;
    return e != CUDA_SUCCESS ? e : p_cuMemcpy2D(&copy);
}

static CUresult make_texture(const struct texture *t, struct made *m)
{
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
    memset(&resource, 0, sizeof resource);
    memset(&sampler, 0, sizeof sampler);
    CUresult e = t->n[KIND] <= 2 ? make_memory(t, m, &resource) : make_array(t, m, &resource);
    if (e != CUDA_SUCCESS) return e;
    if (t->n[KIND] == 4) {
        m->surface = true;
        return p_cuSurfObjectCreate(&m->handle, &resource);
    }
    static const float border[4] = {0.25f, 0.5f, -2, 3};
    for (int k = 0; k < 3; k++) sampler.addressMode[k] = (CUaddress_mode)t->n[ADDRESS];
    memcpy(sampler.borderColor, border, sizeof border);
    sampler.filterMode = (CUfilter_mode)t->n[FILTER];
    sampler.mipmapFilterMode = (CUfilter_mode)t->n[LEVEL_FILTER];
    sampler.maxMipmapLevelClamp = 15;
    if (t->n[NORMALIZED]) sampler.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    if (t->n[TYPE] < 6 && !t->n[FRACTIONS]) sampler.flags |= CU_TRSF_READ_AS_INTEGER;
    return p_cuTexObjectCreate(&m->handle, &resource, &sampler, NULL);
}

static void drop(struct made *m)
{
    if (m->handle && m->surface) p_cuSurfObjectDestroy(m->handle);
    if (m->handle && !m->surface) p_cuTexObjectDestroy(m->handle);
    if (m->array) p_cuArrayDestroy(m->array);
    if (m->levels) p_cuMipmappedArrayDestroy(m->levels);
    if (m->memory) p_cuMemFree(m->memory);
}

/* The child ends after losing the context; the parent reads state and error. */
static void end_if_lost(int k, enum state state, CUresult e)
{
    states[k] = state;
    errors[k] = (int)e;
    if (p_cuCtxSynchronize() != CUDA_SUCCESS) _exit(2);
}

static void run_job(int k, CUfunction f, CUdeviceptr in, CUdeviceptr out)
{
    static uint8_t input[BUFFER_BYTES], output[BUFFER_BYTES];
    const struct job *j = &plan.jobs[k];
    size_t in_bytes = most(j->in_bytes, LEAST_BYTES), out_bytes = most(j->out_bytes, LEAST_BYTES);
    memset(input, 0, in_bytes);
    memcpy(input, plan.data + j->in_at, j->in_bytes);
    for (size_t at = 0; at + 8 <= out_bytes; at += 8) memcpy(output + at, &j->fill, 8);
    struct made made[TEXTURES];
    memset(made, 0, sizeof made);
    CUresult e = CUDA_SUCCESS;
    for (int t = 0; e == CUDA_SUCCESS && t < j->texture_n; t++)
        e = make_texture(&j->textures[t], &made[t]);
    if (e != CUDA_SUCCESS) {
        end_if_lost(k, NO_TEXTURE, e);
    } else {
        unsigned n = 0;
        void *args[3 + TEXTURES] = {&out, &in, &n};
        for (int t = 0; t < TEXTURES; t++) args[3 + t] = &made[t].handle;
        e = p_cuMemcpyHtoD(in, input, in_bytes);
        if (e == CUDA_SUCCESS) e = p_cuMemcpyHtoD(out, output, out_bytes);
        if (e == CUDA_SUCCESS)
            e = p_cuLaunchKernel(f, 1, 1, 1, (unsigned)j->threads, 1, 1, 0, NULL, args, NULL);
        if (e != CUDA_SUCCESS) {
            end_if_lost(k, NO_LAUNCH, e);
        } else {
            e = p_cuCtxSynchronize();
            if (e == CUDA_SUCCESS) e = p_cuMemcpyDtoH(output, out, out_bytes);
            states[k] = e == CUDA_SUCCESS ? GOOD : ENDED;
            errors[k] = (int)e;
            if (e != CUDA_SUCCESS) _exit(2);
            memcpy(outputs + j->out_at, output, j->out_bytes);
        }
    }
    for (int t = 0; t < TEXTURES; t++) drop(&made[t]);
}

static void child(int first)
{
    load_driver();
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    must(p_cuInit(0), "there is no usable CUDA device: cuInit");
    CUdevice device;
    CUcontext context;
    must(p_cuDeviceGet(&device, 0), "there is no CUDA device: cuDeviceGet");
    p_cuDeviceGetName(shared->device, sizeof shared->device, device);
    p_cuDriverGetVersion(&shared->driver);
    must(p_cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(p_cuCtxSetCurrent(context), "cuCtxSetCurrent");
    CUdeviceptr in, out;
    must(p_cuMemAlloc(&in, BUFFER_BYTES), "cuMemAlloc");
    must(p_cuMemAlloc(&out, BUFFER_BYTES), "cuMemAlloc");
    CUmodule module = NULL;
    int at = -1;
    CUresult loaded = CUDA_SUCCESS;
    for (int k = first; k < plan.job_n; k++) {
        const struct job *j = &plan.jobs[k];
        shared->job = k;
        shared->beat++;
        shared->started = 1;
        if (j->module != at) {
            size_t bytes;
            at = j->module;
            uint8_t *cubin = read_file(plan.modules[at], &bytes);
            loaded = cubin ? p_cuModuleLoadData(&module, cubin) : CUDA_ERROR_FILE_NOT_FOUND;
            free(cubin);
        }
        CUfunction f = NULL;
        CUresult e = loaded != CUDA_SUCCESS ? loaded : p_cuModuleGetFunction(&f, module, j->name);
        if (e != CUDA_SUCCESS) end_if_lost(k, NO_MODULE, e);
        else run_job(k, f, in, out);
    }
    fflush(stdout);
    _exit(0);
}

/* Waits for a child; true after the end of the plan. */
static bool watch(pid_t pid, double seconds, double end)
{
    uint64_t beat = shared->beat;
    double since = now();
    int status;
    for (;;) {
        pid_t who = waitpid(pid, &status, WNOHANG);
        if (who == pid || (who < 0 && errno != EINTR)) break;
        usleep(2000);
        if (shared->beat != beat) {
            beat = shared->beat;
            since = now();
        }
        bool late = now() > end;
        double patience = shared->started ? seconds : (double)START_SECONDS;
        if (!late && now() - since < patience) continue;
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        if (!shared->started) fprintf(stderr, "run: no context stood in time\n");
        else if (!late) states[shared->job] = HANGS;
        return false;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (!shared->started) return false;
    int k = shared->job;
    if (states[k] <= GOOD) states[k] = CRASHED;
    return false;
}

static void *share(size_t bytes)
{
    void *p = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) die("out of memory");
    return p;
}

static void write_output(const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f) die("cannot write %s", path);
    uint32_t numbers[2] = {(uint32_t)shared->driver, (uint32_t)plan.job_n};
    fwrite("CORUNOPS", 1, 8, f);
    fwrite(plan.stamp, 1, 16, f);
    fwrite(shared->device, 1, 64, f);
    fwrite(numbers, 4, 2, f);
    fwrite(states, 4, (size_t)plan.job_n, f);
    fwrite(errors, 4, (size_t)plan.job_n, f);
    fwrite(outputs, 1, plan.out_bytes, f);
    if (fclose(f)) die("cannot write %s", path);
}

int main(int argc, char **argv)
{
    if (argc < 3) die("use: run FOLDER OUTPUT [SECONDS [BUDGET]]");
    folder = argv[1];
    double seconds = argc > 3 ? atof(argv[3]) : 10, start = now();
    double end = start + (argc > 4 ? atof(argv[4]) : 100);
    read_plan();
    shared = (struct shared *)share(sizeof *shared);
    states = (int32_t *)share(4 * (size_t)plan.job_n);
    errors = (int32_t *)share(4 * (size_t)plan.job_n);
    outputs = (uint8_t *)share(plan.out_bytes);
    bool done = false;
    int next = 0, restarts = 0, failed_starts = 0;
    while (!done && next < plan.job_n && restarts < RESTARTS && now() < end) {
        shared->job = -1;
        shared->started = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (pid < 0) die("cannot fork");
        if (pid == 0) child(next);
        done = watch(pid, seconds, end);
        if (done) break;
        restarts++;
        if (!shared->started) {
            if (!next || ++failed_starts > 3) break; /* no device: the child said why */
            sleep(1);
            continue; /* a driver may need a moment after a killed kernel */
        }
        int k = shared->job;
        if (states[k] != NOT_RUN)
            printf("job %d %s of %s: %s, %s (%d)\n", k, plan.jobs[k].name,
                   plan.modules[plan.jobs[k].module], state_names[states[k]],
                   errors[k] ? "CUDA error" : "no CUDA error", errors[k]);
        next = k + 1;
    }
    int count[STATES] = {0};
    for (int k = 0; k < plan.job_n; k++) count[states[k]]++;
    if (count[NOT_RUN] == plan.job_n) die("no job ran; %s is not written", argv[2]);
    write_output(argv[2]);
    printf("%s, driver %d: %d jobs in %.1f s, %d restarts:", shared->device, shared->driver,
           plan.job_n, now() - start, restarts);
    for (int s = 0; s < STATES; s++)
        if (count[s]) printf(" %d %s,", count[s], state_names[s]);
    printf(" outputs in %s\n", argv[2]);
    return count[GOOD] ? 0 : 1;
}
