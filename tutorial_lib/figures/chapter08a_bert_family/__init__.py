"""Figures that only chapter 08a draws."""
