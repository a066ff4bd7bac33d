-- Ratios of each seller's modes to its hourly price, good by good, newest prices. In: ix_priced, store.good.
-- Out: ix_ratio (provider, billing_mode, ratio).
CREATE OR REPLACE TEMP TABLE ix_ratio AS
WITH newest AS (
    SELECT good, arg_max(micro, t) AS micro
    FROM ix_priced
    WHERE t >= (SELECT max(t) FROM ix_last) - 30 * 86400000000::BIGINT
    GROUP BY good
), named AS (
    SELECT g.provider, g.billing_mode, n.micro,
           concat_ws('|', g.site, coalesce(g.region_code, ''), coalesce(g.region_label, ''), coalesce(g.zone, ''),
                     coalesce(g.sku, ''), g.card, coalesce(g.form, ''), ix_plain(g.gpu_count), coalesce(g.os, ''),
                     ix_plain(g.vcpu), ix_plain(g.ram_gb)) AS thing
    FROM newest AS n
    JOIN store.good AS g ON g.good = n.good
    WHERE g.price_kind = 'list' AND g.billing_mode <> 'reserved'
)
SELECT a.provider, a.billing_mode, a.micro / b.micro AS ratio
FROM named AS a
JOIN named AS b ON b.provider = a.provider AND b.thing = a.thing AND b.billing_mode = 'on_demand'
WHERE a.billing_mode <> 'on_demand'
ORDER BY a.provider, a.billing_mode, a.thing, a.micro, b.micro;
