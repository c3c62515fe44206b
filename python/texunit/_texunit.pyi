"""The compiled part; docs/python-conventions.md has every rule by its number."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final

from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Coverage", "Explanation", "Program", "Surface", "Texture", "_check", "_inspect", "_with_sources", "__version__", "fill_surface", "surface_job",
    "texture_job",
]

__version__: str

# A word of texunit, or a member of cuda.core's enums.
_Word = Any
_Mode = _Word | Sequence[_Word]
_Points = ArrayLike | tuple[ArrayLike, ...]
_Boundary = Literal["trap", "clamp", "zero"]

@final
class Coverage:
    def __new__(cls, *, toolkit: bool = False) -> Coverage: ...
    @classmethod
    def parse(cls, text: str) -> Coverage: ...
    @property
    def files(self) -> dict[str, dict[str, Any]]: ...
    def lcov(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def __add__(self, other: Coverage, /) -> Coverage: ...
    def __radd__(self, other: Coverage, /) -> Coverage: ...

@final
class Explanation:
    @property
    def svg(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Texture:
    def __new__(
        cls,
        array: ArrayLike | list[Any] | Any,
        options: object | Mapping[str, Any] | None = None,
        *,
        copy: bool | None = True,
        dim: int | None = None,
        layered: bool = False,
        cube: bool = False,
        multisample: bool = False,
        format: str | None = None,
        size: Sequence[int] | None = None,
        mipmaps: bool | int | None = None,
        address: _Mode | None = None,
        address_mode: _Mode | None = None,
        filter: _Word | None = None,
        filter_mode: _Word | None = None,
        read: _Word | None = None,
        read_mode: _Word | None = None,
        normalized_coords: bool = False,
        srgb: bool = False,
        border: Sequence[float] | None = None,
        border_color: Sequence[float] | None = None,
        anisotropy: int | None = None,
        max_anisotropy: int | None = None,
        mip_filter: _Word | None = None,
        mipmap_filter_mode: _Word | None = None,
        bias: float | None = None,
        mipmap_level_bias: float | None = None,
        min_level: float | None = None,
        min_mipmap_level_clamp: float | None = None,
        max_level: float | None = None,
        max_mipmap_level_clamp: float | None = None,
        seamless: bool = False,
        seamless_cubemap: bool = False,
        compare: _Word | None = None,
        compare_function: _Word | None = None,
    ) -> Texture: ...
    @staticmethod
    def open(path: str | PathLike[str], **keywords: Any) -> Texture: ...
    def sample(
        self,
        xy: _Points,
        *,
        lod: ArrayLike | None = None,
        grad: tuple[_Points, _Points] | None = None,
        layer: ArrayLike | None = None,
        offset: _Points | None = None,
        compare: ArrayLike | None = None,
        dtype: Any = None,
        strict: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
        progress: bool | Callable[[int, int], object] | Any = None,
    ) -> Any: ...
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike | None = None,
        z: ArrayLike | None = None,
        *,
        lod: ArrayLike | None = None,
        grad: tuple[_Points, _Points] | None = None,
        layer: ArrayLike | None = None,
        offset: _Points | None = None,
        compare: ArrayLike | None = None,
        dtype: Any = None,
        strict: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any: ...
    def gather(
        self,
        xy: _Points,
        component: int = 0,
        *,
        layer: ArrayLike | None = None,
        offset: _Points | None = None,
        compare: ArrayLike | None = None,
        strict: bool = False,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> NDArray[Any]: ...
    def fetch(
        self,
        ij: _Points,
        *,
        lod: ArrayLike | None = None,
        layer: ArrayLike | None = None,
        sample: ArrayLike | None = None,
        offset: _Points | None = None,
        dtype: Any = None,
        out: NDArray[Any] | None = None,
        threads: int = 1,
    ) -> Any: ...
    def explain(
        self,
        x: float,
        y: float | None = None,
        z: float | None = None,
        *,
        lod: float | None = None,
        grad: tuple[_Points, _Points] | None = None,
        layer: int | None = None,
        offset: _Points | None = None,
        compare: float | None = None,
    ) -> Explanation: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    @property
    def levels(self) -> list[NDArray[Any]]: ...
    @property
    def effective(self) -> dict[str, Any]: ...
    def effective_for(self, method: Literal["sample", "lod", "grad", "gather", "fetch"]) -> dict[str, Any]: ...
    @property
    def size(self) -> tuple[int, ...]: ...
    @property
    def is_shared(self) -> bool: ...
    @property
    def geometry(self) -> str: ...
    @property
    def format(self) -> str: ...

@final
class Surface:
    def __new__(
        cls,
        array: ArrayLike,
        *,
        dim: int | None = None,
        layered: bool = False,
        cube: bool = False,
        format: str | None = None,
    ) -> Surface: ...
    def read(
        self,
        ij: _Points,
        *,
        layer: ArrayLike | None = None,
        boundary: _Boundary = "trap",
        out: NDArray[Any] | None = None,
    ) -> Any: ...
    def write(
        self, ij: _Points, values: ArrayLike, *, layer: ArrayLike | None = None, boundary: _Boundary = "trap"
    ) -> None: ...
    def reduce(
        self,
        op: Literal["add", "min", "max", "and", "or"],
        ij: _Points,
        values: ArrayLike,
        *,
        layer: ArrayLike | None = None,
        boundary: _Boundary = "trap",
    ) -> None: ...
    def to_array(self) -> NDArray[Any]: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    @property
    def geometry(self) -> str: ...
    @property
    def format(self) -> str: ...

@final
class Program:
    @staticmethod
    def load(
        ptx: str, name: str, architecture: str | None, memory_limit: int | None, is_tracked: bool
    ) -> tuple[Program | None, str]: ...
    def kernels(self) -> list[tuple[str, str]]: ...
    def params(self, kernel: str) -> list[tuple[str, str, int, str, list[tuple[str, int, int]]]]: ...
    def attributes(self, kernel: str) -> dict[str, Any]: ...
    @property
    def is_tracked(self) -> bool: ...
    def variables(self) -> list[tuple[str, int]]: ...
    def read(self, name: str) -> bytes: ...
    def write(self, name: str, offset: int, bytes: bytes) -> None: ...
    def bind(self, name: str, object: Texture | Surface) -> list[str]: ...
    def launch(
        self,
        kernel: str,
        args: list[Any],
        arrays: list[tuple[Any, bool, str]],
        words: dict[str, Any],
        coverage: Coverage | None,
        progress: Callable[[int, int], object] | None,
    ) -> tuple[str, bytes]: ...

def _check(
    ptx: str,
    name: str,
    target: str | None,
    version: str | None,
    arch: str | None,
    ptxas: str | None,
    allow: list[str],
    deny: list[str],
) -> str: ...
def _with_sources(ptx: str, sources: list[tuple[str, str]]) -> str: ...
def _inspect(
    texture: Texture,
    xy: _Points,
    *,
    lod: ArrayLike | None = None,
    grad: tuple[_Points, _Points] | None = None,
    layer: ArrayLike | None = None,
    offset: _Points | None = None,
    compare: ArrayLike | None = None,
) -> dict[str, NDArray[Any]]: ...

# What `texunit.distributed` sends to workers: the keys of an object in a job, and its texels.
def texture_job(texture: Texture) -> tuple[str, bytes]: ...
def surface_job(surface: Surface) -> tuple[str, bytes]: ...
def fill_surface(surface: Surface, texels: bytes) -> None: ...
