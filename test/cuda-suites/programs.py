"""The programs of the suites: a row each. `every` lists them."""
import os
import re

import checks


HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = '../../../cuda-samples/Common -I../../../../cuda-samples/Common'
OLD_NAMES = f'-arch=sm_75 -include {HERE}/old_names.h'
WATCHED = f'{HERE}/watch.c -Xlinker --wrap=cudaMemcpy' # records copies, in place of printed results


# All programs run functionally, except programs whose threads, warps or launches meet in an order
# determined only by time: MVT's threads add to the same element, heartwall's warps read other
# warps' writes without a barrier between, a kernel of cudaGraphsPerfScaling waits for the host.
FUNCTIONALLY = '--skip-kernels all'
TIMED = 'MVT', 'heartwall', 'cudaGraphsPerfScaling'


class Program:
    def __init__(self, suite, name, folder, build, command, right, prepare='', out='', flags='',
                 environment='', options=''):
        self.suite, self.name, self.folder, self.build = suite, name, folder, build
        self.command, self.right, self.prepare, self.out = command, right, prepare, out
        self.flags, self.environment = flags, environment
        self.options = options if options or name in TIMED else FUNCTIONALLY


def says(*words, never=r'FAILED|[Ff]ailed|ERROR|mismatch'):
    """The output must have every word, and no match of `never`, printed when a check fails."""
    def right(said, folder):
        bad = re.search(never, said) if never else None
        if bad:
            return False, 'it says ' + bad.group(0)
        for word in words:
            if not re.search(word, said):
                return False, f'it does not say {word}'
        return True, 'says ' + ', '.join(words) if words else 'exit status 0'
    return right


def checked(name):
    """checks.py computes the expected output."""
    def right(said, folder):
        return getattr(checks, name)(said, folder)
    return right


def ends(said, folder):
    """The program's output cannot be checked."""
    return None, 'no check of its own'


# ---- PolyBench-GPU: compares with the CPU and counts differences ----

POLYBENCH = ['2DCONV', '2MM', '3DCONV', '3MM', 'ADI', 'ATAX', 'BICG', 'CORR', 'COVAR', 'DOITGEN',
             'FDTD-2D', 'GEMM', 'GEMVER', 'GESUMMV', 'GRAMSCHM', 'JACOBI1D', 'JACOBI2D', 'LU',
             'MVT', 'SYR2K', 'SYRK']


def polybench_right(said, folder):
    m = re.search(r'(?:Non-Matching CPU-GPU Outputs.*|Number of misses): *(\d+)', said)
    if not m:
        return False, 'it compared nothing'
    return m.group(1) == '0', f'{m.group(1)} outputs differ from the CPU\'s'


def polybench():
    for name in POLYBENCH:
        yield Program('PolyBench-GPU', name, f'polybenchGpu/CUDA/{name}',
                      f'nvcc -O3 *.cu -o {name}.exe',
                      f'./{name}.exe', polybench_right, flags=OLD_NAMES)


# ---- Rodinia ----

# files of a previous program or an earlier run
OUTPUTS = ('copied result.txt output.txt out.txt image_out.pgm density momentum density_energy '
           '*.dwt.*')


def rodinia_inputs(program):
    return f'rm -f {OUTPUTS}; python3 {HERE}/inputs.py {program}'


