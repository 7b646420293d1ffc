"""Reviews of finished games: a value for every position, a judgement for every move. docs/review.md explains them."""

from engine.review.annotation import Annotation, annotate, read_annotation
from engine.review.judgement import JUDGEMENTS, MARKS, MISTAKES, Judgement
from engine.review.report import MoveReview, Review
from engine.review.reviewer import NothingToReview, review
from engine.review.values import Budget, Evaluator, Value

__all__ = [
    "JUDGEMENTS",
    "MARKS",
    "MISTAKES",
    "Annotation",
    "Budget",
    "Evaluator",
    "Judgement",
    "MoveReview",
    "NothingToReview",
    "Review",
    "Value",
    "annotate",
    "read_annotation",
    "review",
]
