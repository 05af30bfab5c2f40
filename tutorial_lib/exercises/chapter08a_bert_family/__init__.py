"""Chapter 08a: what it asks about earlier chapters, its exercises in order, its predictions."""

TITLE = "BERT's descendants"

EXERCISES = ()

RECALL = ()

PREDICTIONS = ()