# name; folder; sources; command; how the output is judged; more flags
RODINIA = [
    ('backprop', 'backprop', 'backprop.c facetrain.c imagenet.c backprop_cuda.cu',
     './backprop 1024', checked('backprop'), WATCHED),
    ('bfs', 'bfs', 'bfs.cu', './bfs graph.txt', checked('bfs'), ''),
    ('cfd', 'cfd', 'euler3d.cu', './cfd mesh.txt', checked('cfd_float'), '-Dblock_length=192'),
    ('cfd_double', 'cfd', 'euler3d_double.cu', './cfd_double mesh.txt', checked('cfd_double'), ''),
    ('cfd_pre', 'cfd', 'pre_euler3d.cu', './cfd_pre mesh.txt', checked('cfd_pre'), ''),
    ('cfd_pre_double', 'cfd', 'pre_euler3d_double.cu', './cfd_pre_double mesh.txt',
     checked('cfd_pre_double'), ''),
    ('b+tree', 'b+tree', 'main.c kernel/*wrapper*.cu util/*/*.c util/*/*.cu',
     './b+tree file keys.txt command commands.txt', checked('btree'), '-I. -Ikernel'),
    ('dwt2d', 'dwt2d', 'main.cu dwt.cu components.cu dwt_cuda/*.cu',
     './dwt2d image.bmp -d 64x64 -f -5 -l 3', checked('dwt2d'), '-I. -DOUTPUT'),
    ('gaussian', 'gaussian', 'gaussian.cu', './gaussian -s 16', checked('gaussian'),
     WATCHED),
    ('heartwall', 'heartwall', 'main.cu AVI/*.c', './heartwall test.avi 2', checked('heartwall'),
     '-IAVI -DOUTPUT'),
    ('hotspot', 'hotspot', 'hotspot.cu', './hotspot 64 2 2 temp.txt power.txt out.txt',
     checked('hotspot'), ''),
    ('hotspot3D', 'hotspot3D', '3D.cu', './hotspot3D 64 8 4 power.txt temp.txt out.txt',
     says(r'Accuracy: [0-9.]+e-0[4-9]|Accuracy: 0.0000'), ''),
    ('huffman', 'huffman', 'main_test_cu.cu stats_logger.cpp vlc_kernel_sm64huff.cu scan.cu '
     'pack_kernels.cu cpuencode.cpp', './huffman text.in', says('PASS'), '-DTESTING'),
    ('hybridsort', 'hybridsort', 'bucketsort.cu mergesort.cu main.cu', './hybridsort r',
     says('PASSED'), '-DVERIFY -DSIZE=100000'),
    ('kmeans', 'kmeans', 'cluster.c getopt.c kmeans.c kmeans_clustering.c kmeans_cuda.cu rmse.c',
     './kmeans -o -i points.txt', ends, '-Xcompiler -fopenmp'),
    ('lavaMD', 'lavaMD', 'main.c kernel/kernel_gpu_cuda_wrapper.cu util/*/*.c util/*/*.cu',
     './lavaMD -boxes1d 2', checked('lavaMD'), '-Xcompiler -fopenmp -DOUTPUT'),
    ('leukocyte', 'leukocyte/CUDA', 'avilib.c find_ellipse.c find_ellipse_kernel.cu '
     'track_ellipse.c track_ellipse_kernel.cu misc_math.c detect_main.c '
     '../meschach_lib/*.c', './leukocyte test.avi 1', ends, '-I../meschach_lib'),
    ('lud', 'lud/cuda', 'lud.cu lud_kernel.cu ../common/common.c', './lud -s 64 -v',
     says('>>>Verify<<<', never=r'dismatch'), '-I../common'),
    ('mummergpu', 'mummergpu/src', 'mummergpu.cu *.cpp', './mummergpu r.fna q.fna', ends, ''),
    ('myocyte', 'myocyte', 'main.cu', './myocyte 3 1 0', checked('myocyte'), ''),
    ('nn', 'nn', 'nn_cuda.cu', './nn list.txt -r 5 -lat 30 -lng 90', checked('nn'), ''),
    ('nw', 'nw', 'needle.cu', './nw 64 10', checked('nw'), '-DTRACEBACK'),
    ('particlefilter_naive', 'particlefilter', 'ex_particle_CUDA_naive_seq.cu',
     './particlefilter_naive -x 32 -y 32 -z 4 -np 128', checked('particlefilter_naive'),
     '-use_fast_math ' + WATCHED),
    ('particlefilter_float', 'particlefilter', 'ex_particle_CUDA_float_seq.cu',
     './particlefilter_float -x 32 -y 32 -z 4 -np 128', checked('particlefilter_float'),
     '-use_fast_math ' + WATCHED),
    ('pathfinder', 'pathfinder', 'pathfinder.cu', './pathfinder 1000 20 4', checked('pathfinder'),
     '-DBENCH_PRINT'),
    ('srad_v1', 'srad/srad_v1', 'main.cu', './srad_v1 2 0.5 64 64', checked('srad_v1'), ''),
    ('srad_v2', 'srad/srad_v2', 'srad.cu', './srad_v2 64 64 0 31 0 31 0.5 2', checked('srad_v2'),
     '-DOUTPUT'),
    ('streamcluster', 'streamcluster', 'streamcluster_cuda_cpu.cpp streamcluster_cuda.cu '
     'streamcluster_header.cu', './streamcluster 3 4 16 256 256 10 none out.txt 1',
     checked('streamcluster'), ''),
]


# reads or a texture of these programs leave an allocation, into mapped memory on a GPU
BY_PAGES = FUNCTIONALLY + ' --set memory.bounds=page'
OPTIONS = {'dwt2d': BY_PAGES, 'srad_v2': BY_PAGES, 'convolutionFFT2D': BY_PAGES}


