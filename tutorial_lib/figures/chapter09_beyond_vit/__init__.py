"""Figures that only chapter 09 draws."""
