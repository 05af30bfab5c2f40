"""What two sides said, compared."""


def close(one, other, tolerance=1e-4):
    """Equal, numbers up to a tolerance."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[n], other[n], tolerance) for n in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            close(*pair, tolerance) for pair in zip(one, other, strict=True)
        )
    if isinstance(one, float) and isinstance(other, int | float):
        return abs(one - other) <= tolerance * max(1, abs(one))
    return one == other
