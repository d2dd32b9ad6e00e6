"""Resonances of a trace that rings down: frequency, decay, Q and amplitude of each mode in a band.

A trace of a few hundred periods has modes that lie closer than the lines of its Fourier transform. As it is a sum of
decaying exponentials, they are found all the same:

1. The band is moved to frequency zero, filtered, and only every ``n``-th sample is kept. An exponential stays one in a
   filter of finite length, multiplied by the filter's response at its own complex frequency.
2. The exponentials of what is left come from the singular vectors of its Hankel matrix (matrix pencil: Hua and Sarkar,
   doi 10.1109/29.56027). How many rise above the noise is told by the description length (Wax and Kailath, doi
   10.1109/TASSP.1985.1164557).
3. Frequencies, decays and amplitudes are polished together by least squares (Gauss and Newton), whose covariance is the
   error that is told; what is lost in it is left out, and the rest polished again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engines.api import Array
from engines.api.errors import ProblemError

KAISER = 18.0
TAPS = 16
"""Length of the filter in samples kept. With β = 18 that passes the band, and stops what would fold into it."""
LEAK = 1e-8
"""What is weaker than this part of the trace may be folded in from beyond the filter, which stops all but 3e-9."""
OVERSAMPLING = 4
"""Samples kept, of complex numbers, over those that the band needs: a longer way for the filter to fall."""
FEWEST = 40
"""Samples kept that are worth a fit."""
MOST = 126
"""Samples kept that are fitted together; a band with more of them is halved. Matrices of 64 rows are solved by one
thread: above, BLAS wakes one on each core, which waited a hundred times as long as it worked where cores were busy."""
OVERLAP = 0.02
"""Part of a half of a band in which the other half's modes are taken too, so that none is lost between them."""
SAME = 6.0
"""Modes of two halves no farther apart than so many standard errors are one."""
MOST_MODES = 24
POLISHES, FIRST_POLISHES, SHORTER = 12, 7, 0.3
"""Steps of least squares at most, those that show what is noise, and what is taken of one that leads too far."""
RESOLVED = 2.0
"""Modes closer than so many lines of the Fourier transform may stand for one."""
FASTEST = -2 * np.log(100.0) / TAPS
"""What decays faster, by 100 over half the filter, is no mode that samples kept can tell of."""
SETTLED = 1e-6
"""A residual that gets no smaller than by this part is polished."""
EARLIER = 0.8
"""Part of a short trace whose modes are compared with those of all of it."""
SEEN = 4.0
"""Amplitudes below so many of their standard errors are noise."""
GROWS = 300.0
"""What grows by more than e to this over the samples is no mode: its waves and their squares leave float64."""
ROUNDING = 1e-13
"""Singular values below this part of the largest are rounding."""


@dataclass(frozen=True)
class Resonance:
    """``amplitude · exp(−decay t) cos(2π frequency t + phase)``, t from the first sample on; frequency, decay [1/time].

    error: standard error of the frequency; quality_error: of Q, infinite where nothing is known of it
    """

    frequency: float
    decay: float
    amplitude: float
    phase: float
    error: float
    quality_error: float

    @property
    def quality(self) -> float:
        """``Q = π frequency / decay``: infinite without a decay."""
        return float(np.pi * self.frequency / self.decay) if self.decay > 0 else float("inf")


def resonances(trace: Array, step: float, band: tuple[float, float]) -> list[Resonance]:
    """The modes of ``trace`` (n,), real, sampled every ``step``, whose frequencies lie in ``band``; strongest first.

    Raises ProblemError where the band or the trace is too short.
    """
    trace = np.asarray(trace, float)
    low, high = band
    nyquist = 0.5 / step
    if not 0 < low < high <= nyquist:
        raise ProblemError(
            f"Resonances are sought between two frequencies above 0 and up to {nyquist:.4g}, half the rate of samples: "
            f"{low:.4g} to {high:.4g} is not such a band."
        )
    if len(trace) < FEWEST:
        raise ProblemError(f"{len(trace)} samples are too few for resonances: let it ring for {FEWEST} or more.")
    if not np.any(trace):
        return []
    found = _in_band(trace, step, low, high)
    every = _every(step, low, high)
    if (len(trace) - TAPS * every) // every <= MOST:  # short: what is not told apart yet shifts what is
        before = trace[: int(EARLIER * len(trace))]
        earlier = _in_band(before, step, low, high) if len(before) >= FEWEST else []
        found = [_doubted(mode, earlier, 1 / (len(trace) * step)) for mode in found]
    return sorted(found, key=lambda mode: -mode.amplitude)


