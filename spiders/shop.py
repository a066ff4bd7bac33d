"""The spider of every shop that runs 智简魔方 (ZJMF-CBAP, after version 10.4.6): products, their order page
with the region tree, and the price of every period by one anonymous call.

Every answer is HTTP 200; what it means stands in `status`. A price is the total of its period, net of
`discount`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar

from scrapy import Request
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from catalog.provider_model import Provider
from spiders.base.source import Place, Route, SourceSpider
from spiders.base.troubles import digest_of
from spiders.shape import LIST, NUMBER, TEXT, Expectation, get, json_is_cut, loads, pointer, text, whole
from spiders.shop_goods import Sold, Wish, models, packages
from spiders.signs import classify

PREFIX = "/console/v1"
MODULES = ("mf_dcim", "mf_cloud", "remf_dcim", "remf_cloud")
UNITS = ("hour", "day", "month")
_MOST_PAGES = 100
_PERIOD: Expectation = {"num": f"{NUMBER}|{TEXT}", "unit": UNITS}
_MODE = {"hour": "on_demand"}


class ShopSpider(SourceSpider):
    """`[source] origin` and `products`; one offer a (model or package, city, period)."""

    provider: ClassVar[Provider]
    routes = (Route("shop"),)
    evidence_kind = "catalog"
    scope = "region"

    def __init_subclass__(cls, **more: Any) -> None:
        """What a spider says of itself, from its provider file."""
        super().__init_subclass__(**more)
        cls.origins = (str(cls.provider.source.origin),)

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._products: dict[int, int] = {}  # id → 1, those that were asked for
        self._currency = "CNY"

    def url(self, path: str) -> str:
        """Address of a call."""
        return f"{self.origins[0]}{PREFIX}/{path}"

    def begin(self, route: str) -> Iterator[Request]:
        """The shop's currency first: everything after is quoted in it."""
        request = self.ask(self.url("common"), self.common, route=route)
        yield request.replace(errback=self.no_common)

    def common(self, response: Response) -> Iterator[Request]:
        """`currency_code` of the shop."""
        answer = self.answer(response)
        code = text(answer, "data/currency_code") if answer is not None else None
        if code is None:
            self.run.changed("common/currency_code", TEXT, "missing")
        self._currency = code or self._currency
        yield from self.first(response.meta["route"])

    def no_common(self, failure: Failure) -> Iterator[Request]:
        """A shop that does not tell its currency sells in yuan, as the system does by default."""
        self.reference_failed(failure)
        yield from self.first(failure.request.meta["route"])  # type: ignore[attr-defined]

    def first(self, route: str) -> Iterator[Request]:
        """The products that the file names, or the list of all."""
        if self.provider.source.products:
            for ident in self.provider.source.products[: 1 if self.probing else None]:
                yield self.product_request(ident, route)
            return
        yield self.ask(self.url("product"), self.products, route=route, page=1)

    def products(self, response: Response, page: int) -> Iterator[Request]:
        """A page of the list; as many are asked for as the shop declares."""
        route = response.meta["route"]
        answer = self.answer(response, {"data/list": LIST})
        if answer is None:
            return
        fresh = 0
        for row in get(answer, "data/list"):
            ident = whole(text(row, "id"))
            if ident is None or ident < 0:
                self.layout(row, {"id": NUMBER}, self.place(response))
            elif ident not in self._products:
                self._products[ident] = 1
                fresh += 1
                yield self.product_request(ident, route)
                if self.probing:
                    return
        declared = get(answer, "data/count")
        missing = isinstance(declared, int) and len(self._products) < declared
        if missing and fresh and page < _MOST_PAGES:
            yield self.ask(self.url(f"product?page={page + 1}"), self.products, route=route, page=page + 1)
        elif missing:
            told = f"{len(self._products)} products of {declared} declared"
            self.run.problem("truncated", told, response.url, route)

    def product_request(self, ident: int, route: str) -> Request:
        """The request of a product."""
        return self.ask(self.url(f"product/{ident}"), self.product, route=route, ident=ident)

    def product(self, response: Response, ident: int) -> Iterator[Request]:
        """Name, stock and whether it is hidden; the fields may be nested under `product`."""
        answer = self.answer(response)
        if answer is None:
            return
        data = get(answer, "data")
        row = get(data, "product") if isinstance(get(data, "product"), dict) else data
        if text(row, "hidden") in ("1", "true"):
            self.skip("hidden product")
            return
        sold = Sold(ident, text(row, "name") or str(ident), currency=self._currency)
        if text(row, "stock_control") in ("1", "true"):
            quantity = whole(text(row, "qty"))
            if quantity is not None:
                sold.status = "available" if quantity > 0 else "sold_out"
        yield self.module_request(sold, 0, response.meta["route"])

    # -- the order page ---

    def module_request(self, sold: Sold, number: int, route: str) -> Request:
        """The order page of a product as one of the modules."""
        url = self.url(f"product/{sold.ident}/{MODULES[number]}/order_page")
        request = self.ask(url, self.order_page, route=route, sold=sold, number=number)
        return request.replace(errback=self.no_module)

    def no_module(self, failure: Failure) -> Iterator[Request]:
        """A module that the shop has not installed may be answered with an error page."""
        request: Request = failure.request  # type: ignore[attr-defined]
        error = failure.value
        if isinstance(error, HttpError) and error.response.status in (400, 404, 405, 500):
            sold, number = request.cb_kwargs["sold"], request.cb_kwargs["number"]
            yield from self._next_module(
                sold, number, request.meta["route"], digest_of(self.text_of(error.response))
            )
        else:
            self.failed(failure)

    def _next_module(self, sold: Sold, number: int, route: str, said: str) -> Iterator[Request]:
        if number + 1 < len(MODULES):
            yield self.module_request(sold, number + 1, route)
        elif found := classify(said):
            self.run.problem(found[0], said, self.url(f"product/{sold.ident}"), route)
        else:
            self.skip("product of another kind")

    def order_page(self, response: Response, sold: Sold, number: int) -> Iterator[Request]:
        """The region tree with what is sold: models of the product, or packages of each area."""
        route = response.meta["route"]
        answer = self.parsed(response)
        if answer is None:
            return
        if text(answer, "status") != "200":
            yield from self._next_module(sold, number, route, text(answer, "msg") or "")
            return
        sold.module = MODULES[number]
        cloud = sold.module.endswith("cloud")
        place = self.place(response)
        need = {"data/data_center": LIST} | ({} if cloud else {"data/model_config": LIST})
        if not self.layout(answer, need, place):
            return
        wishes = list((packages if cloud else models)(answer, sold, place, self.provider.regions))
        if not wishes:
            self.skip("product without GPUs")
        for wish in wishes[: 1 if self.probing else None]:
            yield self.price_request(wish, route)

    # -- prices ---

    def price_request(self, wish: Wish, route: str) -> Request:
        """The prices of all periods, on the next line that may sell the good."""
        area, body = wish.tries.popleft()
        url = self.url(f"product/{wish.product.ident}/{wish.product.module}/duration")
        return self.ask(url, self.prices, route=route, method="POST", data=body, wish=wish, area=area)

    def prices(self, response: Response, wish: Wish, area: str) -> Iterator[Any]:
        """`num` × `unit` make the period, names are the seller's; the next line where this one refuses."""
        route = response.meta["route"]
        answer = self.parsed(response)
        if answer is None:
            return
        good = text(answer, "status") == "200"
        if good:
            yield from self._periods(answer, wish, area, self.place(response))
        elif text(answer, "status") != "400":
            self._said_no(response, answer)
            return
        if good and wish.every_area:
            wish.tries = deque(one for one in wish.tries if one[0] != area)
        if wish.tries and (wish.every_area or not good):
            yield self.price_request(wish, route)
        elif not good and not wish.every_area:
            self.skip("model not sold in a city")

    def _periods(self, answer: Any, wish: Wish, area: str, place: Place) -> Iterator[Any]:
        rows = get(answer, "data")
        if not isinstance(rows, list):
            self.layout(answer, {"data": LIST}, place)
            return
        sold = wish.product
        for number, row in enumerate(rows):
            if "price" not in row:
                self.layout(row, {"price": NUMBER}, place)
                return
            if not self.layout(row, _PERIOD, place):
                return
            unit, count = text(row, "unit") or "", text(row, "num") or ""
            discounts = ("discount", "client_level_discount")
            yield place.at(pointer("data", number, "price")).listing(
                price_text=text(row, "price"),
                unit=f"{sold.currency}/{self._basis}/{'' if count == '1' else count + ' '}{unit}",
                mode=_MODE.get(unit),
                basis=self._basis,
                region_text=wish.city or None,
                zone_text=area or None,
                status=sold.status,
                tax=self._tax,
                listing_id=f"{sold.ident}/{sold.module}",
                extra={name: value for name in discounts if (value := text(row, name))}
                | {"product": sold.name, "period": text(row, "name") or ""},
                **wish.fields,
            )

    @property
    def _basis(self) -> str:
        read = self.provider.read
        return (read.basis if read else "") or "server"

    @property
    def _tax(self) -> str | None:
        read = self.provider.read
        return read.tax if read and read.tax != "unknown" else None

    # -- answers ---

    def parsed(self, response: Response) -> Any:
        """The answer as JSON; None once the problem is noted."""
        body = self.text_of(response)
        try:
            return loads(body)
        except ValueError as error:
            if json_is_cut(body, error):
                self.run.problem("cut", f"the JSON ends early: {error}", response.url, response.meta["route"])
            else:
                self.no_data(response, body, "JSON")
            return None

    def answer(self, response: Response, need: Expectation | None = None) -> Any:
        """A good answer that holds what is needed; None once the problem is noted."""
        answer = self.parsed(response)
        if answer is None:
            return None
        if text(answer, "status") != "200":
            self._said_no(response, answer)
            return None
        return answer if self.layout(answer, need or {}, self.place(response)) else None

    def _said_no(self, response: Response, answer: Any) -> None:
        said = f"status {text(answer, 'status')}: {text(answer, 'msg') or 'no message'}"
        found = classify(f"{said} {'login required' if text(answer, 'status') == '401' else ''}")
        self.run.problem(found[0] if found else "failed", said, response.url, response.meta["route"])
