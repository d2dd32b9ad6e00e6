"""Numba compiles what is called, and no more.

Every ``njit`` function comes with a wrapper for callers in C, for functions that are handed over as values and called
by pointer; nothing here is (laws are ``cfunc``, which have theirs). Without it compiling takes a tenth less, and gives
the same kernels.

Most functions are called by kernels alone, which have them compiled into themselves. Numba makes machine code of each
for itself all the same, of all that is compiled into it too; the code generator also rewrites what is then linked into
the callers. Without that the kernels of battery cells compile in 28 s of processor time instead of 37, and give the
same bits in the same time. Nor have they, or bodies of parallel loops, a wrapper for callers in Python: who calls such
a function from Python after all has it compiled anew.

What did not help: bodies of parallel loops as functions of their own (0.57, 0.72, 0.52 s of three kernels, then 0.68,
0.70, 0.51), and leaving out all of Numba's changes to parallel functions but the loops (0.65, 0.79, 0.55, then 0.63,
0.81, 0.51). Nor cutting loops out of kernels before types are known, as functions of a range that the threading
layer calls, without any of Numba's passes for them: kernels of a few lines compile in a third less, but most time goes
into what the long ones call, and all of a first frame in 2 to 16 % less (FDTD 8.9 s of processor time, then 7.9; heat
8.8, 7.4; cells 7.7, 7.5), for 350 lines deep within Numba; serial, heat's long kernels take 1 to 16 % less. Steps had
the same bits and took as long, or 3 to 5 % less, once arrays were lent without who owns them: to count that with locks
took a seventh of a step of lattices. Nor leaving what is called as it is written until LLVM goes through the kernel: a
twentieth less, but lattices 3 % slower. Nor fewer of LLVM's passes for single functions (SROA and simple rewriting, or
those of its first level): 2 to 6 % less, for other code.

And meanwhile Python's collector of garbage looks seldom: compiling makes millions of objects that live until its end,
which the collector went through time and again, for a tenth of the time.
"""

from __future__ import annotations

import gc
from functools import cache, wraps
from typing import Any

import numba
from numba import _dynfunc
from numba.core import event
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext, CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.environment import lookup_environment
from numba.core.sigutils import normalize_signature
from numba.core.targetconfig import ConfigStack, TargetConfig

ENVIRONMENT = "_ZN08NumbaEnv"
"""How the names begin of what functions know of Python."""
LOOP = "__numba_parfor_gufunc"
"""How the names of the bodies of parallel loops begin."""
BETWEEN = (LOOP, "<numba.np.ufunc.wrappers._GufuncWrapper ", "parallelgufuncwrapper")
"""How the libraries are named that Numba makes of a parallel loop, each with all of the one before. LLVM went through
the body in each of them and in the kernel, and made machine code of it twice; now it does in the kernel alone. The
kernels of Poisson's multigrid compile in 9.0 s instead of 11.1, and its sweeps are as fast."""

OURS = ("engines", "numba", "workbench")
"""Packages whose functions wait for callers from Python."""

TRIED = ("0.68.",)
"""Versions of Numba whose inner workings these are. Others compile as they always do, for longer."""


def leave_out_wrappers_for_c() -> None:
    """In all that this process compiles from now on, unless ``njit(no_cfunc_wrapper=False)`` says otherwise."""
    finalize = CPUTargetOptions.finalize
    if hasattr(finalize, "__wrapped__"):  # was done before
        return

    @wraps(finalize)
    def finalize_without(self: CPUTargetOptions, flags: Any, options: dict[str, Any]) -> None:
        finalize(self, flags, options)
        flags.inherit_if_not_set("no_cfunc_wrapper", default=True)

    CPUTargetOptions.finalize = finalize_without


COLLECTED_EVERY = 200_000
"""New objects after which the collector looks at them while something compiles; else 700, or 2,000 from 3.12 on."""


def collect_seldom() -> None:
    """While this process compiles, from now on."""
    event.register("numba:compile", _CollectSeldom())


class _CollectSeldom(event.Listener):
    """Told by who holds Numba's lock for compiling, also of what is compiled within, and of what fails."""

    def __init__(self) -> None:
        self._before: list[tuple[int, int, int]] = []

    def on_start(self, event: Any) -> None:
        self._before.append(gc.get_threshold())
        if self._before[-1][0]:  # 0: who set it wants no collections
            gc.set_threshold(COLLECTED_EVERY)

    def on_end(self, event: Any) -> None:
        gc.set_threshold(*self._before.pop())


def make_code_when_asked_for() -> None:
    """In all that this process compiles from now on machine code of a function is made when somebody wants its address,
    or to keep it: not of what is compiled for callers alone."""
    if hasattr(Dispatcher.compile, "__wrapped__") or not numba.__version__.startswith(TRIED):
        return
    _libraries_wait()
    _functions_wait()
    TargetConfig.values = _values_of


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {name: option.default for name, option in kind.options.items()}


def _values_of(self: Any) -> dict[str, Any]:
    """The options of what is compiled, as by Numba's own method, which asks forty properties for them: that is a
    thirtieth of the time of compiling, for they are compared wherever a function is looked for."""
    return _defaults(self.__class__) | self._values


