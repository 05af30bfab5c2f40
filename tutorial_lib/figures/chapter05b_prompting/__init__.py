"""Figures that only chapter 05b draws."""
