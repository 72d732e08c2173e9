# SPDX-License-Identifier: Apache-2.0
# bash completion of rdma-canary. Commands and options are those that --help lists.

_rdma_canary() {
    local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p') --help --version" -- "$word")
        return
    fi
    case $before in
    --device) mapfile -t COMPREPLY < <(cd /sys/class/infiniband 2>/dev/null && compgen -f -- "$word") ;;
    --record) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    --json | --csv | --loopback | [!-]* | -h) _rdma_canary_argument ;;
    esac
}

# An option, or a host where the command takes one.
_rdma_canary_argument() {
    if [[ $word == -* || $command != @(bw|lat) ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$tool" "$command" --help 2>/dev/null | sed -n 's/^  \(--[a-z0-9-]*\) .*/\1/p') --help" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -A hostname -- "$word")
    fi
}

complete -F _rdma_canary rdma-canary
