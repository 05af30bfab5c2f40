"""Figures that only chapter 02 draws."""
