#!/bin/sh
# Writes the generated pages: docs.sh CORUN [FOLDER]. tools/tidy compares the pages with
# docs/reference/.
set -eu
corun=$1
folder=${2:-docs/reference}
cd "$(dirname "$0")/.."
mkdir -p "$folder"
for page in options stats policies opcodes workloads gpus result; do
    "$corun" list "$page" --markdown >"$folder/$page.md.new"
    mv "$folder/$page.md.new" "$folder/$page.md"
done
"$corun" list result --schema >"$folder/result.schema.json"
"$corun" list values --markdown | sed 's/^# /\n## /' >>"$folder/gpus.md"
for list in policy_options hooks; do
    "$corun" list "$list" --markdown | sed 's/^# /\n## /' >>"$folder/policies.md"
done
"$corun" list parameters --markdown | sed 's/^# /\n## /' >>"$folder/workloads.md"
"$corun" list products --markdown | sed 's/^# /\n## /' >>"$folder/opcodes.md"
python3 test/ptx/forms.py --page >>"$folder/opcodes.md"
python3 workloads/page.py "$corun" >"$folder/programs.md.new"
mv "$folder/programs.md.new" "$folder/programs.md"
python3 test/silicon/page.py "$corun" >"$folder/silicon.md.new"
mv "$folder/silicon.md.new" "$folder/silicon.md"
python3 test/silicon/curves.py --draw "$folder" "$(dirname "$corun")"
python3 test/silicon/corun_page.py >"$folder/corun-silicon.md.new"
mv "$folder/corun-silicon.md.new" "$folder/corun-silicon.md"
python3 experiments/page.py "$folder"
if [ $# -lt 2 ]; then
    python3 experiments/page.py --verdicts >experiments/results/verdicts.csv.new
    mv experiments/results/verdicts.csv.new experiments/results/verdicts.csv
fi
python3 test/cc/device_math.py --page >"$folder/device-math.md.new"
mv "$folder/device-math.md.new" "$folder/device-math.md"
tools/picture.py >"$folder/picture.svg.new"
mv "$folder/picture.svg.new" "$folder/picture.svg"
[ $# -gt 1 ] || tools/tidy --model
