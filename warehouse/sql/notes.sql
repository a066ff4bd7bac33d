-- Findings about single observations. In: temp table held (obs, quarantine, review) from the index, fx_rates; variable
-- ix_min, below which no price per card-hour is plausible.

-- The same sheet row told by two imports is one sighting: the first to be loaded stays.
CREATE TEMP TABLE told AS
SELECT f.obs,
       row_number() OVER (PARTITION BY g.offer_id, f.observed_at, f.price, f.price_high, f.upfront ORDER BY f.obs) > 1
           AS repeated
FROM store.fact AS f
JOIN store.run AS r ON r.run = f.run AND r.kind = 'import'
JOIN store.good AS g ON g.good = f.good;

-- A spot price at or above what the same seller asks by the hour for the same good, in the same run: kept, no saving.
CREATE TEMP TABLE spot_dear AS
SELECT DISTINCT spot.obs
FROM store.good AS g
JOIN store.good AS h
  ON h.provider = g.provider AND h.site = g.site AND h.card = g.card AND h.gpu_count = g.gpu_count
 AND h.share = g.share AND h.currency = g.currency AND h.tax = g.tax
 AND h.region_code IS NOT DISTINCT FROM g.region_code AND h.zone IS NOT DISTINCT FROM g.zone
 AND h.sku IS NOT DISTINCT FROM g.sku AND h.form IS NOT DISTINCT FROM g.form
 AND h.vcpu IS NOT DISTINCT FROM g.vcpu AND h.ram_gb IS NOT DISTINCT FROM g.ram_gb
 AND h.os IS NOT DISTINCT FROM g.os
JOIN store.fact AS spot ON spot.good = g.good
JOIN store.fact AS hour ON hour.good = h.good AND hour.run = spot.run AND hour.cny <= spot.cny
WHERE g.billing_mode = 'spot' AND g.price_kind = 'list' AND h.billing_mode = 'on_demand' AND h.price_kind = 'list'
  AND NOT h.is_floor;

-- Prices that are not in CNY, at the newest rate of the seven days up to the observation (Shanghai dates).
-- Whole numbers of 1e-6, so that nothing is rounded but the result, half up.
CREATE TEMP TABLE foreign_rate AS
SELECT f.obs, f.price, f.upfront, g.per_hours, g.term_hours, g.gpu_count, g.tax, g.currency, x.rate, x.date
FROM store.fact AS f
JOIN store.good AS g ON g.good = f.good AND g.currency <> 'CNY'
LEFT JOIN fx_rates AS x
  ON x.pair = g.currency || '/CNY'
 AND x.date <= (f.observed_at AT TIME ZONE 'Asia/Shanghai')::DATE
 AND x.date > (f.observed_at AT TIME ZONE 'Asia/Shanghai')::DATE - 8
QUALIFY row_number() OVER (PARTITION BY f.obs ORDER BY x.date DESC) = 1;

CREATE TEMP MACRO micro(x) AS (x::DECIMAL(38,6) * 1000000)::HUGEINT;
CREATE TEMP MACRO half_up(a, b) AS (a + b // 2) // b;
CREATE TEMP MACRO money(x) AS (x::DECIMAL(24,0) * 0.000001::DECIMAL(7,6))::DECIMAL(18,6);

-- Too low to be a price in CNY, or too high for the column: no value, and the reason. What is merely dear is shown.
CREATE TEMP TABLE exchanged AS
SELECT obs,
       tax,
       CASE WHEN cny BETWEEN micro(getvariable('ix_min')) AND micro(900000000000) THEN cny END AS cny,
       fx || CASE WHEN cny BETWEEN micro(getvariable('ix_min')) AND micro(900000000000) THEN ''
                  ELSE ' gives no plausible price' END AS fx
FROM (SELECT obs,
             tax,
             currency || '/CNY ' || trim(trailing '.' FROM trim(trailing '0' FROM rate::VARCHAR)) || ' of ' || date
                 AS fx,
             half_up(micro(price) * micro(rate) * 1000000, micro(per_hours) * micro(gpu_count))
                 + CASE WHEN upfront > 0 AND term_hours > 0
                        THEN half_up(micro(upfront) * micro(rate) * 1000000, micro(term_hours) * micro(gpu_count))
                        ELSE 0 END AS cny
      FROM foreign_rate
      WHERE rate IS NOT NULL);

INSERT INTO store.note
SELECT obs,
       h.quarantine,
       coalesce(h.review, CASE WHEN d.obs IS NOT NULL THEN 'spot_ge_ondemand' END),
       coalesce(t.repeated, false),
       money(e.cny),
       money(CASE WHEN e.tax = 'excluded' THEN half_up(e.cny * 106, 100) ELSE e.cny END),
       CASE WHEN e.obs IS NOT NULL THEN e.fx
            WHEN o.obs IS NOT NULL THEN 'no ' || o.currency || '/CNY rate within seven days' END
FROM held AS h
FULL JOIN (SELECT * FROM told WHERE repeated) AS t USING (obs)
FULL JOIN spot_dear AS d USING (obs)
FULL JOIN foreign_rate AS o USING (obs)
LEFT JOIN exchanged AS e USING (obs)
ORDER BY obs;

DROP TABLE told;
DROP TABLE spot_dear;
DROP TABLE foreign_rate;
DROP TABLE exchanged;
