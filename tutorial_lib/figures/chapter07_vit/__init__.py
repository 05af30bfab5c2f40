"""Figures that only chapter 07 draws."""
