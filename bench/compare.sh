#!/usr/bin/env bash
# Measures texunit and other software samplers side by side, round after round, and prints one table.
# docs/benchmarks.md describes the cases and the peers.
set -euo pipefail

usage() {
    cat <<'END'
usage: bench/compare.sh [OPTIONS]

  --peers DIR       where peers are installed (target/peers)
  --rounds N        rounds; each one measures everybody (3)
  --seconds S       time for the runs of a case in a round (0.5)
  --threads "N..."  numbers of threads ("1 2")
  --cases LIST      how the names of cases begin: a,e-grad (all)
  --only LIST       only these: texunit,lavapipe,swiftshader,drjit,pocl,intel,arrays,limit
  --texunit PROGRAM instead of target/release/texunit, which is built
  --no-install      use the peers that are there
  --markdown FILE   write the table as Markdown, too

Linux on x86-64. Debian packages are installed if the user is root; otherwise those that are missing are
named. TORCH=1 adds PyTorch (a large download), INTEL=1 Intel's OpenCL driver.
END
}

root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/bench/peers
peers=$root/target/peers
rounds=3 seconds=0.5 threads="1 2" cases="" only="" texunit="" install=1 markdown=""
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install="" && shift && continue ;;
        -h | --help) usage && exit 0 ;;
    esac
    [ $# -ge 2 ] || { usage >&2 && exit 2; }
    case $1 in
        --peers) peers=$2 ;;
        --rounds) rounds=$2 ;;
        --seconds) seconds=$2 ;;
        --threads) threads=$2 ;;
        --cases) cases=$2 ;;
        --only) only=$2 ;;
        --texunit) texunit=$2 ;;
        --markdown) markdown=$2 ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift 2
done

mkdir -p "$peers"
peers=$(cd "$peers" && pwd)
lines=$peers/lines.jsonl
log=$peers/log.txt
: >"$lines"
: >"$log"

wants() { [ -z "$only" ] || [[ ,$only, == *,$1,* ]]; }

# Says why a peer is left out, on the terminal and in the table.
skip() {
    say "left out: $1"
    python3 -c 'import json, sys; print(json.dumps({"skipped": "left out: " + sys.argv[1]}))' "$1" >>"$lines"
}

# ---- installing

# shellcheck source=bench/peers/install.sh
source "$here/install.sh"

# SwiftShader is a part of Chromium, whose package need not be installed.
swiftshader() {
    local icd=$peers/swiftshader/usr/lib/chromium/vk_swiftshader_icd.json
    if [ ! -f "$icd" ] && [ -n "$install" ]; then
        say "loading SwiftShader"
        package_lists
        (cd "$peers" && rm -f chromium-common_*.deb && apt-get download chromium-common \
            && dpkg-deb -x chromium-common_*.deb swiftshader && rm -f chromium-common_*.deb) >>"$log" 2>&1 || true
    fi
    [ -f "$icd" ] && printf '%s' "$icd"
}

# The first file of those that there are.
first_file() {
    local file
    for file in "$@"; do
        [ -f "$file" ] && printf '%s' "$file" && return 0
    done
    return 1
}

# ---- measuring

# Runs a command on as many cores as it may have threads; its lines go to the table.
on_cores() {
    local count=$1 name=$2
    shift 2
    say "  $name"
    if ! taskset -c "$(first_cores "$count")" "$@" >>"$lines" 2>>"$log"; then
        say "  $name failed: the end of $log says why"
    fi
}

first_cores() { python3 -c 'import os, sys; print(",".join(map(str, sorted(os.sched_getaffinity(0))[:int(sys.argv[1])])))' "$1"; }

python_peer() {
    local count=$1 name=$2
    shift 2
    on_cores "$count" "$name" "$peers/py/bin/python" "$@" --threads "$count" --seconds "$seconds" ${cases:+--cases "$cases"}
}

round() {
    local count=$1
    if wants texunit; then
        for via in api ptx; do
            on_cores "$count" "texunit $via" "$texunit" bench --format json --via $via --threads "$count" ${cases:+--case "$cases"}
        done
    fi
    [ -z "$lavapipe" ] || VK_DRIVER_FILES=$lavapipe LP_NUM_THREADS=$count \
        python_peer "$count" lavapipe "$here/vulkan.py" --name lavapipe
    [ -z "$swiftshader" ] || VK_DRIVER_FILES=$swiftshader \
        python_peer "$count" swiftshader "$here/vulkan.py" --name swiftshader
    [ -z "$llvm" ] || DRJIT_LIBLLVM_PATH=$llvm python_peer "$count" drjit "$here/dr_jit.py"
    [ -z "$pocl" ] || OPENCL_PLATFORM=portable python_peer "$count" pocl "$here/opencl.py" --name pocl
    [ -z "$intel" ] || OPENCL_PLATFORM=intel python_peer "$count" intel "$here/opencl.py" --name intel
    for library in $libraries; do
        OMP_NUM_THREADS=$count NUMBA_NUM_THREADS=$count python_peer "$count" "$library" "$here/arrays.py" "$library"
    done
    for limit in $limits; do
        OMP_NUM_THREADS=$count on_cores "$count" "$limit" "$peers/$limit" "$limit" "$seconds" "$cases"
    done
}

