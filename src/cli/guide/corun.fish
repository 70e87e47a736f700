# fish completion for corun: asks the binary for the words that may follow.
function __corun_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] --complete $words[2..] 2>/dev/null)
        if test "$line" = FILE
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c corun -f -a '(__corun_complete)'
