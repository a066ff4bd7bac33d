-- Worked queries of docs/sql.md. Each starts with "--# title"; comment lines after it become its text.
-- tests/warehouse/test_docs.py runs every one of them.

--# 1. Cheapest RTX4090 by the hour, two cards in one machine 双卡 4090 按量最低价
-- The macro `cheapest(card, gpu_count, region)` knows what one can buy: stock, smallest and largest purchase,
-- tax. A region is a name or a code ('北京', '110000'); NULL means anywhere in the mainland.
SELECT rank, provider, region, purchase_cards, total_per_hour_cny, age_hours
FROM cheapest('RTX4090', 2, NULL);

--# 2. What one card costs at every seller 各平台同卡比价
SELECT provider, provider_class, count(*) AS offers, min(price_cny_per_card_hour_gross) AS lowest,
       median(price_cny_per_card_hour_gross) AS middle, max(observed_at) AS seen
FROM offers
WHERE card = 'RTX4090' AND billing_mode = 'on_demand' AND price_kind = 'list' AND share = 1
GROUP BY ALL
ORDER BY lowest, provider;

--# 3. Every way to pay for one card 计费方式对比
-- `per_hours` is the period that was priced: a month is 730 hours, a pack of N days 24·N.
SELECT billing_mode, price_kind, tier, count(*) AS offers, min(price_cny_per_card_hour_gross) AS lowest
FROM offers
WHERE card = 'RTX4090' AND share = 1
GROUP BY ALL
ORDER BY lowest, billing_mode, price_kind, tier;

--# 4. From how many hours a month on the monthly price pays 包月盈亏点
-- Of offers of one seller for the same card: monthly price / hourly price.
SELECT h.provider, h.card, h.price_cny_per_card_hour AS per_hour,
       round(m.price_cny_per_card_hour * 730, 2) AS per_month,
       (m.price_cny_per_card_hour * 730 / h.price_cny_per_card_hour)::DECIMAL(18,1) AS hours_to_break_even
FROM (SELECT provider, card, min(price_cny_per_card_hour) AS price_cny_per_card_hour
      FROM offers WHERE billing_mode = 'on_demand' AND price_kind = 'list' AND share = 1 GROUP BY ALL) AS h
JOIN (SELECT provider, card, min(price_cny_per_card_hour) AS price_cny_per_card_hour
      FROM offers WHERE billing_mode = 'monthly' AND price_kind = 'list' AND share = 1 GROUP BY ALL) AS m
  ON m.provider = h.provider AND m.card = h.card
ORDER BY hours_to_break_even, h.provider, h.card;

--# 5. Whole machines with eight cards 八卡整机
SELECT provider, region, card, form, sku, billing_mode, price, currency, per_hours, price_cny_per_card_hour_gross
FROM offers
WHERE basis <> 'card' AND gpu_count = 8
ORDER BY price_cny_per_card_hour_gross, provider, offer_id;

--# 6. What interruptible machines save 可中断实例省多少
-- A negative saving is shown, not hidden.
SELECT s.provider, s.card, s.price_cny_per_card_hour AS spot, d.lowest AS on_demand,
       round(100 * (1 - s.price_cny_per_card_hour / d.lowest), 1) AS saving_pct
FROM offers AS s
JOIN (SELECT provider, card, min(price_cny_per_card_hour) AS lowest
      FROM offers WHERE billing_mode = 'on_demand' AND price_kind = 'list' AND share = 1 GROUP BY ALL) AS d
  ON d.provider = s.provider AND d.card = s.card
WHERE s.billing_mode = 'spot' AND s.share = 1
ORDER BY saving_pct DESC, s.provider;

--# 7. Member price beside list price 会员价与挂牌价
-- They are two offers and never meet in one series.
SELECT l.provider, l.card, l.price_cny_per_card_hour AS list, m.price_cny_per_card_hour AS member
FROM offers AS l
JOIN offers AS m
  ON m.provider = l.provider AND m.card = l.card AND m.price_kind = 'member' AND m.billing_mode = l.billing_mode
 AND m.region_code IS NOT DISTINCT FROM l.region_code AND m.share = l.share
WHERE l.price_kind = 'list'
ORDER BY l.provider, l.card;

--# 8. By province 分省最低
-- Macro-regions and nation-wide offers are no province.
SELECT r.short AS province, o.card, min(o.price_cny_per_card_hour_gross) AS lowest, count(*) AS offers
FROM offers AS o
JOIN regions AS r ON r.code = left(o.region_code, 2) || '0000' AND r.level = 'province'
WHERE o.billing_mode = 'on_demand' AND o.price_kind = 'list' AND o.share = 1
GROUP BY ALL
ORDER BY province, card;

--# 9. What lies in a region 某地区及其下属
SELECT o.provider, o.region, o.card, o.sku, o.billing_mode, o.price_cny_per_card_hour
FROM offers AS o
WHERE in_region(o.region_code, region_of('河北'))
ORDER BY o.price_cny_per_card_hour, o.provider, o.offer_id;

--# 10. Free cards 空闲卡数
-- NULL means that the source shows no stock; 0 that it is sold out.
SELECT card, sum(stock_idle) AS free, count(*) FILTER (WHERE in_stock IS NULL) AS offers_without_stock
FROM offers
GROUP BY card
ORDER BY free DESC NULLS LAST, card;

--# 11. Price per petaflops 算力单价
-- By the hour and for whole cards: an interruptible machine would win every time.
SELECT o.card, c.bf16_tflops, min(o.price_cny_per_card_hour_gross) AS lowest,
       round(1000 * min(o.price_cny_per_card_hour_gross) / c.bf16_tflops, 2) AS cny_per_pflops_hour
