"""Figures that only chapter 06b draws."""
