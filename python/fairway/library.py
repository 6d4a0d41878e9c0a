"""library.py -- libfairway.so.0 by ctypes: its functions and structs as fairway.h has them.

The library is the file $FAIRWAY_LIBRARY, or the one that the system's loader finds.
"""

import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Optional, Tuple

API = 0


class ErrorStruct(Structure):
    _fields_ = [
        ("status", c_int32),
        ("line", c_uint32),
        ("column", c_uint32),
        ("file", ctypes.c_char * 512),
        ("message", ctypes.c_char * 1024),
        ("hint", ctypes.c_char * 256),
    ]


class Plan(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("database", c_char_p),
        ("n_policies", c_uint64),
        ("n_seeds", c_uint64),
        ("is_drawn", c_uint32),
        ("has_sweep", c_uint32),
        ("may_end_unfinished", c_uint32),
        ("reserved", c_uint32),
    ]


class Progress(Structure):
    _fields_ = [
        ("run", c_uint32),
        ("n_runs", c_uint32),
        ("label", c_char_p),
        ("n_ended", c_uint64),
        ("n_jobs", c_uint64),
        ("now_us", c_int64),
    ]


class Note(Structure):
    _fields_ = [("of", c_char_p), ("what", c_char_p), ("count", c_uint64), ("first_line", c_uint64)]


class Result(Structure):
    _fields_ = [
        ("policy", c_char_p),
        ("label", c_char_p),
        ("error", POINTER(ErrorStruct)),
        ("seed", c_uint64),
        ("digest", c_uint64),
        ("n_done", c_uint64),
        ("n_unfinished", c_uint64),
        ("n_rejected", c_uint64),
        ("n_never_eligible", c_uint64),
        ("n_refused", c_uint64),
        ("n_arrived", c_uint64),
        ("n_unlimited", c_uint64),
        ("n_events", c_uint64),
        ("id", c_int64),
        ("wall_s", c_double),
        ("is_scoreless", c_uint32),
        ("reserved", c_uint32),
    ]


class Decision(Structure):
    _fields_ = [
        ("at_us", c_int64),
        ("verb", c_char_p),
        ("job", c_uint64),
        ("task", c_int64),
        ("node", c_int64),
        ("reason", c_char_p),
    ]


ON_BEGIN = CFUNCTYPE(None, c_void_p, POINTER(Plan))
ON_PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(Progress))
ON_NOTE = CFUNCTYPE(None, c_void_p, POINTER(Note))
ON_RUN = CFUNCTYPE(None, c_void_p, POINTER(Result))
ON_DECISION = CFUNCTYPE(None, c_void_p, POINTER(Decision))


class Options(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("audit", c_uint32),
        ("strict", c_uint32),
        ("no_exec", c_uint32),
        ("database", c_char_p),
        ("log", c_char_p),
        ("decide_timeout_us", c_int64),
        ("policy_memory_b", c_int64),
        ("stop", POINTER(c_int)),
        ("ctx", c_void_p),
        ("begin", ON_BEGIN),
        ("progress", ON_PROGRESS),
        ("note", ON_NOTE),
        ("run", ON_RUN),
        ("decision", ON_DECISION),
    ]


class Plot(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("metric", c_char_p),
        ("scope", c_char_p),
        ("base", c_char_p),
        ("nodes", c_char_p),
        ("scenario", c_char_p),
        ("run", c_int64),
        ("from_us", c_int64),
        ("to_us", c_int64),
    ]


CODE_CREATE = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_char_p, POINTER(c_char_p))
CODE_ROUND = CFUNCTYPE(c_int64, c_void_p, c_int64)
CODE_DESTROY = CFUNCTYPE(None, c_void_p)


class CodeOps(Structure):
    _fields_ = [
        ("size", c_uint32),
        ("reserved", c_uint32),
        ("ctx", c_void_p),
        ("create", CODE_CREATE),
        ("round", CODE_ROUND),
        ("destroy", CODE_DESTROY),
    ]


class Block(Structure):
    _fields_ = [
        ("text", c_char_p),
        ("words", c_void_p),
        ("n_words", c_int64),
        ("names", c_void_p),
        ("n_names", c_int64),
        ("out", c_void_p),
        ("n_out", c_int64),
        ("place", c_void_p),
        ("n_place", c_int64),
        ("node", c_void_p),
        ("n_nodes", c_int64),
        ("card", c_void_p),
        ("n_cards", c_int64),
    ]


class NodeStruct(Structure):
    """struct pol_node of policy.h."""

    _fields_ = [
        ("cpu_total", c_int64),
        ("cpu_free", c_int64),
        ("mem_total", c_int64),
        ("mem_free", c_int64),
        ("labels", c_uint64),
        ("card0", c_uint32),
        ("n_gpu", c_uint32),
        ("gpu_type", c_uint32),
        ("rack", c_uint32),
        ("engine_total", c_int32 * 6),
        ("engine_free", c_int32 * 6),
        ("n_tasks", c_uint32),
        ("is_up", c_uint32),
        ("cpu_reserved", c_int64),
        ("mem_reserved", c_int64),
        ("max_tasks", c_uint32),
        ("reserved", c_uint32),
    ]


