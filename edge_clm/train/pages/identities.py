"""Made-up persons, businesses and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TYPE_CHECKING

from edge_clm.train.pages.draw import split_of
from edge_clm.train.pages.lexicon import entries
from edge_clm.train.pages.page import Split
from edge_clm.train.pages.places import Place

if TYPE_CHECKING:
    from faker import Faker

_TRIES = 40
_ASIAN = {"ms_MY", "en_SG"}
_TITLES = ("Mr.", "Ms.", "Mrs.", "Dr.")


@dataclass(frozen=True, slots=True)
class Party:
    """A business or a person with where it is."""

    name: str
    address: tuple[str, ...]
    """Lines."""
    phone: str
    tax_no: str
    company_no: str
    owner: str
    """Who runs it; empty where that is not printed."""


@cache
def _maker(locale: str) -> Faker:
    from faker import Faker

    return Faker(locale)


class Identities:
    """Makes names for one page."""

    def __init__(self, rng: Random, place: Place, split: Split) -> None:
        self._rng, self._place, self._split = rng, place, split
        self._asian = place.names in _ASIAN
        self._make = _maker("en_GB" if self._asian else place.names)
        self._make.seed_instance(rng.getrandbits(64))

    def person(self) -> str:
        """A full name whose family name belongs to the split."""
        if self._asian:
            return self._asian_person()
        for _ in range(_TRIES):
            family = self._make.last_name()
            if split_of(family) == self._split:
                break
        given = self._make.first_name()
        return f"{family}{given}" if self._place.language == "zh" else f"{given} {family}"

    def _asian_person(self) -> str:
        people = self._rng.choice(("malay", "chinese", "chinese", "indian"))
        given = self._rng.choice(entries("names", "persons", f"given_{people}", self._split))
        family = self._rng.choice(entries("names", "persons", f"family_{people}", self._split))
        if people == "chinese":
            return f"{family} {given}"
        joint = self._rng.choice(
            (" bin ", " binti ", " ") if people == "malay" else (" a/l ", " a/p ")
        )
        return f"{given}{joint}{family}"

    def company(self) -> str:
        """A name of a business, usually with its legal form."""
        if self._place.language == "zh":
            return self._chinese_company()
        rng, split = self._rng, self._split
        if rng.random() < 0.2:
            return self._cased(self._partners())
        first = self._first_word()
        trade = rng.choice(entries("names", "companies", "trade", split))
        second = rng.choice(entries("names", "companies", "trade", split))
        core = rng.choice(
            (
                f"{first} {trade}",
                f"{first} {trade}",
                first,
                f"{first} {trade} & {second}",
                f"The {first} {trade}",
            )
        )
        if rng.random() < 0.12:
            core = f"{core} ({rng.choice(('M', 'KL', self._place.code, 'Asia', '1998'))})"
        legal = rng.choice(self._place.legal)
        name = f"{core} {legal}" if rng.random() < 0.72 else core
        return self._cased(name)

    def trade(self) -> str:
        """What a shop is called by those who do not know who owns it."""
        name = f"{self._first_word()} {self._rng.choice(entries('names', 'companies', 'trade', self._split))}"
        return self._cased(name)

    def branch(self) -> str:
        """Where one of several shops is."""
        if self._asian:
            return str(self._rng.choice(entries("names", "streets", "areas", self._split)))
        return str(self._make.city())

    def _partners(self) -> str:
        """A business that is called after those who own it."""
        one, two, three = (self.person().split()[-1] for _ in range(3))
        legal = self._rng.choice(self._place.legal)
        ways = (f"{one}-{two}", f"{one}, {two} and {three}", f"{one} & {two}", f"{one} and Sons")
        return self._rng.choice((*ways, f"{one} {legal}", f"{one}, {two} & {three} {legal}"))

    def _first_word(self) -> str:
        rng, split = self._rng, self._split
        sort = rng.random()
        if sort < 0.45:
            return rng.choice(entries("names", "companies", "first", split))
        if sort < 0.65:
            head = rng.choice(entries("names", "companies", "heads", split))
            return head + rng.choice(entries("names", "companies", "tails", split))
        family = self.person().split()[-1]
        if sort < 0.85:
            return rng.choice((family, f"{family} & {self.person().split()[-1]}", f"{family}'s"))
        letters = "".join(rng.choice("ABCDEFGHJKLMNPRSTVWY") for _ in range(rng.randint(2, 3)))
        return rng.choice((letters, ".".join(letters) + ".", f"{letters[0]} & {letters[-1]}"))

    def _cased(self, name: str) -> str:
        chosen = self._rng.random()
        if chosen < (0.6 if self._asian else 0.2):
            return name.upper()
        return name

    def _chinese_company(self) -> str:
        rng = self._rng
        name = rng.choice(entries("names", "companies", "zh", self._split))
        trade = rng.choice(entries("names", "companies", "zh_trade", self._split))
        return f"{self._make.city_name()}{name}{trade}{rng.choice(self._place.legal)}"

    def house(self, sort: str) -> str:
        """A laboratory ("labs") or a hospital ("hospitals")."""
        end = self._rng.choice(entries("names", "houses", sort, self._split))
        return f"{self._first_word()} {end}"

    def address(self) -> tuple[str, ...]:
        """Lines of an address."""
        if self._asian:
            return self._asian_address()
        if self._place.language == "zh":
            return (self._make.address().split(" ")[0],)
        for _ in range(_TRIES):
            street = self._make.street_address().replace("\n", ", ")
            if split_of(street) == self._split:
                break
        code, city = self._make.postcode(), self._make.city()
        if self._place.language in ("de", "fr", "es"):
            return street, f"{code} {city}"
        if self._place.names in ("en_US", "en_CA"):
            state = getattr(self._make, "state_abbr", self._make.city)()
            return street, f"{city}, {state} {code}"
        return self._rng.choice(((street, f"{city} {code}"), (street, city, code)))

    def _asian_address(self) -> tuple[str, ...]:
        rng, split = self._rng, self._split
        number = rng.choice(("No. {}", "{}", "LOT {}", "NO.{}", "No {}A", "{}-G")).format(
            rng.randint(1, 320)
        )
        if self._place.code == "SG":
            road = rng.choice(entries("names", "streets", "singapore", split))
            unit = f"#{rng.randint(1, 15):02}-{rng.randint(1, 99):02}"
            return (
                f"Blk {rng.randint(1, 900)} {road} {unit}",
                f"Singapore {rng.randint(100000, 799999)}",
            )
        kind = rng.choice(entries("names", "streets", "malay", split))
        street = f"{number}, {kind} {rng.choice(entries('names', 'streets', 'of', split))},"
        area = f"{rng.choice(entries('names', 'streets', 'areas', split))},"
        town = rng.choice(entries("names", "streets", "towns", split))
        lines = (street, area, town) if rng.random() < 0.75 else (f"{street} {area}", town)
        return tuple(line.upper() for line in lines) if rng.random() < 0.5 else lines

    def phone(self) -> str:
        """A telephone number."""
        rng = self._rng
        if self._asian:
            return f"0{rng.randint(3, 9)}-{rng.randint(2000, 8999)} {rng.randint(1000, 9999)}"
        return str(self._make.phone_number()).split("x")[0].strip()

    def email(self, name: str) -> str:
        """An address for mail at a business or of a person of that name."""
        rng = self._rng
        host = "".join(filter(str.isalnum, name.lower()))[:16] or "office"
        user = rng.choice(("info", "sales", "accounts", "billing", host[:6], "office"))
        ending = rng.choice(("com", "net", "org", "biz", f"com.{self._place.code.lower()}"))
        return f"{user}@{host}.{ending}"

    def party(self) -> Party:
        """A business with its address and numbers."""
        rng = self._rng
        owner = self.person() if rng.random() < 0.1 else ""
        company_no = rng.choice(
            (
                f"{rng.randint(100000, 999999)}-{rng.choice('AVHXKTW')}",
                f"{rng.randint(10**11, 10**12 - 1)}",
            )
        )
        return Party(
            self.company(), self.address(), self.phone(), self._tax_no(), company_no, owner
        )

    def buyer(self) -> Party:
        """Who is billed: a business, or now and then a person."""
        if self._rng.random() < 0.35:
            return Party(self.person(), self.address(), self.phone(), "", "", "")
        return Party(self.company(), self.address(), self.phone(), "", "", self._maybe_contact())

    def _maybe_contact(self) -> str:
        if self._rng.random() > 0.3:
            return ""
        title = f"{self._rng.choice(_TITLES)} " if self._rng.random() < 0.4 else ""
        return f"{title}{self.person()}"

    def _tax_no(self) -> str:
        rng, code = self._rng, self._place.code
        digits = "".join(rng.choice("0123456789") for _ in range(12))
        return {
            "MY": f"00{digits[:10]}",
            "GB": f"GB {digits[:3]} {digits[3:7]} {digits[7:9]}",
            "DE": f"DE{digits[:9]}",
            "FR": f"FR{digits[:11]}",
            "ES": f"B{digits[:8]}",
            "US": f"{digits[:2]}-{digits[2:9]}",
            "AU": f"{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:11]}",
            "SG": f"M{digits[:8]}{rng.choice('XKLMN')}",
        }.get(code, digits)
