#!/usr/bin/env bash
# Sets this machine up and opens the workbench.
#
#   ./workbench.sh                 the window; the demo heart without a window where there is no display
#   ./workbench.sh run PROJECT …   any command of `workbench` (see `./workbench.sh --help`)
#   ./workbench.sh test [ARGS …]   formatting, lint, import rules, types, then pytest with ARGS on a virtual display
#   ./workbench.sh test --quick [PATH …]   the same in less than a minute: the short tests that belong to these paths,
#                                          or to what changed
#   ./workbench.sh docs            the manual, as pages to read without a network, in out/manual
#   ./workbench.sh sbom [FOLDER]   what it is made of, with licences: CycloneDX and a table, in out/sbom
#
# Each step of the set-up leaves a stamp in .venv only when it succeeded, so a set-up that was interrupted
# goes on at the next start, and a start with nothing to do starts nothing but Python.
# WORKBENCH_PYTHON names the interpreter to build .venv with, where `python3` is not the one.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=$here/.venv
python=$venv/bin/python
PATH=${PATH//"$venv/bin:"/}:/usr/sbin:/sbin # not our own python3 (.venv may be active); ldconfig is in sbin

say() { printf 'workbench: %s\n' "$*" >&2; }
die() {
    say "$@"
    exit 1
}

# quietly STEP COMMAND …: what the command prints goes to a log that is shown only if it fails.
quietly() {
    local log=$venv/set-up-$1.log
    if ! "${@:2}" </dev/null >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        say "(the whole log: $log)"
        return 1
    fi
}

# ---- what this machine has ------------------------------------------------------------------------------------

# Library or program or file, and the Debian package that brings it. Checked by what is there rather than by
# package, because names differ (libglib2.0-0t64 on Ubuntu 24.04) and other distributions have other names.
# libgomp is for Numba: without it a parallel kernel costs 57 µs to start instead of 6 (two cores).
libraries_app="
libGL.so.1             libgl1
libEGL.so.1            libegl1
libxkbcommon.so.0      libxkbcommon0
libdbus-1.so.3         libdbus-1-3
libfontconfig.so.1     libfontconfig1
libglib-2.0.so.0       libglib2.0-0
libxcb-cursor.so.0     libxcb-cursor0
libxcb-icccm.so.4      libxcb-icccm4
libxcb-keysyms.so.1    libxcb-keysyms1
libxcb-shape.so.0      libxcb-shape0
libxkbcommon-x11.so.0  libxkbcommon-x11-0
libX11-xcb.so.1        libx11-xcb1
libgomp.so.1           libgomp1
"
libraries_test="$libraries_app
xvfb-run               xvfb
xauth                  xauth
/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
"

on_debian() { command -v apt-get >/dev/null && command -v dpkg >/dev/null; }

# Whether packages can be installed without asking for a password.
may_install() { ((EUID == 0)) || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }

apt_install() {
    # A list of packages that is weeks old leads to files that are gone, so it is fetched first.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# Version of the NVIDIA driver ("580.65.06"), empty without one. Reading /proc costs nothing; nvidia-smi is for WSL.
driver_version() {
    local text=""
    if [[ -r /proc/driver/nvidia/version ]]; then
        read -r text </proc/driver/nvidia/version || true
    elif command -v nvidia-smi >/dev/null; then
        text=$(timeout 10 nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null || true)
    fi
    if [[ $text =~ ([0-9]{3,}\.[0-9.]+) ]]; then echo "${BASH_REMATCH[1]}"; fi
}

# The extra of pyproject.toml with the CuPy for this driver. CUDA 13 needs driver 580 and compute capability 7.5.
cuda_extra() {
    local major=${driver%%.*} oldest=""
    [[ -n $major ]] || return 0
    if ((major >= 580)); then
        if command -v nvidia-smi >/dev/null; then
            oldest=$(timeout 10 nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -V | head -n 1) || true
        fi
        if [[ $oldest =~ ^([0-9]+)\.([0-9]+)$ ]] && ((BASH_REMATCH[1] * 10 + BASH_REMATCH[2] < 75)); then
            echo cuda12
        else
            echo cuda13
        fi
    elif ((major >= 525)); then
        echo cuda12
    else
        say "the NVIDIA driver $driver is older than 525, which CUDA 12 needs, so the GPU stays unused; update the driver to use it."
    fi
}

# ---- set-up ---------------------------------------------------------------------------------------------------

find_python() {
    local candidate
    for candidate in ${WORKBENCH_PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    if command -v python3 >/dev/null; then
        die "python3 is $(python3 -V 2>&1), but 3.11 or newer is needed: install it and name it, WORKBENCH_PYTHON=python3.12 ./workbench.sh."
    fi
    die "there is no python3 here: install Python 3.11 or newer (on Debian and Ubuntu: apt-get install python3 python3-venv)."
}

make_venv() {
    local base
    base=$(find_python) || exit 1
    if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then
        local package
        package=$("$base" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        if ! on_debian || ! may_install || ! say "installing $package" || ! apt_install "$package" >/dev/null 2>&1; then
            die "Python's venv module is missing: install it (on Debian and Ubuntu: sudo apt-get install $package) and start again."
        fi
    fi
    say "making .venv with $("$base" -V 2>&1)"
    rm -rf "$venv" # what an interrupted set-up left
    "$base" -m venv "$venv" || die "the virtual environment could not be made in $venv; the lines above say why."
}

install_libraries() {
    local wanted=$1 loadable name package missing=() by_hand
    [[ $(uname -s) == Linux ]] || return 0
    loadable=$(ldconfig -p 2>/dev/null || true)
    while read -r name package; do
        case $name in
        "") continue ;;
        /*) [[ -e $name ]] && continue ;;
        *.so.*) [[ $loadable == *"$name "* ]] && continue ;;
        *) command -v "$name" >/dev/null && continue ;;
        esac
        missing+=("$package")
    done <<<"$wanted"
    ((${#missing[@]})) || return 0
    if ! on_debian; then
        say "these libraries may be missing; install what brings them here (Debian's names): ${missing[*]}"
        return 0
    fi
    by_hand="sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    if ! may_install; then
        say "system libraries are missing; please run this line, then start again:"
        say "    $by_hand"
        return 1
    fi
    say "installing system libraries: ${missing[*]}"
    if ! quietly libraries apt_install "${missing[@]}"; then
        say "that did not work; please run this line, then start again:"
        say "    $by_hand"
        return 1
    fi
}

# What the lock has for these extras, or for --tools: those of pip itself and of the build.
install_locked() {
    local wanted=$venv/requirements.txt
    "$python" -I "$here/packaging/locked.py" "$@" >"$wanted" && "${pip[@]}" --require-hashes -r "$wanted"
}

install_packages() {
    local extras=$1 started=$SECONDS pip=("$python" -m pip install --disable-pip-version-check --no-input -q)
    say "installing the Python packages with $extras (a minute or a few the first time)"
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        make_venv # an interrupted set-up left an environment without pip
    fi
    # Both CuPy wheels write the same folder, so the one for another driver goes first.
    case $extras in
    *cuda12*) quietly packages "$python" -m pip uninstall -y -q cupy-cuda13x || return 1 ;;
    *cuda13*) quietly packages "$python" -m pip uninstall -y -q cupy-cuda12x || return 1 ;;
    esac
    # Whatever comes from a network must hash to what the lock says; the project itself is built by what came so.
    quietly packages install_locked --tools || return 1
    quietly packages install_locked ${extras//,/ } || return 1
    quietly packages "${pip[@]}" --no-index --no-deps --no-build-isolation -e "$here" || return 1
    say "installed in $((SECONDS - started)) s"
}

warm_kernels() {
    local started=$SECONDS
    say "compiling the kernels once, so that tests do not"
    export NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING=1 # as in tests/conftest.py
    quietly kernels "$python" -P -m workbench doctor --warm || return 1
    say "compiled in $((SECONDS - started)) s"
}

done_before() { [[ -f $venv/.$1 && $(<"$venv/.$1") == "$key" ]]; }
remember() { printf '%s' "$key" >"$venv/.$1"; }

# set_up PROFILE: `app`, or `test`, which has more of everything and therefore serves the app too.
set_up() {
    local profile=$1 libraries=$libraries_app extras cuda key newer version
    version=$("$python" -I -S -c 'import sys; print(sys.version)' 2>/dev/null || true)
    [[ -n $version ]] || make_venv
    version=$("$python" -I -S -c 'import sys; print(sys.version)')
    driver=$(driver_version)
    key="$here|$version|${driver%%.*}|$(cat "$here"/{pyproject.toml,requirements.lock,workbench.sh,packaging/locked.py} | cksum)"

    if [[ $profile == test ]]; then libraries=$libraries_test; fi
    if ! done_before "libraries-$profile" && ! done_before libraries-test; then
        if install_libraries "$libraries"; then
            remember "libraries-$profile"
        elif [[ $profile == test ]]; then
            die "the tests need these libraries."
        fi
    fi

    if ! done_before "packages-$profile" && ! done_before packages-test; then
        cuda=$(cuda_extra)
        # Without a GPU the tests still compile every kernel for every architecture, which needs NVRTC but no driver.
        if [[ $profile == test ]]; then cuda=${cuda:-cuda13},mpi,dev; fi
        extras=window,study${cuda:+,$cuda}
        rm -f "$venv"/.packages-* "$venv"/.kernels
        install_packages "$extras" ||
            die "the Python packages could not be installed; the lines above say why. Start again to go on from here."
        remember "packages-$profile"
    fi

    [[ $profile == test ]] || return 0 # the window compiles in the background, a run what it needs
    newer=$(find "$here/engines" -newer "$venv/.kernels" \( -name '*.py' -o -name '*.cu*' -o -name '*.json' \) -print -quit 2>/dev/null || true)
    if ! done_before kernels || [[ -n $newer ]]; then
        if warm_kernels; then remember kernels; else say "the kernels will be compiled by the tests instead."; fi
    fi
}

# One set-up at a time, where the system has flock; a second start waits for the first.
exclusively() {
    if command -v flock >/dev/null; then
        (
            exec 9<"$here/pyproject.toml"
            flock 9
            "$@" 9<&-
        )
    else
        "$@"
    fi
}

# ---- what it was started for ----------------------------------------------------------------------------------

run_tests() {
    local failed=() run_pytest=("$python" -m pytest) physics=(tests/engines tests/cuda_on_host tests/test_kernels_compile.py)
    local types types_log=$venv/types.log alone
    local screen="-screen 0 1600x1000x24 -noreset +extension GLX"
    export PATH=$venv/bin:$PATH
    unset PYTHONDONTWRITEBYTECODE # compiling every module again costs each of many processes seconds
    cd "$here"
    check() {
        local title=$1
        shift
        say "$title"
        "$@" </dev/null || failed+=("$title")
    }
    types_are_right() {
        wait "$types" && types=0 || types=$?
        cat "$types_log"
        return "$types"
    }
    # One process, while others go on; those that keep time wait for its end.
    mypy </dev/null >"$types_log" 2>&1 &
    types=$!
    check "formatting (ruff format)" ruff format --check .
    check "lint (ruff check)" ruff check .
    check "import rules (import-linter)" lint-imports
    if [[ ${1:-} == --quick ]]; then
        local chosen
        mapfile -t chosen < <("$python" -m tests.quick "${@:2}")
        set -- --quick "${chosen[@]}"
    fi
    if [[ -z ${DISPLAY:-} ]]; then
        run_pytest=(xvfb-run -a -s "$screen" "${run_pytest[@]}")
    fi
    if (($#)); then
        check "types (mypy)" types_are_right
        check "tests (pytest)" "${run_pytest[@]}" "$@"
    else
        check "tests of the physics, two at a time (pytest)" "${run_pytest[@]}" -n 2 --dist loadfile "${physics[@]}" \
            -m "not keeps_time"
        check "types (mypy)" types_are_right
        # Two windows on one display would take the keyboard from each other. They wait for much: two leave cores idle.
        check "other tests, three at a time on displays of their own (pytest)" "${run_pytest[@]}" --dist loadfile --max-worker-restart 8 \
            --tx "3*popen//python=xvfb-run -a -s '$screen' '$python'" tests "${physics[@]/#/--ignore=}" \
            -m "not keeps_time and not gpu"
        mapfile -t alone < <(grep -rlE 'mark\.(keeps_time|gpu)' tests --include='test_*.py')
        check "tests that keep time or need a GPU, one after the other (pytest)" \
            "${run_pytest[@]}" "${alone[@]}" -m "keeps_time or gpu"
    fi
    if ((${#failed[@]})); then
        say "failed:"
        for title in "${failed[@]}"; do say "    $title"; done
        return 1
    fi
    say "all passed"
}

make_manual() {
    cd "$here"
    # With --quiet its strict mode would not hear of broken links.
    NO_MKDOCS_2_WARNING=1 quietly manual "$python" -m mkdocs build --config-file docs/mkdocs.yml ||
        die "the manual could not be built; the lines above say why, such as a broken link."
    say "the manual: $here/out/manual/index.html"
}

run_demo() {
    local out=out/demo
    say "there is no display, so the demo heart beats without a window"
    cd "$here"
    "$python" -P -m workbench run sample_data/biventricular --until 60 --device auto --out "$out"
    say "written to $here/$out:"
    find "$out" -maxdepth 1 -type f \( -name '*.png' -o -name '*.pvd' -o -name '*.csv' -o -name '*.jsonl' \) |
        sort | while read -r file; do say "    $file"; done
}

has_display() { [[ $(uname -s) != Linux || -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; }

if [[ ${1:-} == test ]]; then
    exclusively set_up test
    run_tests "${@:2}"
elif [[ ${1:-} == docs ]]; then
    exclusively set_up test
    make_manual
elif [[ ${1:-} == sbom ]]; then
    base=$(find_python)
    exec "$base" "$here/packaging/sbom.py" "${@:2}"
else
    exclusively set_up app
    if (($# == 0)) && ! has_display; then
        run_demo
    else
        exec "$python" -P -m workbench "$@"
    fi
fi
