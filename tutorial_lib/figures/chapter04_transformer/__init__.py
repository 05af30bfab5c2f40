"""Figures that only chapter 04 draws."""
