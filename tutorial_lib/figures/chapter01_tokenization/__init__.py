"""Figures that only chapter 01 draws."""