class CardStruct(Structure):
    """struct pol_card of policy.h."""

    _fields_ = [
        ("mem_total", c_int64),
        ("mem_free", c_int64),
        ("milli_free", c_int32),
        ("reserved", c_uint32),
        ("core_total", c_int32),
        ("core_free", c_int32),
    ]


Functions = Dict[str, Tuple[Any, Optional[List[Any]]]]  # name -> result, arguments
_STRINGS = POINTER(c_char_p)
_ERROR = POINTER(ErrorStruct)
# Calls that run for long let other threads of Python go on; those that a policy makes do not.
_LONG: Functions = {
    "fairway_open": (c_void_p, [c_char_p, c_char_p, _STRINGS, ctypes.c_size_t, _ERROR]),
    "fairway_close": (None, [c_void_p]),
    "fairway_add_policy": (c_int, [c_void_p, c_char_p, c_char_p, _ERROR]),
    "fairway_add_seeds": (c_int, [c_void_p, c_uint64, c_uint64, _ERROR]),
    "fairway_add_code": (c_int, [c_void_p, POINTER(CodeOps), c_char_p, c_char_p, _ERROR]),
    "fairway_run": (c_int, [c_void_p, POINTER(Options), _ERROR]),
    "fairway_compare": (c_void_p, [c_char_p, c_char_p, c_char_p, c_char_p, _STRINGS, ctypes.c_size_t, _ERROR]),
    "fairway_explain": (c_void_p, [c_char_p, c_char_p, c_char_p, c_int, _ERROR]),
    "fairway_plot": (c_int, [c_char_p, c_char_p, c_char_p, POINTER(Plot), _ERROR]),
    "fairway_free": (None, [c_void_p]),
    "fairway_version": (c_char_p, []),
    "fairway_api": (c_uint32, []),
}
_SHORT: Functions = {
    "fairway_code_block": (None, [c_void_p, POINTER(Block)]),
    "fairway_code_fail": (None, [c_void_p, c_char_p]),
    "fairway_code_room": (None, [c_void_p, c_int64, c_int64]),
    # Of a pointer and ints: ctypes is quicker when it is not told so.
    "fairway_code_places": (c_int, None),
    "fairway_code_take": (c_int, None),
    "fairway_code_start": (c_int, None),
    "fairway_code_start_gang": (c_int, None),
    "fairway_code_best": (c_int, None),
    "fairway_code_fits": (c_int, None),
    "fairway_code_move": (None, [c_void_p, c_int64, c_int64, c_int64, c_int64]),
    "fairway_code_free": (None, [c_void_p, c_int64, c_int64, c_int64]),
    "fairway_code_free_engine": (None, [c_void_p, c_int64, c_int64, c_int64]),
    "fairway_code_reason": (c_int64, [c_void_p, c_char_p]),
    "fairway_code_name": (c_char_p, [c_void_p, c_int64, c_int64]),
    "fairway_code_query": (c_char_p, [c_void_p, c_char_p]),
    "fairway_code_say": (None, [c_void_p, c_int64]),
    "fairway_code_decisions": (c_int, [c_void_p, c_char_p]),
}


class Library:
    """Its functions, as attributes."""

    def __init__(self) -> None:
        loaded: Tuple[Tuple[Any, Functions], ...]
        path = os.environ.get("FAIRWAY_LIBRARY", f"libfairway.so.{API}")
        try:
            loaded = ((ctypes.CDLL(path), _LONG), (ctypes.PyDLL(path), _SHORT))
        except OSError as e:
            raise ImportError(f"{e}; install libfairway{API}, or say in FAIRWAY_LIBRARY where the file is") from e
        for dll, functions in loaded:
            for name, (result, arguments) in functions.items():
                function = getattr(dll, name)
                function.restype = result
                if arguments is not None:
                    function.argtypes = arguments
                setattr(self, name[len("fairway_") :], function)
        if self.api() != API:
            raise ImportError(f"'{path}' has API {self.api()}; this package was made for {API}")

    def __getattr__(self, name: str) -> Any:  # for type checkers: what is there was set above
        raise AttributeError(name)

    def take_text(self, address: Optional[int]) -> Optional[str]:
        """What a call returned that is to be freed."""
        if address is None:
            return None
        text = ctypes.string_at(address).decode()
        self.free(address)
        return text


_library: List[Library] = []


def library() -> Library:
    if not _library:
        _library.append(Library())
    return _library[0]


def strings(texts: List[str]) -> Any:
    return (c_char_p * len(texts))(*[t.encode() for t in texts])
