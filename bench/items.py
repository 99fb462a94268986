"""Items found in requests of ten formats, English and Japanese, and the most important of many items; no model is used.

    python -m bench.items

The texts are those of `bench/item_sets.py` and `bench/important_items.py`. The rules and the weights of urgency were
tuned on the half `tuning`; the half `unseen` was only measured. An item is found if a found item contains its words and
no other item's. Precision is the share of found items that are items. The baseline knows list markers and questions
only, on the first level.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from statistics import mean

from bench.important_items import IMPORTANT, ORDINARY
from bench.item_sets import MATERIAL, Case, Half, cases
from bench.measuring import save_figures
from nemuri_domain.language.request_items import separate_requests
from nemuri_domain.tasks.item_importance import most_important, most_representative

_MARKED = re.compile(r"^(?:[-*・•]|\(?\d+[.)]|[①-⑳])\s*(.+)$", re.MULTILINE)
_QUESTION = re.compile(r"[^.。?？\n]+[?？]")
HALVES: tuple[Half, Half] = ("tuning", "unseen")


def baseline(text: str) -> Sequence[str]:
    """Return the marked lines of the text, or its questions if it has fewer than two marked lines."""
    marked = _MARKED.findall(text)
    return marked if len(marked) > 1 else _QUESTION.findall(text)


def scores(case: Case, find: Callable[[str], Sequence[str]]) -> tuple[float, float]:
    """Return recall and precision of the items that `find` returns for a case."""
    found = find(case.text)
    held = [[item for item in case.items if item in each] for each in found]
    single = {each[0] for each in held if len(each) == 1}
    right = sum(len(each) == 1 for each in held)
    return len(single) / len(case.items), right / len(found) if found else 0.0


def first_five(choose: Callable[[Sequence[str]], Sequence[int]], half: Half) -> float:
    """Return the share of the urgent items among the first that are chosen, as many as there are; both languages."""
    shares = []
    for (language, which), urgent in IMPORTANT.items():
        if which == half:
            items = [*ORDINARY[language, which][::2], *urgent, *ORDINARY[language, which][1::2]]
            chosen = [items[at] for at in choose(items)][: len(urgent)]
            shares.append(len({*chosen} & {*urgent}) / len(urgent))
    return mean(shares)


def main() -> None:
    """Print recall and precision for each format, and the shares of urgent items."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    every, figures = cases(), dict[str, float]()
    print(f"{'format':24} {'language':8}  tuning: recall precision  unseen: recall precision  baseline, unseen: recall")
    for name, language in dict.fromkeys((each.name, each.language) for each in every):
        mine = {case.half: case for case in every if (case.name, case.language) == (name, language)}
        tuned, unseen = (scores(mine[half], separate_requests) for half in HALVES)
        plain = scores(mine["unseen"], baseline)[0]
        numbers = f"{tuned[0]:14.2f} {tuned[1]:9.2f} {unseen[0]:15.2f} {unseen[1]:9.2f} {plain:17.2f}"
        print(f"{name:24} {language:8} {numbers}")
    for half in HALVES:
        known = [case for case in every if case.half == half]
        for label, find in (("", separate_requests), ("baseline_", baseline)):
            found = [scores(each, find) for each in known]
            figures[f"{label}recall_{half}"] = mean(each[0] for each in found)
            figures[f"{label}precision_{half}"] = mean(each[1] for each in found)
        figures[f"urgent_{half}"] = first_five(
            lambda items: [importance.index for importance in most_important(items, 10)], half
        )
        figures[f"urgent_by_centrality_{half}"] = first_five(lambda items: most_representative(items, 10), half)
    figures["material_left_whole"] = mean(not separate_requests(text) for _, text in MATERIAL)
    for figure, value in figures.items():
        print(f"{figure.replace('_', ' '):32} {value:.3f}")
    save_figures("items", figures)


if __name__ == "__main__":
    main()
