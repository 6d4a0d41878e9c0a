# bash completion for fairway.  The words come from `fairway help --list`, so
# they are those of the program that is installed.
_fairway()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]}
    local options words= glob= i n=0
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help --list commands 2>/dev/null) --version --help" -- "$cur")
        return
    fi
    options=$("$program" help --list options "$command" 2>/dev/null) || return 0
    case $prev in
    -p | --policy | --against | --base) words=$("$program" help --list policies) ;;
    -f | --format)
        case $command in
        trace) words=$("$program" help --list formats) ;;
        *) words="text markdown latex csv json" ;;
        esac ;;
    -o | --output | --log | --sql | --solution | --duals | --sequence) glob='*' ;;
    -d | --database) glob='*.db' ;;
    --parts) glob='*/' ;;                       # folders alone
    --scenario) [[ $command = trace ]] && glob='*.yaml' ;;
    --with) words="lines points linespoints steps bars boxes" ;;
    --log) words="x y xy" ;;
    --pending) words="replay skip" ;;
    esac
    [[ $command = plot && $prev = --log ]] && words="x y xy" glob=
    if [[ -z $words && -z $glob ]]; then
        # Another option that takes a value: nothing is known of it.
        [[ $prev = -* && $'\n'$options$'\n' = *$'\n'"$prev="$'\n'* ]] && return
        if [[ $cur = -* ]]; then
            words=${options//=/}
        else
            # Which argument it is: those before it that are neither options nor their values.
            for ((i = 2; i < COMP_CWORD; i++)); do
                if [[ ${COMP_WORDS[i]} = -* ]]; then
                    [[ $'\n'$options$'\n' = *$'\n'"${COMP_WORDS[i]}="$'\n'* ]] && ((i++))
                    continue
                fi
                ((n++))
            done
            case $command/$n in
            help/0) words=$("$program" help --list commands) ;;
            policies/0) words=$("$program" help --list policies) ;;
            trace/0) words="stats convert generate options" ;;
            plot/1) words=$("$program" help --list figures) ;;
            run/0 | sweep/0) glob='*.@(yaml|yml)' ;;
            check/1) glob='*.csv' ;;
            merge/*) glob='*.@(db|part)' ;;
            trace/*) glob='*' ;;
            flow/0) glob='*.@(min|inst)' ;;
            */0) glob='*.db' ;;
            esac
        fi
    fi
    if [[ -n $glob ]]; then
        # Files that match, and folders on the way to them.
        local extglob; extglob=$(shopt -p extglob); shopt -s extglob
        mapfile -t COMPREPLY < <(compgen -f -X "!$glob" -- "$cur"; compgen -d -- "$cur")
        eval "$extglob"
        compopt -o filenames 2>/dev/null
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _fairway fairway
