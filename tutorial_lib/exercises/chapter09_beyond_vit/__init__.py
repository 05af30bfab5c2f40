"""Chapter 09: what it asks about the chapters before, its exercises in order, its predictions."""

from tutorial_lib.exercises.chapter09_beyond_vit.forgotten import WINDOW_MEANS
from tutorial_lib.exercises.chapter09_beyond_vit.merging import MERGE
from tutorial_lib.exercises.chapter09_beyond_vit.partition import WINDOWS
from tutorial_lib.exercises.chapter09_beyond_vit.relative_index import TABLE_INDEX
from tutorial_lib.exercises.chapter09_beyond_vit.reverse import PUT_BACK
from tutorial_lib.exercises.chapter09_beyond_vit.shift_mask import MAY_LOOK

TITLE = "Beyond plain ViT"

EXERCISES = (WINDOWS, PUT_BACK, MAY_LOOK, WINDOW_MEANS, TABLE_INDEX, MERGE)

RECALL = ()

PREDICTIONS = ()
