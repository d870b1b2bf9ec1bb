"""Pictures as data: an expression over a program's variables becomes numbers, and its text in words. Standard library and torch only."""


class Words(dict):
    """Names for a picture's text; one that is not there stays as it is written."""

    def __missing__(self, key):
        return "{" + key + "}"


def drawn(picture, names):
    """One picture: its numbers, and its alternative text with the values filled in.

    The text may hold {max}, {min}, {row} and {column} (where the largest value is, from 0), {rows}, {columns}, {first}, {last}.
    """
    result = {key: picture.get(key) for key in ("id", "kind", "title", "x", "y")}
    result["labels"] = {"x": [], "y": []}
    try:
        data, labels = numbers(eval(picture["data"], names))
        sentence = str(picture.get("alt") or "").format_map(Words(facts(data)))
    except Exception as problem:
        result.update(data=[], sentence=f"This picture could not be drawn: {type(problem).__name__}: {problem}")
        return result
    result["labels"]["x"] = labels
    result["data"] = data
    result["sentence"] = sentence
    return result


def drawn_map(line, column, name, shape, data):
    """A traced attention map as a picture: its first matrix, and its largest share in words."""
    found = facts(data)
    where = f" Of shape {shape}, the first is drawn." if len(shape) > 2 else ""
    sentence = f"Row {found['row']} looks most at column {found['column']}: {found['max']}.{where}"
    return {
        "id": f"line-{line}-{name.replace('.', '-')}-{column}",
        "kind": "heatmap",
        "title": f"{name}, line {line}",
        "x": "key",
        "y": "query",
        "labels": {"x": [], "y": []},
        "data": [[round(number, 6) for number in row] for row in data],
        "sentence": sentence,
    }


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
            yield from flat(item)
        elif item is not None:
            yield item


def facts(data):
    """What a picture's text may name."""
    values = list(flat(data))
    if not values:
        return {}
    found = {
        "max": f"{max(values):.3g}",
        "min": f"{min(values):.3g}",
        "first": f"{values[0]:.3g}",
        "last": f"{values[-1]:.3g}",
    }
    if data and isinstance(data[0], list) and data[0] and not isinstance(data[0][0], list):
        numbered = [(v, r, c) for r, row in enumerate(data) for c, v in enumerate(row) if v is not None]
        best = max(numbered, key=lambda one: one[0])  # the first of equals
        found.update(row=best[1], column=best[2], rows=len(data), columns=len(data[0]))
    return found