def _libraries_wait() -> None:
    """A library goes into the engine, which makes machine code of all that is in it, with the first address in it."""
    put_into_engine, address = JITCodeLibrary._finalize_final_module, JITCodeLibrary.get_pointer_to_function
    compiled_object, tell = JITCodeLibrary._get_compiled_object, JITCPUCodegen.set_env
    optimize = JITCodeLibrary._optimize_final_module

    @wraps(tell)
    def tell_what_is_there(self: Any, name: str, environment: Any) -> None:
        """What is read from the disk while a caller compiles waits too, and is told by ``want``."""
        if self._engine.get_global_value_address(name):
            tell(self, name, environment)

    @wraps(optimize)
    def optimize_but_between(self: Any) -> None:
        self._plain = self.name.startswith(BETWEEN)
        if not self._plain:
            optimize(self)

    @wraps(put_into_engine)
    def be_ready(self: Any) -> None:
        self._finalized = self._waits = True

    def want(self: Any) -> None:
        self._ensure_finalized()
        if not self._waits:
            return
        self._waits = False
        if self._plain:
            optimize(self)
        put_into_engine(self)
        for variable in self._final_module.global_variables:
            known = lookup_environment(variable.name) if variable.name.startswith(ENVIRONMENT) else None
            if known is not None:
                self.codegen.set_env(variable.name, known)

    @wraps(address)
    def wanted_address(self: Any, name: str) -> Any:
        want(self)
        return address(self, name)

    @wraps(compiled_object)
    def wanted_object(self: Any) -> Any:
        want(self)
        return compiled_object(self)

    JITCodeLibrary._plain = False  # of those that are read from the disk
    JITCodeLibrary._optimize_final_module, JITCodeLibrary._finalize_final_module = optimize_but_between, be_ready
    JITCodeLibrary.get_pointer_to_function = wanted_address
    JITCodeLibrary._get_compiled_object = wanted_object
    JITCPUCodegen.set_env = tell_what_is_there


def _functions_wait() -> None:
    """What is compiled while a caller is has no entry for Python until Python asks its dispatcher for one."""
    contexts: Any = CPUContext
    dispatchers: Any = Dispatcher
    executable, compile_for, add = contexts.get_executable, dispatchers.compile, dispatchers.add_overload
    wrap = contexts.create_cpython_wrapper
    compiling: list[Any] = []
    """Dispatchers, the innermost last; changed by who holds Numba's lock for compiling."""

    @wraps(wrap)
    def wrap_if_called(self: Any, library: Any, described: Any, *arguments: Any, **options: Any) -> None:
        """What goes to the disk has a wrapper, for other processes."""
        inner = len(ConfigStack()) > 1 and bool(compiling) and isinstance(compiling[-1]._cache, NullCache)
        library._wrapped = not (LOOP in described.qualname or (inner and _ours(described)))
        if library._wrapped:
            wrap(self, library, described, *arguments, **options)

    @wraps(executable)
    def executable_if_called(self: Any, library: Any, described: Any, environment: Any) -> Any:
        fresh, name = not getattr(library, "_compiled", False), described.qualname.split(".")[-1]
        library._linked = len(ConfigStack()) > 1 and fresh and _ours(described)
        if not library._linked:
            return executable(self, library, described, environment)
        doc = f"{name} of compiled callers"
        return _dynfunc.make_function(described.lookup_module(), name, doc, 0, environment, (library,))

    @wraps(compile_for)
    def compile_or_enter(self: Any, signature: Any) -> Any:
        with global_compiler_lock:
            arguments = tuple(normalize_signature(signature)[0])
            result = self.overloads.get(arguments)
            if result is not None and _linked(result) and not len(ConfigStack()):
                context, library, described = result.target_context, result.library, result.fndesc
                if getattr(library, "_wrapped", False):
                    entry = context.get_executable(library, described, result.environment)
                    context.insert_user_function(entry, described, [library])
                    add(self, result._replace(entry_point=entry))
                else:
                    del self.overloads[arguments]
            compiling.append(self)
            try:
                return compile_for(self, signature)
            finally:
                compiling.pop()

    @wraps(add)
    def add_if_called(self: Any, result: Any) -> None:
        if _linked(result):
            self.overloads[tuple(result.signature.args)] = result
        else:
            add(self, result)

    contexts.create_cpython_wrapper, contexts.get_executable = wrap_if_called, executable_if_called
    dispatchers.compile, dispatchers.add_overload = compile_or_enter, add_if_called


def _ours(described: Any) -> bool:
    """Whether a function is of this program, or of Numba's own, which are compiled for callers alone, as bodies of
    parallel loops are, whosever they are: Numba says of no module that they stand in it. Other packages may hand their
    functions over as values."""
    return LOOP in described.qualname or str(described.modname).partition(".")[0] in OURS


def _linked(result: Any) -> bool:
    """Whether what was compiled can only be linked into callers."""
    return getattr(result.library, "_linked", False)
