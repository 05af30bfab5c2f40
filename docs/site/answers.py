"""Hints, solutions, recall answers and predictions of all chapters, for the pages of the site.

    python docs/site/answers.py OUT

writes them to the file OUT as JSON. The build calls it, so nothing here can be out of date.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def collect():
    """Return {sort: {number: facts}} of every chapter."""
    sys.path.insert(0, str(HERE.parents[1]))
    from tutorial_lib.exercises.engine import registry
    from tutorial_lib.exercises.engine.sources import standing

    found = {"exercise": {}, "recall": {}, "prediction": {}}
    for chapter in registry.chapters():
        for number, task in registry.contents(chapter).items():
            code, left = standing(task.solution)
            also = f"# also uses: {', '.join(left)}\n" if left else ""
            found["exercise"][number] = {
                "title": task.title,
                "level": task.level,
                "hints": list(task.hints),
                "solution": also + code,
            }
        for number, asked in registry.contents(chapter, "recall question").items():
            answer = f"({asked.answer})" if asked.choices else str(asked.answer)
            found["recall"][number] = {"answer": answer, "because": asked.because}
        for number, asked in registry.contents(chapter, "prediction").items():
            found["prediction"][number] = {"question": asked.question, "key": asked.key}
    return found


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(collect(), ensure_ascii=False), encoding="utf-8")
