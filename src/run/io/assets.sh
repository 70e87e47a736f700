#!/bin/sh
# Writes assets.c, which embeds every file named in the arguments in the binary, under its path.
#   assets.sh ROOT OUTPUT PATH...
set -eu
root=$1
out=$2
shift 2
{
    echo '#include "run/io/asset.h"'
    i=0
    for path; do
        printf '__asm__(".pushsection .rodata\\n.global corun_asset_%s\\n' $i
        printf '.global corun_asset_%s_end\\ncorun_asset_%s:\\n' $i $i
        printf '.incbin \\"%s/%s\\"\\n' "$root" "$path"
        printf 'corun_asset_%s_end:\\n.byte 0\\n.popsection");\n' $i
        echo "extern const char corun_asset_$i[], corun_asset_${i}_end[];"
        i=$((i + 1))
    done
    echo 'u32 asset_at(u32 index, struct source *out)'
    echo '{'
    i=0
    for path; do
        printf '    if (index == %s) *out = (struct source){"%s", corun_asset_%s,\n' $i "$path" $i
        printf '        (size_t)(corun_asset_%s_end - corun_asset_%s)};\n' $i $i
        i=$((i + 1))
    done
    echo "    return $i;"
    echo '}'
} >"$out"
