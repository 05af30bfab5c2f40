"""Figures that only chapter 10 draws."""
