"""Choice at even distances from a sequence."""


def evenly(of: int, k: int) -> list[int]:
    """Return `k` ascending indices below `of` at even distances, the first and the last included; all if `k` ≥ `of`.

    With `k` of 1 it is the first one.
    """
    if k >= of:
        return list(range(of))
    if k == 1:
        return [0]
    return [round(number * (of - 1) / (k - 1)) for number in range(k)]


def spread_order(of: int) -> list[int]:
    """Return the indices below `of` in an order whose every beginning is spread over the whole: first, last, middle,
    and then the middles of what is left.
    """
    if of < 2:
        return list(range(of))
    found, gaps = [0, of - 1], [(0, of - 1)]
    while gaps:
        halves = []
        for low, high in gaps:
            if high - low > 1:
                middle = (low + high) // 2
                found.append(middle)
                halves += [(low, middle), (middle, high)]
        gaps = halves
    return found
