"""How exercises are found, judged, explained and kept."""
