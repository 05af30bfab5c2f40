"""Each system on one page."""
