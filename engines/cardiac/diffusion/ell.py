"""Sixteen-wide ELLPACK in blocks of 32 rows, transposed so that neighbouring rows read neighbouring words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from engines.api import Array

WIDTH = 16
"""Off-diagonal entries of a row: 4 face neighbours and their 12 other neighbours."""
BLOCK = 32
"""Rows of a block: the lanes of a warp, and a multiple of every SIMD width."""


def block_count(n_rows: int) -> int:
    return -(-n_rows // BLOCK)


@dataclass(frozen=True)
class EllMatrix:
    """Rate of change ``(L v)_i = sum_j weights_ij (v_j - v_i)`` [1/ms].

    columns: (n_blocks, 16, 32) int32, weights: (n_blocks, 16, 32) float64 or float32; row ``32 b + r`` has its
    entries at ``[b, :, r]``. Unused entries have the row itself as column (so that they read nothing new) and
    weight 0; rows past ``n_rows`` in the last block have column ``n_rows - 1``. The diagonal is
    :meth:`diagonal`: it is not stored, since the differences make constants exact in any precision.
    """

    n_rows: int
    columns: Array
    weights: Array

    def row_view(self, values: Array) -> Array:
        """(n_rows, 16) copy of ``columns`` or ``weights``."""
        return values.transpose(0, 2, 1).reshape(-1, WIDTH)[: self.n_rows]

    def diagonal(self) -> Array:
        """(n_rows,) float64: ``-sum_j weights_ij``."""
        return -self.weights.sum(axis=1, dtype=np.float64).reshape(-1)[: self.n_rows]

    def absolute_row_sums(self) -> Array:
        """(n_rows,) float64: ``sum_j |weights_ij|``, whose reciprocal is the step limit of thesis eq. 3.6."""
        return np.abs(self.weights).sum(axis=1, dtype=np.float64).reshape(-1)[: self.n_rows]

    def row_lengths(self) -> Array:
        """(n_rows,) number of entries off the diagonal."""
        return (self.row_view(self.columns) != np.arange(self.n_rows)[:, None]).sum(axis=1)

    def to_csr(self) -> sparse.csr_matrix:
        """L as a SciPy matrix, float64, with its diagonal."""
        n = self.n_rows
        columns, weights = self.row_view(self.columns).astype(np.int64), self.row_view(self.weights).astype(np.float64)
        rows = np.repeat(np.arange(n), WIDTH)
        off = sparse.coo_matrix((weights.ravel(), (rows, columns.ravel())), shape=(n, n)).tocsr()
        return (off + sparse.diags(-np.asarray(off.sum(axis=1)).ravel())).tocsr()
