"""Texture objects on CuPy arrays of float32, read point by point without a filter."""

from __future__ import annotations

from typing import Any


def linear(cupy: Any, array: Any) -> Any:
    """A texture object on an array of one dimension, for ``tex1Dfetch``."""
    runtime, texture = cupy.cuda.runtime, cupy.cuda.texture
    resource = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=array, chDesc=_one_float(cupy), sizeInBytes=array.nbytes
    )
    return texture.TextureObject(resource, _unfiltered(cupy, 1))


def rows(cupy: Any, array: Any) -> Any:
    """A texture object on a C-contiguous array (ny, nx), for ``tex2D``. A row is a multiple of 32 bytes."""
    runtime, texture = cupy.cuda.runtime, cupy.cuda.texture
    ny, nx = array.shape
    resource = texture.ResourceDescriptor(
        runtime.cudaResourceTypePitch2D, arr=array, chDesc=_one_float(cupy), width=nx, height=ny, pitchInBytes=4 * nx
    )
    return texture.TextureObject(resource, _unfiltered(cupy, 2))


def _one_float(cupy: Any) -> Any:
    return cupy.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, cupy.cuda.runtime.cudaChannelFormatKindFloat)


def _unfiltered(cupy: Any, dimensions: int) -> Any:
    runtime = cupy.cuda.runtime
    return cupy.cuda.texture.TextureDescriptor(
        (runtime.cudaAddressModeClamp,) * dimensions, runtime.cudaFilterModePoint, runtime.cudaReadModeElementType
    )
