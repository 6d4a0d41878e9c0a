# bash completion for fairway, which says itself what a word may become.
_fairway()
{
    local cur=${COMP_WORDS[COMP_CWORD]} found pattern
    COMPREPLY=()
    mapfile -t found < <("${COMP_WORDS[0]}" help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    case ${found[0]} in
    '*'* | /)       # files of these patterns, and folders on the way to them
        for pattern in "${found[@]}"; do
            [[ $pattern = / ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X "!$pattern" -- "$cur")
        done
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$cur")
        compopt -o filenames 2>/dev/null ;;
    *)  mapfile -t COMPREPLY < <(compgen -W "${found[*]}" -- "$cur") ;;
    esac
}
complete -F _fairway fairway
