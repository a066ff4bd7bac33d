-- Questions that a SQL user asks often. Unqualified names inside a macro are its parameters.

-- A municipality's city code means the municipality: offers carry 110000.
CREATE MACRO region_of(place) AS (
    SELECT coalesce(
        (SELECT CASE WHEN place IN ('110100', '120100', '310100', '500100') THEN left(place, 2) || '0000' END),
        (SELECT r.code FROM regions AS r WHERE r.code = place),
        (SELECT a.code FROM region_aliases AS a WHERE a.alias = lower(place))
    )
);

-- A place and what lies in it; a province never holds the offers of its macro-region or of the nation.
CREATE MACRO in_region(place, wanted) AS (
    CASE WHEN wanted IS NULL THEN true
         WHEN place IS NULL THEN false
         WHEN place = wanted THEN true
         WHEN wanted LIKE 'CN-%'
             THEN length(place) = 6 AND left(place, 2) || '0000' IN (SELECT r.code FROM regions AS r
                                                                     WHERE r.macro_code = wanted)
         WHEN length(wanted) = 6 AND wanted LIKE '%0000' THEN length(place) = 6 AND left(place, 2) = left(wanted, 2)
         WHEN length(wanted) = 6 AND wanted LIKE '%00' THEN length(place) = 6 AND left(place, 4) = left(wanted, 4)
         ELSE false END
);

-- Mainland China: everything but Hong Kong, Macau, Taiwan and abroad; a pool of unknown place counts.
CREATE MACRO in_mainland(place) AS (
    place IS NULL OR place LIKE 'CN%' OR (length(place) = 6 AND left(place, 2) NOT IN ('71', '81', '82'))
);

-- What may be an offer, and which of two prices of one moment counts, is as in offers.sql. Which observation of
-- each good is the latest is decided on a few narrow columns; the rest is fetched for those.
CREATE MACRO price_known_at(ts, known) AS TABLE
WITH latest AS (
    SELECT f.obs
    FROM store.fact AS f
    JOIN store.good AS g ON g.good = f.good
    JOIN store.run AS r ON r.run = f.run
    LEFT JOIN store.note AS n ON n.obs = f.obs
    WHERE r.usable
      AND n.quarantine IS NULL
      AND NOT coalesce(n.repeated, false)
      AND g.date_precision = 'day'
      AND g.trust IN ('seller', 'seller_via_third_party')
      AND g.provider_class IN ('marketplace', 'cloud', 'idc')
      AND r.loaded_at <= known::TIMESTAMPTZ
      AND f.observed_at <= ts::TIMESTAMPTZ
      AND coalesce(f.valid_until >= ts::TIMESTAMPTZ, f.observed_at >= ts::TIMESTAMPTZ - INTERVAL 720 HOUR)
    QUALIFY row_number() OVER (PARTITION BY g.offer_id
                               ORDER BY f.observed_at DESC, r.started_at DESC, f.price, f.locator, f.obs) = 1
)
SELECT o.* EXCLUDE (obs)
FROM store.observation AS o
JOIN latest AS l ON l.obs = o.obs;

CREATE MACRO price_at(ts) AS TABLE
SELECT * FROM price_known_at(ts, 'infinity'::TIMESTAMPTZ);

-- Part of a card, or a virtual card sold by name: goods of their own, never ranked with whole cards.
CREATE MACRO is_slice(card, share) AS (share < 1 OR card LIKE 'vGPU%');

-- What can be bought of every live offer so that at least `cards` cards stand in one machine (NULL: the least
-- that is sold). basis card: any number from min_cards to max_cards (8 where not shown), never more than are
-- free; server and device: whole machines. Sold out is no purchase.
CREATE MACRO purchases(cards) AS TABLE
WITH sized AS (
    SELECT o.*,
           CASE WHEN o.basis = 'card' THEN greatest(coalesce(cards, 1), coalesce(o.min_cards, 1), o.gpu_count)
                ELSE o.gpu_count END AS purchase_cards
    FROM offers AS o
    WHERE o.in_stock IS DISTINCT FROM false
      AND o.price_cny_per_card_hour_gross IS NOT NULL
)
SELECT s.*,
       (s.purchase_cards * s.price_cny_per_card_hour_gross)::DECIMAL(18,6) AS total_per_hour_cny
FROM sized AS s
WHERE (s.basis <> 'card' OR s.purchase_cards <= greatest(coalesce(s.max_cards, 8), 1))
  AND s.purchase_cards >= coalesce(cards, 0)
  AND (s.stock_idle IS NULL OR s.stock_idle >= s.purchase_cards);

-- The cheapest live on-demand offers for `gpu_count` cards in one machine, as of the day of the build.
CREATE MACRO cheapest(card, gpu_count, region) AS TABLE
SELECT row_number() OVER (
           ORDER BY CASE WHEN gpu_count IS NULL THEN p.price_cny_per_card_hour_gross ELSE p.total_per_hour_cny END,
                    p.age_hours, p.provider, p.offer_id
       ) AS rank,
       p.*
FROM purchases(gpu_count) AS p
WHERE (card IS NULL OR p.card = card)
  AND (card IS NOT NULL OR NOT is_slice(p.card, p.share))
  AND p.billing_mode = 'on_demand'
  AND p.price_kind IN ('list', 'public_discount')
  AND NOT p.is_floor
  AND (p.age_hours <= 168 OR p.valid_until IS NOT NULL)
  AND CASE WHEN region IS NULL THEN p.site = 'mainland' AND in_mainland(p.region_code)
           ELSE in_region(p.region_code, region_of(region)) END
ORDER BY rank;
