-- The list-price index of one cell. region: name or code, NULL = the nation.
CREATE MACRO index_series(region, card, mode) AS TABLE
SELECT p.*
FROM price_index AS p
WHERE p.series = 'list'
  AND p.region_code = coalesce(region_of(region), 'CN')
  AND p.card = card
  AND p.billing_mode = coalesce(mode, 'on_demand')
ORDER BY p.week;

COMMENT ON MACRO TABLE index_series IS
    'index_series(region, card, mode): the list-price index of a cell, week by week';
