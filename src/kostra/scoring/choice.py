"""Scores from a best–worst choice model, which knows in which company each item was judged; with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

import numpy as np
import polars as pl
from pydantic import Field
from scipy import linalg, optimize, sparse, special
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from kostra.recipe import Name, Strict
from kostra.scoring.counting import BestWorstTable, FloatArray, IntArray, best_worst_table, check_answers
from kostra.steps import Context, Inputs, Plan
from kostra.tables import SCORES, Frame, check

EXACT = 3_000  # items up to which the Hessian is inverted; beyond, what is needed is estimated from random probes
_DETERMINANT_PROBES, _DIAGONAL_PROBES, _LANCZOS_STEPS = 32, 128, 40
WIDTHS = (0.05, 20.0)  # where the prior's width is sought; beyond, all answers would be noise, or none
STEEPEST, _GRID = 1e-4, 4_097  # largest slope, in nats per logit, that counts as a maximum; points of interpolation


@dataclass(frozen=True, kw_only=True, eq=False)  # arrays have no single truth value to compare by
class ChoiceModel:
    """A fitted best–worst choice model; index i of every array belongs to item i, NaN where nobody judged it.

    `score` is z on 0 … 1 (see `preference_scores`), `score_error` half its rise from one error below to one above.
    """

    z: FloatArray  # latent value, in logits; the prior's mean is 0
    standard_error: FloatArray  # standard deviation of the posterior of z
    score: FloatArray
    score_error: FloatArray
    appearances: IntArray  # answers in which the item was shown
    sigma: float  # width of the Gaussian prior, given or chosen
    converged: bool  # whether the slope vanished at the end
    iterations: int  # of L-BFGS, in all
    log_posterior: float  # logarithm of likelihood times prior at the maximum
    log_evidence: float  # logarithm of their integral over z, by Laplace's approximation
    message: str


def choice_scores(
    tuples: IntArray, best: IntArray, worst: IntArray, *, items: int, sigma: float | None = None
) -> ChoiceModel:
    r"""Fit the best–worst choice model by maximum a posteriori.

    .. math:: P(b, w \mid T) = \frac{e^{z_b}}{\sum_{j \in T} e^{z_j}} \cdot
              \frac{e^{-z_w}}{\sum_{j \in T \setminus b} e^{-z_j}}, \qquad z_i \sim N(0, \sigma^2)

    Best is chosen from the whole tuple, then worst from the rest [1]_ [2]_. Counting credits a choice alike whoever the
    others were; the model does not, and so gains where items are judged in different company. The prior's width is the
    one with the largest marginal likelihood by Laplace's approximation [3]_; standard errors come from the inverse
    Hessian. Beyond 3,000 items its determinant [4]_ and diagonal are estimated from fixed random probes, by Lanczos
    quadrature and conjugate gradients: standard errors are then right to about two per cent.

    Parameters
    ----------
    tuples, best, worst, items
        As in `kostra.scoring.counting.count_scores`.
    sigma
        Width of the prior; None chooses it, between 0.05 and 20. A handful of answers cannot tell it: then it is 1.

    Returns
    -------
    ChoiceModel
        NaN for an item that never appeared: its posterior is the prior, which is nobody's judgment. An item that was
        always best has a finite value, thanks to the prior. Items in parts that share no tuple are comparable only
        through the prior, which gives each part the mean 0; the message says how many parts there are.

    Raises
    ------
    ValueError
        If an answer is impossible, or `sigma` is not positive.

    References
    ----------
    .. [1] A. A. J. Marley and J. J. Louviere (2005). Some probabilistic models of best, worst, and best–worst
       choices. Journal of Mathematical Psychology 49, 464–480.
    .. [2] T. N. Flynn and A. A. J. Marley (2014). Best–worst scaling: theory and methods. Handbook of Choice Modelling.
    .. [3] D. J. C. MacKay (1992). Bayesian interpolation. Neural Computation 4, 415–447.
    .. [4] S. Ubaru, J. Chen and Y. Saad (2017). Fast estimation of tr(f(A)). SIAM J. Matrix Anal. Appl. 38, 1075–1099.

    Examples
    --------
    Item 0 is preferred to item 1 once. By symmetry z = (d/2, −d/2), and the slope vanishes where 1/(1 + eᵈ) = d/2σ².
    With d = ln 4 the left side is 1/5, so that σ² = 2.5 ln 4 has this solution: eᶻ = 2 and 1/2, and item 0 wins with
    p = 4/5. The Hessian p(1 − p) [[1, −1], [−1, 1]] + I/σ² has the eigenvalues 0.32 + 1/σ² and 1/σ², each shared
    equally by the two items.

    >>> width = 2.5 * np.log(4)
    >>> model = choice_scores(np.array([[0, 1]]), np.array([0]), np.array([1]), items=3, sigma=width**0.5)
    >>> np.round(np.exp(model.z), 4).tolist(), np.round(model.score, 4).tolist()
    ([2.0, 0.5, nan], [0.8, 0.2, nan])
    >>> bool(np.isclose(model.standard_error[0] ** 2, (width + 1 / (0.32 + 1 / width)) / 2))
    True
    """
    check_answers(tuples, best, worst, items=items)
    if not (sigma is None or sigma > 0):
        raise ValueError(f"the prior's width, sigma, is a positive number; it is {sigma}")
    appearances = np.bincount(tuples.ravel(), minlength=items)
    number = np.cumsum(appearances > 0) - 1
    answers, _ = gathered(number[tuples], number[best], number[worst], items=int((appearances > 0).sum()))
    return as_model(fitted(answers, sigma=sigma), appearances)


def as_model(posterior: Posterior, appearances: IntArray) -> ChoiceModel:
    """The result of a fit to the items that appeared, among all items."""
    z, error = posterior.z, np.sqrt(inverse_diagonal(posterior.precision))
    full = np.full((4, len(appearances)), np.nan)
    rise = preference_scores(z, error) - preference_scores(z, -error)
    full[:, appearances > 0] = z, error, preference_scores(z), rise / 2
    return ChoiceModel(
        z=full[0],
        standard_error=full[1],
        score=full[2],
        score_error=full[3],
        appearances=appearances,
        sigma=posterior.sigma,
        converged=posterior.converged,
        iterations=posterior.iterations,
        log_posterior=float(posterior.value - len(z) * np.log(posterior.sigma * np.sqrt(2 * np.pi))),
        log_evidence=posterior.evidence,
        message=posterior.message + _parts(posterior.precision),
    )


def preference_scores(z: FloatArray, shift: FloatArray | float = 0.0) -> FloatArray:
    r"""Map latent values to 0 … 1: how often the item would be preferred to another one.

    .. math:: \mathrm{score}_i = \frac{1}{N - 1} \sum_{j \ne i} \frac{1}{1 + e^{z_j - z_i}}

    is what counting would give in the long run if every item were shown with every other, two at a time: strictly
    between 0 and 1, of mean 1/2, in the order of z. With more than 4,097 items it is interpolated (error below 1e-5).
    With `shift`, each item is moved by so much while the others stay.

    Examples
    --------
    Item 0 has odds of 3 : 1 against one and of 1 : 3 against the other: (3/4 + 1/4)/2.

    >>> preference_scores(np.log([3.0, 1.0, 9.0])).round(4).tolist()
    [0.5, 0.175, 0.825]
    """
    points = moved = z + shift
    if len(z) > _GRID:
        points = np.linspace(moved.min(), moved.max(), _GRID)
    blocks = np.array_split(points, len(points) // 256 + 1)
    wins = np.concatenate([special.expit(block[:, None] - z).sum(axis=1) for block in blocks])
    if len(z) > _GRID:
        wins = np.interp(moved, points, wins)
    scores: FloatArray = (wins - special.expit(moved - z)) / max(len(z) - 1, 1)  # less the item against itself
    return scores


# ---- the likelihood


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers as the model reads them: equal ones stand once, with their number."""

    places: IntArray
    """Items, tuple size × different answers: best in the first row, worst in the last."""
    count: FloatArray
    items: int


