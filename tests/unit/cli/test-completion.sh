#!/bin/bash
# test-completion.sh COMPLETION TOOL: what bash offers for half a command line of rdma-canary.
set -u
failed=0
tool=$2
# shellcheck source=/dev/null
source "$1"

# offers WANTED WORD...: what is offered for the last word has WANTED in it; !WANTED: has it not.
offers() {
    local wanted=$1
    shift
    COMP_WORDS=("$tool" "$@")
    COMP_CWORD=$#
    _rdma_canary
    case " ${COMPREPLY[*]-} " in
    *" ${wanted#!} "*) [[ $wanted != !* ]] ;;
    *) [[ $wanted == !* ]] ;;
    esac && return
    echo "for \"$*\": $wanted, but there is \"${COMPREPLY[*]-}\""
    failed=1
}

for command in devices bw lat respond; do
    offers "$command" "${command:0:1}"
    while read -r option; do
        offers "$option" "$command" --
    done < <("$tool" "$command" --help | sed -n 's/^  \(--[a-z0-9-]*\).*/\1/p')
done
offers --version --v
offers --min-bw bw host-b --m
offers '!--min-bw' lat host-b --m
offers --max-p50 lat --json --m
offers '!--json' bw --size ""
offers --idle respond ""
offers /proc bw --record /pro
exit $failed