FROM offers AS o
JOIN cards AS c ON c.card = o.card
WHERE c.bf16_tflops IS NOT NULL AND o.share = 1 AND o.price_kind = 'list'
  AND o.billing_mode = 'on_demand'
GROUP BY o.card, c.bf16_tflops
ORDER BY cny_per_pflops_hour, o.card;

--# 12. The index of a cell, week by week 指数走势
-- Region NULL is the nation. `state` says whether a value may be quoted: `published` may, `indicative` with care,
-- `suppressed` not.
SELECT week, value, state, grade, n_offers, n_providers, n_imputed
FROM index_series(NULL, 'RTX4090', 'on_demand');

--# 13. This week's moves 本周变动
-- Without a grade nothing may be said of the direction yet.
SELECT region, card, billing_mode, round(100 * (link - 1), 2) AS change_pct, direction, state, grade, n_providers
FROM price_index
WHERE series = 'list' AND link IS NOT NULL
  AND week = (SELECT max(week) FROM price_index)
ORDER BY abs(link - 1) DESC, region, card, billing_mode;

--# 14. What the level is, by class of seller 各类平台价位
SELECT week, provider_class, min, p25, median, p75, n_offers, n_providers
FROM price_level
WHERE region_code = 'CN' AND card = 'RTX4090' AND billing_mode = 'on_demand' AND price_kind = 'list'
ORDER BY week, provider_class;

--# 15. Every sighting of one good 一个商品的历史
SELECT observed_at, price, currency, in_stock, quarantine, usable, run_id
FROM observations
WHERE offer_id = (SELECT offer_id FROM offers WHERE card = 'RTX4090' ORDER BY offer_id LIMIT 1)
ORDER BY observed_at;

--# 16. Prices as they stood at a moment, beside now 与某一时刻相比
-- `price_at(ts)` is the world at `ts`; `price_known_at(ts, known)` the same with what had been loaded by then.
SELECT n.provider, n.card, n.region_label, t.price AS then_price, n.price AS now_price
FROM offers AS n
JOIN price_at((SELECT built_at - INTERVAL 7 DAY FROM generation)) AS t ON t.offer_id = n.offer_id
WHERE n.price <> t.price
ORDER BY n.provider, n.card, n.offer_id;

--# 17. What is held back, and why 被隔离的观测
-- `quarantine` keeps a price out; `review` alone lets it in with a mark.
SELECT quarantine, review, provider, card, price_cny_per_card_hour, observed_at, obs_id
FROM observations
WHERE quarantine IS NOT NULL OR review IS NOT NULL
ORDER BY quarantine NULLS LAST, observed_at DESC, obs_id;

--# 18. What was refused, and why 被拒绝的挂牌
SELECT provider, reason, count(*) AS listings, min(card_text) AS example
FROM rejections
GROUP BY ALL
ORDER BY listings DESC, provider, reason;

--# 19. Nothing is lost: every run adds up 每批都对得上
SELECT provider, run_id, outcome, kept, rejections, quarantined, parsed,
       kept + rejections + quarantined = parsed AS adds_up
FROM runs
ORDER BY started_at DESC, provider
LIMIT 20;

--# 20. Which sources are stale 哪些来源过期了
-- `stale_since` is empty where the last run was good.
SELECT provider, name, last_outcome, last_ok_at, stale_since, live_offers
FROM providers
WHERE last_run_at IS NOT NULL
ORDER BY stale_since NULLS LAST, provider;

--# 21. Goods that are gone 下架或过期的商品
SELECT provider, card, region, price, currency, observed_at,
       CASE WHEN state = 'delisted' THEN 'absent from two complete runs'
            WHEN valid_until < (SELECT built_at FROM generation) THEN 'no longer valid'
            ELSE 'not seen for thirty days' END AS why
FROM offers_past
ORDER BY observed_at DESC, offer_id;

--# 22. Prices in other currencies 外币报价
-- `fx` names rate and day, or says that there is none; CNY prices never touch it.
SELECT provider, card, price, currency, fx, price_cny_per_card_hour
FROM offers
WHERE currency <> 'CNY'
ORDER BY provider, offer_id;

--# 23. The weekly table 周表
SELECT week, workload, region, rank, provider, card, gpu_count, billing_mode, total_cny_p50, total_cny_p90
FROM cheapest_fit
WHERE week = (SELECT max(week) FROM cheapest_fit)
ORDER BY workload, region, rank;

--# 24. One card in two places, week by week and by billing mode 两地同卡逐周比价
-- What a card-hour costs, CNY: the median of sellers, and how many sellers stand behind it. `ratio` is the second place
-- over the first. To a file: `--format csv`; `suanjia export DIR --format csv,xlsx` writes whole tables.
SELECT week, billing_mode, provider_class,
       max(median) FILTER (WHERE region_code = region_of('北京')) AS beijing,
       max(n_providers) FILTER (WHERE region_code = region_of('北京')) AS beijing_sellers,
       max(median) FILTER (WHERE region_code = region_of('广东')) AS guangdong,
       max(n_providers) FILTER (WHERE region_code = region_of('广东')) AS guangdong_sellers,
       (guangdong / beijing)::DECIMAL(18,3) AS ratio
FROM price_level
WHERE card = 'RTX4090' AND price_kind = 'list' AND region_code IN (region_of('北京'), region_of('广东'))
GROUP BY week, billing_mode, provider_class
ORDER BY week, billing_mode, provider_class;
