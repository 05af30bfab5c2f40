import pytest


@pytest.fixture(autouse=True)
def progress_folder(tmp_path, monkeypatch):
    """Each test has its own empty progress, and a session in which nothing is accepted yet."""
    from tutorial_lib.exercises.engine.keep import ACCEPTED

    ACCEPTED.clear()
    folder = tmp_path / "progress"
    monkeypatch.setenv("TUTORIAL_PROGRESS", str(folder))
    return folder


@pytest.fixture
def learner(shell):
    """A notebook of the learner: run a cell, read its names."""

    class Learner:
        def run(self, cell):
            shell.run_cell(cell).raise_error()
            return self

        def __getattr__(self, name):
            return shell.user_ns[name]

    return Learner()


def area(width, height):
    """Return the area of a rectangle."""
    return width * height


def area_by_sum(width, height):
    """Second style."""
    return sum(width for _ in range(height))


def area_perimeter(width, height):
    """This is the perimeter."""
    return 2 * (width + height)


def area_square(width, height):
    """This takes the width twice."""
    return width * width


def area_half(width, height):
    """This is a triangle, half as large."""
    return width * height / 2


@pytest.fixture
def parts():
    """What all sample exercises share."""
    from tutorial_lib.exercises.engine.tasks import case

    return {
        "id": "9.1",
        "title": "Area",
        "level": "easy",
        "text": "Write `area`.",
        "hints": ("Multiply.", "Width by height."),
        "solution": area,
        "second_style": area_by_sum,
        "mistakes": (area_perimeter, area_square, area_half),
        "cases": lambda: [case("a square", 2, 2), case("a strip", 3, 1)],
    }


@pytest.fixture
def write(parts):
    from tutorial_lib.exercises.engine.tasks import Write

    return Write(**parts)


@pytest.fixture
def symptom_task(parts):
    from tutorial_lib.exercises.engine.tasks import Symptom

    looks = ("It would be too long.", "It would be a square.", "It would be a triangle.")
    return Symptom(**parts, shown=area_square, looks=looks)


@pytest.fixture
def claim(parts):
    from tutorial_lib.exercises.engine.tasks import Claim

    def number():
        return 30_720_000

    def twice():
        """This counts the table twice."""
        return 61_440_000

    parts |= {"solution": number, "second_style": number, "mistakes": (twice,)}
    del parts["cases"]
    return Claim(**parts, tolerance=1000.0, unit="parameters", verdict="The sentence holds.")
