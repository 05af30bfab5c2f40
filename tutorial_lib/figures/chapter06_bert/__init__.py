"""Figures that only chapter 06 draws."""
