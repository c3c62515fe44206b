#!/usr/bin/env bash
# Programs of MPI with 2 and 4 ranks on one machine (heat.c), by each implementation of Debian's that is installed: Open MPI
# (openmpi-bin, libopenmpi-dev) and MPICH (mpich, libmpich-dev). `run.sh TEXUNIT LIBRARIES`; ends with 77 if there is none.
set -euo pipefail
texunit=$(realpath "$1") libraries=$(realpath "$2")
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
include=$(dirname "$(find -L "${CUDA_HOME:-../../target/nvidia}" /usr/local/cuda* /usr/include -name cuda.h 2>/dev/null | head -1)")
export TEXUNIT_LIBS=$libraries

# Files in memory and in temporary folders that a rank could have left, which is gone.
left() { find /dev/shm "${TMPDIR:-/tmp}" -maxdepth 1 -iname '*texunit*' 2>/dev/null | sort; }

tried=0
for kind in openmpi mpich; do
    cc=mpicc.$kind start=mpirun.$kind options=()
    command -v "$cc" >/dev/null && command -v "$start" >/dev/null || { echo "SKIPPED: $kind is not installed"; continue; }
    # Ranks may be more than there are cores, Open MPI asks who is root, and others are to go on when one is killed.
    case $kind in
    openmpi) options=(--oversubscribe --allow-run-as-root --enable-recovery) ;;
    mpich) options=(-disable-auto-cleanup) ;;
    esac
    "$cc" -O2 -Wall -ffp-contract=off -o "$folder/$kind" heat.c -I"$include" "$libraries/libcuda.so.1" -lm
    for ranks in 2 4; do
        for how in host shared killed; do
            before=$(left) code=0
            # A job that has lost a rank is ended by its launcher, with a code that is not 0.
            said=$("$texunit" run --timeout 100 "$start" "${options[@]}" -n "$ranks" "$folder/$kind" "$how" 2>"$folder/errors") || code=$?
            echo "$kind, $ranks ranks, $how: $(head -1 <<<"$said")"
            # MPICH's launcher may kill the other ranks, too, before they have printed anything.
            case "$kind $how" in "mpich killed") answer='^(right|YOUR APPLICATION TERMINATED)' ;; *) answer='^right$' ;; esac
            if [[ ! $(head -1 <<<"$said") =~ $answer ]] || { [ "$code" != 0 ] && [ "$how" != killed ]; }; then
                echo "$said" "(exit code $code)" >&2
                cat "$folder/errors" >&2
                exit 1
            fi
            [ "$(left)" = "$before" ] || { echo "left behind: $(left)" >&2; exit 1; }
        done
    done
    tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || exit 77
