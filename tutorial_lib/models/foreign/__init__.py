"""Files of other programs: the names and settings of published models, read as ours."""
