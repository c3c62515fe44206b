# How bench/compare.sh and bench/kernels.sh get what they measure. They say where ($peers), whether anything may be
# installed ($install), and where what others print goes ($log).

say() { printf '%s\n' "$*" >&2; }

# Debian's lists, anew, once.
package_lists() {
    [ -z "${updated:-}" ] && [ "$(id -u)" = 0 ] || return 0
    updated=yes
    apt-get update >>"$log" 2>&1 || true
}

# A Debian package, if the user may.
debian() {
    dpkg -s "$1" >/dev/null 2>&1 && return 0
    [ -n "$install" ] && [ "$(id -u)" = 0 ] || return 1
    say "installing the Debian package $1"
    package_lists
    apt-get install -y --no-install-recommends "$1" >>"$log" 2>&1
}

# A Python package in an environment of its own.
python_package() {
    [ -x "$peers/py/bin/python" ] || python3 -m venv "$peers/py" >>"$log" 2>&1 || return 1
    "$peers/py/bin/python" -m pip show -q "$1" >>"$log" 2>&1 && return 0
    [ -n "$install" ] || return 1
    say "installing the Python package $1"
    "$peers/py/bin/python" -m pip install -q "$1" >>"$log" 2>&1
}