def _every(step: float, low: float, high: float) -> int:
    return max(1, int(1 / (OVERSAMPLING * (high - low) * step)))


def _doubted(mode: Resonance, earlier: list[Resonance], line: float) -> Resonance:
    """Known no better than the last part of the trace has moved it; of a mode that came with it no Q is known."""
    was = min(earlier, key=lambda other: abs(other.frequency - mode.frequency), default=None)
    if was is None or abs(was.frequency - mode.frequency) > line:
        return replace(mode, error=max(mode.error, line), quality_error=np.inf)
    moved = abs(was.decay - mode.decay)
    quality_error = float(np.pi * mode.frequency * moved / mode.decay**2)
    return replace(
        mode,
        error=max(mode.error, abs(was.frequency - mode.frequency)),
        quality_error=max(mode.quality_error, quality_error),
    )


def _in_band(trace: Array, step: float, low: float, high: float) -> list[Resonance]:
    """Those in low ≤ frequency < high."""
    every = _every(step, low, high)
    if (len(trace) - TAPS * every) // every > MOST:
        middle, wide = 0.5 * (low + high), 0.5 * OVERLAP * (high - low)
        lower, upper = _in_band(trace, step, low, middle + wide), _in_band(trace, step, middle - wide, high)
        return lower + [mode for mode in upper if not any(_same(mode, other) for other in lower)]
    every = max(1, min(every, len(trace) // (FEWEST + TAPS)))
    middle = 0.5 * (low + high)
    kept, taps = _kept(trace, step, middle, every)
    roots = _exponentials(kept)
    if not len(roots):
        return []
    polished = _seen(kept, np.log(roots))
    modes = []
    least = LEAK * float(np.abs(trace).max()) if every > 1 else 0.0
    for rate, weight, error in zip(polished.rates, polished.weights, polished.rate_errors, strict=True):
        frequency = middle + rate.imag / (2 * np.pi * every * step)
        decay = -rate.real / (every * step)
        lasts = every == 1 or rate.real > FASTEST
        if not (low <= frequency < high and lasts and abs(weight) >= least):
            continue
        response = np.sum(taps * np.exp(rate / every * np.arange(len(taps))))
        amplitude = 2 * weight / response
        spread = error / (every * step)
        frequency_error = spread / (2 * np.pi)
        quality_error = float(np.pi * frequency / abs(decay) * np.hypot(spread / decay, frequency_error / frequency))
        modes.append(
            Resonance(
                float(frequency), float(decay), float(abs(amplitude)), float(np.angle(amplitude)),
                float(frequency_error), quality_error,
            )
        )  # fmt: skip
    return modes


def _same(one: Resonance, other: Resonance) -> bool:
    apart = abs(one.frequency - other.frequency)
    return apart <= SAME * (one.error + other.error) + 1e-9 * one.frequency


def _kept(trace: Array, step: float, middle: float, every: int) -> tuple[Array, Array]:
    """Samples of the band around zero, one of ``every``, and the filter: ``kept[m] = Σ taps[j] · x[m · every + j]``."""
    moved = trace * np.exp(-2j * np.pi * middle * step * np.arange(len(trace)))
    if every == 1:
        return moved, np.ones(1)
    length = TAPS * every + 1
    at = np.arange(length) - length // 2
    taps = np.sinc(at / every) * np.kaiser(length, KAISER)
    taps /= taps.sum()
    count = (len(moved) - length) // every + 1
    kept = np.zeros(count, complex)
    for place, tap in enumerate(taps):
        kept += tap * moved[place : place + every * count : every]
    return kept, taps


def _exponentials(samples: Array) -> Array:
    """(modes,) complex z of ``samples[n] = Σ a zⁿ``."""
    n = len(samples)
    hankel = sliding_window_view(samples, n - n // 2)
    vectors, values, _ = np.linalg.svd(hankel, full_matrices=False)
    count = _number(values, hankel.shape[1])
    if not count:
        return np.zeros(0, complex)
    space = vectors[:, :count]
    roots = np.linalg.eigvals(np.linalg.lstsq(space[:-1], space[1:], rcond=None)[0])
    sizes = np.abs(roots)  # one that is gone after a sample is no mode either
    return np.asarray(roots[(sizes > 1e-3) & (sizes < np.exp(GROWS / n))])


def _number(values: Array, columns: int) -> int:
    """How many singular values rise above the noise."""
    if values[0] <= 0:
        return 0
    values = values[: int(np.sum(values > ROUNDING * values[0]))]
    size = len(values)
    if size < 2:
        return size
    best, least = 0, np.inf
    logs, squares = 2 * np.log(values), values**2
    for k in range(min(MOST_MODES, columns * 2 // 3, size - 1) + 1):
        rest = size - k
        likelihood = columns * (rest * np.log(squares[k:].mean()) - logs[k:].sum())
        length = likelihood + 0.5 * k * (2 * size - k) * np.log(columns)
        if length < least:
            best, least = k, length
    return best


@dataclass(frozen=True)
class _Polished:
    """``Σ weights · exp(rates · n)`` by least squares (modes,), and the standard errors of both."""

    rates: Array
    weights: Array
    rate_errors: Array
    weight_errors: Array

    @property
    def likely(self) -> Array:
        """(modes,) weights over their standard errors."""
        return np.asarray(np.abs(self.weights) / np.maximum(self.weight_errors, np.finfo(float).tiny))


def _seen(samples: Array, rates: Array) -> _Polished:
    """Of those that are no noise.

    Where two stand for one mode neither is known, and both look like noise: of those close to each other the
    unlikeliest alone is left out, and the rest is polished again.
    """
    close = RESOLVED * 2 * np.pi / len(samples)
    steps = FIRST_POLISHES
    while True:
        found = _polished(samples, rates, steps)
        rates, likely = found.rates, found.likely
        left_out: list[int] = []
        for mode in np.argsort(likely):
            if likely[mode] < SEEN and all(abs(rates[mode] - rates[other]) > close for other in left_out):
                left_out.append(int(mode))
        if not left_out and steps == POLISHES:
            return found
        steps = FIRST_POLISHES if left_out else POLISHES
        rates = np.delete(rates, left_out)


def _polished(samples: Array, rates: Array, steps: int) -> _Polished:
    at = np.arange(len(samples))[:, None]
    best = _fit(samples, rates, at)
    part = 1.0
    for _ in range(steps):
        trial = _fit(samples, rates + part * best[2], at)
        if not trial[1] < best[1]:
            part *= SHORTER
            continue
        settled = trial[1] > (1 - SETTLED) * best[1]
        rates, best, part = rates + part * best[2], trial, min(1.0, part / SHORTER)
        if settled:
            break
    weights, residual, _, inverse = best
    modes = len(rates)
    variance = residual / max(1, len(samples) - 2 * modes)
    errors = np.sqrt(variance * np.maximum(np.diag(inverse).real, 0.0) / 2)
    alike = _alike(samples - np.exp(rates * at) @ weights)
    return _Polished(rates, weights, errors[modes:] * np.sqrt(alike), errors[:modes])


def _alike(left: Array) -> float:
    """How many of the residuals that follow each other count as one: each for itself is noise, but what modes that are
    not told apart yet leave is a wave, of which many samples know no more than one."""
    products = np.abs(np.correlate(left, left, "full")[len(left) - 1 :])
    alike = products[1:] / max(products[0], 1e-300)
    lost = np.nonzero(alike < 2 / np.sqrt(len(left)))[0]
    return 1.0 + 2.0 * float(alike[: lost[0] if len(lost) else None].sum())


def _fit(samples: Array, rates: Array, at: Array) -> tuple[Array, float, Array, Array]:
    """weights, the residual's square, the change of rates that least squares wants, and the inverse of JᴴJ."""
    if rates.real.max(initial=0.0) * len(samples) > GROWS:
        return np.zeros(len(rates), complex), np.inf, np.zeros_like(rates), np.zeros((2 * len(rates),) * 2)
    waves = np.exp(rates * at)
    sizes = np.linalg.norm(waves, axis=0)  # beside one that grows the others are rounding
    weights = np.linalg.lstsq(waves / sizes, samples, rcond=None)[0] / sizes
    left = samples - waves @ weights
    slopes = np.concatenate([waves, at * waves * weights], axis=1)
    scale = np.linalg.norm(slopes, axis=0)
    scale[scale == 0] = 1.0
    inverse = np.linalg.pinv(slopes / scale)
    step = (inverse @ left) / scale
    with np.errstate(over="ignore"):  # of what is gone at once nothing is known
        covariance = (inverse @ inverse.conj().T) / np.outer(scale, scale)
    return weights, float(np.vdot(left, left).real), step[len(rates) :], covariance
