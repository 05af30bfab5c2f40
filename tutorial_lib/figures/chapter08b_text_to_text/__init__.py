"""Figures that only chapter 08b draws."""
