#!/usr/bin/env bash
# cuFFT on texunit beside Debian's FFTW, and cuBLAS beside NumPy's OpenBLAS, each on one thread: bench/libraries.sh [TEXUNIT]. FFTW is taken
# from Debian's package, and installed nowhere; NumPy from PyPI, into target.
set -euo pipefail
cd "$(dirname "$0")/.."
texunit=${1:-target/release/texunit}
to=target/bench-libraries
mkdir -p "$to"
if ! ls "$to"/fftw/usr/lib/*/libfftw3f.so.3 >/dev/null 2>&1; then
    (cd "$to" && apt-get download --quiet libfftw3-single3 && dpkg -x libfftw3-single3_*.deb fftw)
fi
fftw=$(echo "$to"/fftw/usr/lib/*/libfftw3f.so.3)
cc -O2 -o "$to/fft" bench/libraries/fft.c -ldl
TEXUNIT_THREADS=1 "$texunit" run "$to/fft" "$fftw"
[ -d "$to/python" ] || { python3 -m venv "$to/python" && "$to/python/bin/pip" install --quiet numpy; }
OPENBLAS_NUM_THREADS=1 TEXUNIT_THREADS=1 "$texunit" run "$to/python/bin/python" bench/libraries/blas.py
