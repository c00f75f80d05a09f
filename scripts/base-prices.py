"""
Writes the base list of prices, src/prices/base-list.json, from the Python package it is taken from: what prices need of
each model, a line each, so that a newer package shows what it changes. The package for JavaScript has older prices.

    python3 -m venv /tmp/prices && /tmp/prices/bin/pip install genai-prices==0.2.3
    /tmp/prices/bin/python scripts/base-prices.py
"""

import json
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

from genai_prices import data

SOURCE = Path(__file__).parent.parent / 'src' / 'prices'
CLAUSES = {'equals', 'starts_with', 'contains', 'ends_with', 'regex'}


def number(value):
    return int(value) if value == int(value) else float(value)


def match(clause):
    for name in ('or_', 'and_'):
        if hasattr(clause, name):
            return {name.rstrip('_'): [match(each) for each in getattr(clause, name)]}
    (name,) = CLAUSES & vars(clause).keys()
    return {name: getattr(clause, name)}


def price(value):
    if isinstance(value, (Decimal, int, float)):
        return number(value)
    tiers = [{'start': tier.start, 'price': number(tier.price)} for tier in value.tiers]
    return {'base': number(value.base), 'tiers': tiers}


def figures(prices):
    return {key: price(value) for key, value in vars(prices).items() if value is not None}


def constraint(limits):
    known = {key: value.isoformat() for key, value in vars(limits).items() if value is not None}
    return {key: value.replace('+00:00', 'Z') for key, value in known.items()}


def dated(each):
    row = {'prices': figures(each.prices)}
    return row if each.constraint is None else {'constraint': constraint(each.constraint), **row}


def line(model):
    listed = model.prices
    window = {'context_window': model.context_window} if model.context_window else {}
    prices = [dated(each) for each in listed] if isinstance(listed, list) else figures(listed)
    return json.dumps(
        {'id': model.id, 'match': match(model.match), **window, 'prices': prices},
        separators=(',', ':'),
        ensure_ascii=False,
    )


def provider(each):
    models = ',\n'.join(f'    {line(model)}' for model in each.models)
    return f'  {json.dumps(each.id)}: [\n{models}\n  ]'


listed = ',\n'.join(provider(each) for each in data.providers)
(SOURCE / 'base-list.json').write_text(f'{{\n{listed}\n}}\n')
print(f'Wrote the prices of genai-prices {version("genai-prices")}: set BASE_ORIGIN in src/prices/overrides.ts.')