# ---- who is there

lavapipe="" swiftshader="" llvm="" pocl="" intel="" libraries="" limits=""

if wants texunit && [ -z "$texunit" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p texunit --features bench
    texunit=${CARGO_TARGET_DIR:-$root/target}/release/texunit
fi
if wants lavapipe || wants swiftshader; then
    if debian libvulkan1 && python_package numpy && python_package wgpu; then
        wants lavapipe && { debian mesa-vulkan-drivers || true; } \
            && { lavapipe=$(first_file /usr/share/vulkan/icd.d/lvp_icd*.json) || skip "lavapipe: the Debian package mesa-vulkan-drivers is missing"; }
        wants swiftshader && { swiftshader=$(swiftshader) || skip "SwiftShader: the Debian package chromium-common could not be loaded"; }
    else
        skip "lavapipe and SwiftShader: the Debian package libvulkan1 or the Python package wgpu is missing"
    fi
fi
if wants drjit; then
    debian libllvm19 || true
    if python_package numpy && python_package drjit; then
        llvm=$(first_file /usr/lib/*/libLLVM.so.19* /usr/lib/*/libLLVM.so.2* /usr/lib/*/libLLVM-1[5-9].so*) \
            || skip "Dr.Jit: a libLLVM is missing, such as the Debian package libllvm19"
    else
        skip "Dr.Jit: the Python package drjit is missing"
    fi
fi
if wants pocl; then
    if debian pocl-opencl-icd && python_package numpy && python_package pyopencl; then
        pocl=yes
    else
        skip "PoCL: the Debian package pocl-opencl-icd or the Python package pyopencl is missing"
    fi
fi
if wants intel && [ -n "${INTEL:-}" ]; then
    if python_package pyopencl && python_package intel-opencl-rt; then
        intel=yes
        # The package brings a driver, but does not say so to the loader.
        driver=$(find "$peers/py/lib" -name 'libintelocl.so*' | head -n 1)
        export OCL_ICD_FILENAMES=$driver
    else
        skip "Intel's OpenCL driver: the Python package intel-opencl-rt is missing"
    fi
fi
if wants arrays; then
    for library in numba opencv scipy ${TORCH:+torch}; do
        package=$library
        [ "$library" = opencv ] && package=opencv-python-headless
        if python_package numpy && python_package $package; then
            libraries="$libraries $library"
        else
            skip "$library: the Python package $package is missing"
        fi
    done
fi
if wants limit; then
    flags="-O3 -ffast-math -fopenmp -w"
    build() {
        local name=$1
        shift
        # shellcheck disable=SC2086
        if gcc $flags "$@" "$here/limit.c" -o "$peers/$name" -lm 2>>"$log"; then
            limits="$limits $name"
        else
            skip "$name: gcc could not build it"
        fi
    }
    if grep -qw avx512vl /proc/cpuinfo; then
        build limit-avx512 -march=skylake-avx512 -mprefer-vector-width=512 -DW=16
    fi
    build limit-avx2 -mavx2 -mfma -mbmi2 -DW=8
    build limit-scalar -mavx2 -mfma -mbmi2 -DW=8 -DSCALAR_LOADS
fi

# ---- rounds

python3 - "$texunit" >>"$lines" <<'END'
import json, os, platform, subprocess, sys
model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
print(json.dumps({"machine": f"{model}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release()}"}))
if sys.argv[1]:
    version = subprocess.run([sys.argv[1], "--version"], capture_output=True, text=True, check=True).stdout
    print(json.dumps({"machine": version.strip()}))
END
cores=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')
for ((n = 1; n <= rounds; n++)); do
    for count in $threads; do
        if [ "$count" -gt "$cores" ]; then
            continue
        fi
        say "round $n of $rounds, $count thread(s)"
        round "$count"
    done
done
python3 "$here/table.py" "$lines" ${markdown:+--markdown "$markdown"}
