"""What a training run leaves behind: its numbers step by step, or the error that ended it."""

from dataclasses import dataclass, field

from tutorial_lib.errors import TutorialError


class NonFiniteLossError(TutorialError, FloatingPointError):
    """The loss or its gradient became infinite or NaN; `history` holds the run up to there."""

    def __init__(self, message, history):
        super().__init__(message)
        self.history = history


@dataclass
class History:
    """What happened in a run, one entry a step, ready for plotting.

    `evaluations` holds one dict per evaluation, with its step; `stopped` says why the run ended:
    "finished" all its steps, "stopped" early as asked, "interrupted" by Ctrl-C; or "running".
    """

    loss: list[float] = field(default_factory=list)
    lr: list[float] = field(default_factory=list)
    gradient_norm: list[float] = field(default_factory=list)
    evaluations: list[dict] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str = "running"

    @property
    def steps(self):
        """The numbers of the steps done, from 1."""
        return list(range(1, len(self.loss) + 1))

    def record(self, loss, lr, gradient_norm):
        """Add the numbers of one step."""
        self.loss.append(loss)
        self.lr.append(lr)
        self.gradient_norm.append(gradient_norm)

    def column(self, name):
        """Return the steps and the values of one evaluated quantity, as two lists.

        >>> History(evaluations=[{"step": 5, "accuracy": 0.5}]).column("accuracy")
        ([5], [0.5])
        """
        return [row["step"] for row in self.evaluations], [row[name] for row in self.evaluations]

    def __repr__(self):
        last = f", last loss {self.loss[-1]:.3f}" if self.loss else ""
        return f"History({len(self.loss)} steps{last}, {self.stopped})"