def gathered(tuples: IntArray, best: IntArray, worst: IntArray, *, items: int) -> tuple[Answers, IntArray]:
    """Add up equal answers: same best, same worst, same rest in any order. Also says where each answer went."""
    keys = np.where(tuples == best[:, None], -1, np.where(tuples == worst[:, None], items, tuples))
    rows = np.sort(keys, axis=1)
    rows = np.where(rows < 0, best[:, None], np.where(rows == items, worst[:, None], rows))
    different, where, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    places = np.ascontiguousarray(different.T) if len(rows) else np.zeros((2, 0), dtype=np.int64)
    return Answers(places, count.astype(np.float64), items), where.reshape(-1)


def choice_terms(x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Log-probability of each answer, its slope in x, and the probabilities of being best, and worst of the rest.

    `x` holds the (scaled) latent values of the places, like `Answers.places`.
    """
    top, low = x.max(axis=0), x[1:].min(axis=0)
    best = np.exp(x - top)
    worst = np.zeros_like(x)
    np.exp(low - x[1:], out=worst[1:])
    best_sum, worst_sum = best.sum(axis=0), worst.sum(axis=0)
    value = x[0] - top - np.log(best_sum) + low - x[-1] - np.log(worst_sum)
    best /= best_sum
    worst /= worst_sum
    slope = worst - best
    slope[0] += 1
    slope[-1] -= 1
    return value, slope, best, worst


def log_likelihood(z: FloatArray, answers: Answers) -> tuple[float, FloatArray]:
    """Log-likelihood of the answers and its gradient."""
    value, slope, _, _ = choice_terms(z[answers.places])
    slope *= answers.count
    gradient = np.bincount(answers.places.ravel(), weights=slope.ravel(), minlength=answers.items)
    return float(value @ answers.count), gradient.astype(np.float64)


def information(z: FloatArray, answers: Answers, scale: FloatArray | float = 1.0) -> sparse.csr_array:
    """Minus the Hessian of the log-likelihood in z; `scale` multiplies z in each answer."""
    _, _, best, worst = choice_terms(scale * z[answers.places])
    weight, size = answers.count * scale**2, len(best)
    blocks = -(best[:, None] * best + worst[:, None] * worst)
    blocks[np.arange(size), np.arange(size)] += best + worst
    row = np.broadcast_to(answers.places[:, None], blocks.shape)
    column = np.broadcast_to(answers.places[None], blocks.shape)
    shape = (answers.items, answers.items)
    return sparse.csr_array(((blocks * weight).ravel(), (row.ravel(), column.ravel())), shape=shape)


# ---- the posterior


Extreme: TypeAlias = tuple[FloatArray, float, int, float]  # place, value maximised, iterations, steepest slope left


def lbfgs(descent: Callable[[FloatArray], tuple[float, FloatArray]], begin: FloatArray) -> Extreme:
    """Minimise. The slope is what an extreme is known by: scipy's flag also rises where a search stopped early."""
    if not len(begin):
        return begin, 0.0, 0, 0.0
    found = optimize.minimize(
        descent, begin, jac=True, method="L-BFGS-B",
        options={"maxiter": 5_000, "maxfun": 10_000, "ftol": 1e-14, "gtol": 1e-7, "maxcor": 20},
    )  # fmt: skip
    return found.x, -float(found.fun), int(found.nit), float(np.abs(found.jac).max())


@dataclass(frozen=True, eq=False)
class Posterior:
    """The maximum of the posterior and the curvature there."""

    z: FloatArray
    sigma: float
    precision: sparse.csr_array  # Hessian of minus the log-posterior
    value: float  # log-likelihood less z·z/2σ²
    evidence: float
    converged: bool
    iterations: int
    message: str


def posterior_mode(answers: Answers, sigma: float, start: FloatArray | None = None) -> Extreme:
    """Maximise the log-posterior."""

    def descent(z: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = log_likelihood(z, answers)
        return 0.5 * float(z @ z) / sigma**2 - value, z / sigma**2 - gradient

    return lbfgs(descent, np.zeros(answers.items) if start is None else start)


def fitted(answers: Answers, *, sigma: float | None = None, start: FloatArray | None = None) -> Posterior:
    """Fit with the given width of the prior, or with the one that makes the answers most likely."""
    if sigma is not None or not answers.items:
        return _posterior(answers, sigma or 1.0, start)
    tried = [_posterior(answers, 1.0, start)]

    def cost(log_sigma: float) -> float:
        tried.append(_posterior(answers, float(np.exp(log_sigma)), tried[-1].z))
        return -tried[-1].evidence

    edges = (float(np.log(WIDTHS[0])), float(np.log(WIDTHS[1])))
    found = optimize.minimize_scalar(cost, bounds=edges, method="bounded", options={"xatol": 1e-4, "maxiter": 60})
    chosen = max(tried, key=lambda one: one.evidence)
    message = chosen.message
    if min(found.x - edges[0], edges[1] - found.x) < 0.01:
        if chosen.evidence - tried[0].evidence < 1:  # as likely, within a factor of three
            chosen, message = (
                tried[0],
                f"{tried[0].message}; the answers do not tell the prior's width: 1 by convention",
            )
        else:
            message += f"; the prior's width lies at the edge of the search, {chosen.sigma:.3g}"
    converged, iterations = chosen.converged and bool(found.success), sum(one.iterations for one in tried)
    return replace(chosen, converged=converged, iterations=iterations, message=message)


def _posterior(answers: Answers, sigma: float, start: FloatArray | None) -> Posterior:
    z, value, iterations, steepest = posterior_mode(answers, sigma, start)
    precision = (information(z, answers) + sparse.eye_array(answers.items) / sigma**2).tocsr()
    evidence = value - answers.items * np.log(sigma) - 0.5 * log_determinant(precision)
    converged = steepest <= STEEPEST
    message = f"{'converged' if converged else 'did not converge'}: the steepest slope is {steepest:.1e}"
    return Posterior(z, sigma, precision, value, float(evidence), converged, iterations, message)


def log_determinant(matrix: sparse.csr_array) -> float:
    """Logarithm of the determinant of a positive definite matrix: by Cholesky, or by Lanczos quadrature if large."""
    if (size := matrix.shape[0]) <= EXACT:
        triangle = linalg.cholesky(matrix.toarray(), overwrite_a=True, check_finite=False)
        return 2 * float(np.log(np.diag(triangle)).sum())
    probes = np.random.default_rng(2005).choice([-1.0, 1.0], size=(size, _DETERMINANT_PROBES))  # always the same
    now, before = probes / np.sqrt(size), np.zeros_like(probes)
    diagonal, beside = [], [np.zeros(probes.shape[1])]
    for _ in range(_LANCZOS_STEPS):
        following = matrix @ now - beside[-1] * before
        diagonal.append((following * now).sum(axis=0))
        following -= diagonal[-1] * now
        beside.append(np.sqrt((following**2).sum(axis=0)))
        now, before = following / beside[-1], now
    total = 0.0
    for a, b in zip(np.array(diagonal).T, np.array(beside[1:-1]).T, strict=True):
        values, vectors = linalg.eigh_tridiagonal(a, b)
        total += float(vectors[0] ** 2 @ np.log(values))
    return float(size * total / probes.shape[1])


def inverse_diagonal(matrix: sparse.csr_array) -> FloatArray:
    """Diagonal of the inverse of a positive definite matrix: exact, or from random probes if it is large."""
    if (size := matrix.shape[0]) <= EXACT:
        factor = linalg.cho_factor(matrix.toarray(), overwrite_a=True, check_finite=False)
        return np.diag(linalg.cho_solve(factor, np.eye(size), overwrite_b=True, check_finite=False)).copy()
    diagonal = matrix.diagonal()
    jacobi = sparse.diags_array(1 / diagonal)
    probes = np.random.default_rng(2005).choice([-1.0, 1.0], size=(_DIAGONAL_PROBES, size))
    solved = np.array([sparse_linalg.cg(matrix, probe, rtol=1e-6, M=jacobi)[0] for probe in probes])
    estimate: FloatArray = np.maximum((probes * solved).mean(axis=0), 1 / diagonal)  # the least it can be
    return estimate


def _parts(precision: sparse.csr_array) -> str:
    parts, _ = csgraph.connected_components(precision, directed=False) if precision.shape[0] else (0, None)
    return f"; the items form {parts:,} parts that share no tuple" if parts > 1 else ""


# ---- the step


READS = ("tuples", "judgments")
WRITES = ("scores",)


class Options(Strict):
    """How the model is fitted, and under which name its scores stand."""

    as_question: Name | None = None
    """The question of the scores, where it is not the recipe's: for scores that stand beside counted ones."""
    sigma: Annotated[float, Field(gt=0)] | None = None
    """Width of the prior; without it, the most likely one."""


def plan(inputs: Mapping[str, int], options: Options, context: Context) -> Plan:  # noqa: ARG001 - a step's form
    """One score per item."""
    return Plan(f"fits a best–worst choice model to {inputs.get('judgments', 0) // 2:,} answers")


def run(inputs: Inputs, options: Options, context: Context) -> dict[str, Frame]:
    """Score the items on the recipe's range; an item nobody judged has no score."""
    table = best_worst_table(inputs["tuples"], inputs["judgments"])
    model = choice_scores(table.tuples, table.best, table.worst, items=len(table.items), sigma=options.sigma)
    return {"scores": score_table(table, model, options.as_question, context)}


def score_table(table: BestWorstTable, model: ChoiceModel, as_question: str | None, context: Context) -> Frame:
    """The scores on the recipe's range, and notes on what the model has to say."""
    if table.incomplete:
        context.note("incomplete", f"{table.incomplete:,} answers name only the best or only the worst; left out")
    items, score = table.items, context.recipe.score
    width = score.high - score.low
    frame = pl.DataFrame(
        {
            "item": items,
            "question": [as_question or score.question] * len(items),
            "score": score.low + width * model.score,
            "raw": model.z,
            "appearances": model.appearances,
            "standard_error": width * model.score_error,
        }
    ).filter(pl.col("appearances") > 0)
    if unseen := len(items) - frame.height:
        context.note("unscored", f"{unseen:,} items were never judged and have no score")
    context.note(
        "fit", f"choice model: prior width {model.sigma:.3f}, {model.iterations:,} iterations; {model.message}"
    )
    return check(frame, SCORES, where="choice-model scores")
