# bash completion for corun: asks the binary for the words that may follow.
_corun() {
    local words=() word last='' line file=
    # bash splits words at = and :, corun does not.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ ${#words[@]} -gt 0 && ( $word == [=:] || $last == *[=:] ) ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
        last=${words[-1]}
    done
    local before=${last%"${COMP_WORDS[COMP_CWORD]#[=:]}"} # bash replaces only the rest
    [[ $before == *[=:] ]] || before=
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == FILE ]]; then file=1; continue; fi
        line=${line%%$'\t'*}
        COMPREPLY+=("${line#"$before"}")
    done < <("${COMP_WORDS[0]/#\~/$HOME}" --complete "${words[@]}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} = 0 && -n $file ]]; then compopt -o default; fi
    if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi
} 2>/dev/null
complete -F _corun corun
