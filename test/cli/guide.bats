#!/usr/bin/env bats
# Completion and manual pages: made of the rows, hence every command and option is in both.
load common

GUIDE=$BATS_TEST_DIRNAME/../../src/cli/guide

commands() { sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$BATS_TEST_DIRNAME/../../src/cli/list.def"; }

options_of() {
    "$CORUN" "$1" --help | sed -nE 's/^  (--?[a-zA-Z][a-zA-Z_-]*[,=]?) .*/\1/p' | sort -u
}

offers() { # exactly these candidates
    local words=() line=
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    corun --complete "${words[@]}"
    ended 0
    line=$(cut -f1 <<<"$output" | tr '\n' ' ')
    [ "${line% }" = "$*" ] || { echo "'${words[*]}' offers $line"; false; }
}

# bats test_tags=long,every
@test "every command and every option is offered, and has its place in a manual page" {
    "$CORUN" --complete '' | cut -f1 >commands
    "$CORUN" --manual >corun.1
    [ "$(commands | wc -l)" -ge 9 ]
    for command in $(commands); do
        grep -qx -- "$command" commands
        grep -qF ".BR corun\\-$command (1)" corun.1
        "$CORUN" --complete "$command" - | cut -f1 | grep -vx -- --help | sort >offered
        diff offered <(options_of "$command")
        "$CORUN" --manual "$command" >page.1
        for option in $(options_of "$command"); do
            grep -qF -- "\\fB${option//-/\\-}\\fR" page.1
        done
    done
    [ "$("$CORUN" --complete run - | wc -l)" -ge 15 ]
}

# bats test_tags=long
@test "manual pages are without a warning" {
    command -v mandoc || command -v man || skip "neither mandoc nor man"
    for command in '' $(commands); do
        "$CORUN" --manual $command >page.1
        if command -v mandoc >/dev/null; then # a date would differ from build to build
            mandoc -T lint -W warning page.1 | grep -v 'missing date' && false
        fi
        if command -v man >/dev/null; then
            LC_ALL=C.UTF-8 man --warnings -l page.1 >shown 2>said
            [ ! -s said ] || { cat said; false; }
            grep -q "^SYNOPSIS" shown
        fi
    done
}

# bats test_tags=long
@test "what may come next" {
    offers ru -- run
    offers --v -- --version
    offers run bf -- bfs FILE
    offers run bfs:de -- bfs:degree= FILE
    offers run mm --gpu fe -- fermi30 FILE
    offers run mm --gpu=fe -- --gpu=fermi30 FILE
    offers run --quiet --gpu fe -- fermi30 FILE
    offers run --until '' -- all-complete window end
    offers diff max -- maxwell16 maxwell16-duet FILE
    offers run --cycles '' --
    offers run --policy 'smk-p+fai' -- smk-p+fair FILE
    offers run --policy 'mias[metr' -- 'mias[metric=' FILE
    offers run --set l1.mer -- l1.merges=
    offers compare mm --policies 'mias[metric=ipc],spa' -- 'mias[metric=ipc],spatial' FILE
    offers profile --gpu fermi30,gt -- fermi30,gtx980 FILE
    offers show '' -- gpu policy workload
    offers show gpu fe -- fermi30
    offers show policy smk-p -- smk-p
    offers show workload bf -- bfs
    offers report '' -- FILE
    offers report x.db -o '' -- FILE
    offers ptx --source spm -- FILE spmv spmv-jds
    offers nothing '' --
}

@test "bash asks corun" {
    cat >ask <<'END'
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_corun
echo "${COMPREPLY[*]}"
END
    asks() { [ "$(bash ask "$GUIDE/corun.bash" "$CORUN" "${@:2}")" = "$1" ]; }
    asks 'run report' r
    asks fermi30 run mm --gpu = fe
    asks 'fermi30' run mm --gpu fe
    asks 'degree=' run bfs : de
    asks 'mm mri-q mummer' run bfs : size = test m
    asks 'l1.merges=' run --set l1.mer
}

@test "zsh and fish ask corun" {
    command -v zsh || command -v fish || skip "neither zsh nor fish"
    mkdir bin
    ln -s "$(realpath "$CORUN")" bin/corun
    PATH=$PWD/bin:$PATH
    if command -v fish; then
        asks() { HOME=$PWD fish -N -c "source $GUIDE/corun.fish; complete -C 'corun $1'"; }
        asks 'run mm --gpu fe' | grep '^fermi30.*Fermi'
        asks 'run sca' | grep scale.yaml
    fi
    if command -v zsh; then
        cat >ask <<'END'
_describe() { print -r -- ${(P)2} }
_files() { print -r files }
words=(corun run mm --gpu fe) CURRENT=5
source $1
END
        [[ $(zsh -f ask "$GUIDE/_corun") == "fermi30:30 SMs"*files ]]
    fi
}
