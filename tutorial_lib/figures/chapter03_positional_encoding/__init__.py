"""Figures that only chapter 03 draws."""
