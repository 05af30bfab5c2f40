"""Figures that only chapter 00 draws."""
