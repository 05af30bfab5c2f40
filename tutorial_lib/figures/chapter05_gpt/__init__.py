"""Figures that only chapter 05 draws."""
