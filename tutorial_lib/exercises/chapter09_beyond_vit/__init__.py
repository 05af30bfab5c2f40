"""Chapter 09: its exercises in order."""

from tutorial_lib.exercises.chapter09_beyond_vit.cost import FOR_WHICH_PICTURE
from tutorial_lib.exercises.chapter09_beyond_vit.fourier import WAVES
from tutorial_lib.exercises.chapter09_beyond_vit.latents import READ
from tutorial_lib.exercises.chapter09_beyond_vit.output_queries import ZOOM
from tutorial_lib.exercises.chapter09_beyond_vit.queries import AS_MANY_QUERIES
from tutorial_lib.exercises.chapter09_beyond_vit.smaller_output import QUERIES_PER_LATENT

TITLE = "Beyond plain ViT"

EXERCISES = (FOR_WHICH_PICTURE, READ, AS_MANY_QUERIES, WAVES, ZOOM, QUERIES_PER_LATENT)

RECALL = ()

PREDICTIONS = ()
