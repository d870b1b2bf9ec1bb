"""Pictures as data: an expression over a program's variables becomes numbers, and its text in words. Standard library and torch only."""


class Words(dict):
    """Names for a picture's text; one that is not there stays as it is written."""

    def __missing__(self, key):
        return "{%s}" % key


def drawn(picture, names):
    """One picture: its numbers, and its alternative text with the values filled in.

    The text may hold {max}, {min}, {row} and {column} (where the largest value is, from 0), {rows}, {columns}, {first}, {last}.
    """
    result = {key: picture.get(key) for key in ("id", "kind", "title", "x", "y")}
    result["labels"] = {"x": [], "y": []}
    try:
        data, labels = numbers(eval(picture["data"], names))
    except Exception as problem:
        result.update(data=[], sentence="This picture could not be drawn: %s: %s" % (type(problem).__name__, problem))
        return result
    result["labels"]["x"] = labels
    result["data"] = data
    result["sentence"] = str(picture.get("alt") or "").format_map(Words(facts(data)))
    return result


def numbers(value):
    """A tensor, a list of them, or a dict of name to number or row, as nested lists."""
    if isinstance(value, dict):
        labels = [str(key) for key in value]
        return [plain(item) for item in value.values()], labels
    return plain(value), []


def plain(value):
    if hasattr(value, "detach"):
        value = value.detach().to("cpu")
        value = (value.double() if value.dtype.is_floating_point else value).tolist()
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    number = float(value)
    return round(number, 6) if number == number and abs(number) != float("inf") else None


def flat(data):
    for item in data if isinstance(data, list) else [data]:
        if isinstance(item, list):
            for inner in flat(item):
                yield inner
        elif item is not None:
            yield item


def facts(data):
    """What a picture's text may name."""
    values = list(flat(data))
    if not values:
        return {}
    found = {
        "max": "%.3g" % max(values),
        "min": "%.3g" % min(values),
        "first": "%.3g" % values[0],
        "last": "%.3g" % values[-1],
    }
    if data and isinstance(data[0], list) and data[0] and not isinstance(data[0][0], list):
        best = max(
            ((v, r, c) for r, row in enumerate(data) for c, v in enumerate(row) if v is not None), default=(0, 0, 0)
        )
        found.update(row=best[1], column=best[2], rows=len(data), columns=len(data[0]))
    return found