def rodinia():
    for name, folder, sources, command, right, flags in RODINIA:
        yield Program('Rodinia', name, 'gpu-rodinia/cuda/' + folder,
                      f'nvcc -O2 {flags} {sources} -I../util -I{SAMPLES} -o {name} -lcuda -lm',
                      command, right, prepare=rodinia_inputs(name), flags=OLD_NAMES,
                      options=OPTIONS.get(name, ''))


# ---- cuda-samples ----

OWN = {'cublas', 'cublasLt', 'cufft', 'curand', 'cusparse'} # libraries that corun has


def libraries_of(folder):
    lists = open(os.path.join(folder, 'CMakeLists.txt')).read()
    return sorted(set(re.findall(r'CUDA::((?:cu(?!da)|npp|nv|NV)\w+)', lists)))


def sample_out(folder, name):
    lists = open(os.path.join(folder, 'CMakeLists.txt')).read()
    libraries = libraries_of(folder)
    if re.search('GLUT|OpenGL|Vulkan', lists) or 'D3D' in name:
        return 'graphics'
    if re.search('NVVM|nvvm', lists):
        return 'libNVVM'
    if re.search('NvSci|EGL_LIBRARY|EGLStream', lists) or 'EGL' in name:
        return 'EGL or NvSci'
    missing = [library for library in libraries if library not in OWN]
    if missing:
        return 'needs ' + ', '.join(missing)
    if name.endswith('MPI'):
        return 'needs MPI'
    if 'cuda_driver' in lists:
        return 'driver API'
    return ''


def sample_right(sources):
    """The output must say "passed", if the source can, and must not report a failure."""
    can = any(re.search(r'"[^"\n]*\b(PASS|PASSED|[Pp]assed)\b', text) for text in sources)
    never = r'FAILED|Test failed|Result = FAIL|ERROR'

    def right(said, folder):
        ok, seen = says(never=never)(said, folder)
        word = re.search(r'.*\b(PASS|PASSED|[Pp]assed)\b', said)
        if not ok or not can:
            return ok, seen + ', no verdict printed' if ok else seen
        return bool(word), 'says ' + word.group(1) if word else 'it does not say that it passed'
    return right


def samples(suites):
    top = os.path.join(suites or '', 'cuda-samples/Samples')
    if not suites or not os.path.isdir(top):
        return
    # a quarter of the matrices' side: 101 products take long
    small = ' '.join(f'-{side}=320' for side in ('wA', 'hA', 'wB', 'hB'))
    arguments = {'globalToShmemAsyncCopy': small}
    for part in sorted(os.listdir(top)):
        if not re.match('[0-6]_', part):
            continue
        for name in sorted(os.listdir(os.path.join(top, part))):
            folder = os.path.join(top, part, name)
            if not os.path.exists(os.path.join(folder, 'CMakeLists.txt')):
                continue
            files = [os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs
                     if re.search(r'\.(cu|cpp|c)$', f)]
            files = [os.path.relpath(f, folder) for f in sorted(files)]
            extra = ' ../../../Common/helper_multiprocess.cpp' if name.endswith('IPC') else ''
            build = ('nvcc -std=c++17 -O2 --extended-lambda -Xcompiler -fopenmp -I. -Iinc '
                     '-I../../../Common ' + ' '.join(files) + extra + f' -o {name}')
            out = sample_out(folder, name)
            if out == 'driver API':
                build += ' -lcuda'
            elif not out:
                build += ''.join(' -l' + library for library in libraries_of(folder))
            for f in files:
                if out == 'driver API' and f.endswith('_kernel.cu'):
                    build += f' && nvcc -fatbin {f} -o {f[:-3]}64.fatbin'
                    build += f' && nvcc -ptx {f} -o {f[:-3]}64.ptx'
            rdc = ' -rdc=true' if name.startswith('cdp') else ''
            sources = [open(os.path.join(folder, f), errors='replace').read() for f in files]
            yield Program('cuda-samples', name, f'cuda-samples/Samples/{part}/{name}', build,
                          f'./{name} {arguments.get(name, "")}'.strip(),
                          sample_right(sources), out='' if out == 'driver API' else out,
                          flags='-cudart shared -gencode arch=compute_75,code=compute_75' + rdc,
                          options=OPTIONS.get(name, ''))


def every(suites):
    yield from polybench()
    yield from rodinia()
    yield from samples(suites)
