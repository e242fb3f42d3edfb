"""Encoders against people: tasks, protocols, uncertainty.

Conventions, chosen once and the same for every task; what they were applied to is counted in the output
(`Evaluation.counts`), and those of vectors and similarities stand in `kostra.encoders`.

zero vectors
    The cosine with a zero vector is 0. In comparisons of two similarities (categories, triplets, scales) an inequality
    that needs a zero vector's direction does not hold. Counted as ``zero_vectors``.
ties
    Correlations give ties the mean of their ranks; Kendall's is τ-b. A comparison of two similarities, triplets and
    scales included, holds only if the one is truly larger: a tie is an error. Counted as ``tied_pairs`` and ``ties``.
NaN and what is undefined
    An encoder that gives NaN is refused. A figure that is undefined (fewer than two pairs, a constant side) has no
    value, and its note says why; it is never 0. Bootstrap samples on which it is undefined are left out and counted.
empty sentences and missing scores
    A row of a table with an empty sentence or without a score is left out and counted (``rows_without_sentence``,
    ``rows_without_score``, ``dropped_rows``). A sentence that an encoder makes nothing of is evaluated like any other.
rounding
    Nothing is rounded before the last step but cosines, to six decimals (`kostra.encoders`), so that equal vectors
    tie. Categories of COSTRA compare cosines as they are, as its package does. Where scores are brought to classes,
    halves go up (`kostra.evaluate.histogram`).
aggregation
    The part ``all`` is computed on all pairs together, never as a mean of parts. ``mean of sources`` is the plain mean
    of the sources' figures. Over folds a figure is computed inside each fold and averaged. Macro F1 is the plain mean
    over labels.
parts
    A source, subset or bin with fewer than ten pairs has no figures of its own, and a whole set with fewer has figures
    without intervals. A score on the border of two bins
    belongs to the upper one.
names
    ``cosine_spearman`` and its like are MTEB's names; for an encoder of pairs the same column holds its own number, and
    `Evaluation.similarity` says ``own``. Rows about people have the protocol ``people``.
uncertainty
    Intervals come from 1,000 bootstrap samples of sentences (`kostra.evaluate.bootstrap`); those of rewrites from
    samples of seeds. Whatever is fitted (calibration, probe) is fitted on folds that share no sentence with the pairs
    it is tested on, as far as the data allow, and what is shared is said.
"""
