-- What every table and column means. docs/sql.md and docs/data-dictionary.md are made from these words. A column
-- that is not named here carries the comment of its namesake in an earlier table (warehouse/comments.py).

COMMENT ON TABLE offers IS '在售报价 live offers: the latest unheld observation of every good that is active or missing, at most 30 days old or within valid_until, as of generation.built_at';
COMMENT ON COLUMN offers.offer_id IS
    '报价编号 identity of the good: `offer:` and 16 hex digits over provider, site, region, zone, sku, card, form, gpu_count, share, bundle, billing_mode, term, price_kind, tier, currency, os';
COMMENT ON COLUMN offers.provider IS '平台 who sells; key of `providers`';
COMMENT ON COLUMN offers.provider_class IS '平台类别 marketplace, cloud or idc';
COMMENT ON COLUMN offers.site IS '站点 mainland or international: two price lists of one seller';
COMMENT ON COLUMN offers.region_code IS
    '地区代码 GB/T 2260 code of the finest level known (a municipality 110000), CN-N … CN-NW macro-region, CN national scope, 810000 Hong Kong, ISO code abroad, NULL pool or unknown';
COMMENT ON COLUMN offers.region IS '地区 short name of region_code';
COMMENT ON COLUMN offers.province IS '省 province of region_code';
COMMENT ON COLUMN offers.city IS '市 city of region_code; a municipality is its own city';
COMMENT ON COLUMN offers.zone IS '可用区 the source''s own zone';
COMMENT ON COLUMN offers.region_label IS '原文地区 the source''s own words for the place';
COMMENT ON COLUMN offers."precision" IS '地区精度 county, city, province, macro, nation or none';
COMMENT ON COLUMN offers.sku IS '规格名 named instance type, where the seller has such';
COMMENT ON COLUMN offers.card IS '显卡 canonical card without form factor; key of `cards`';
COMMENT ON COLUMN offers.vram_gb IS '单卡显存 GB of memory of one card; NULL unknown';
COMMENT ON COLUMN offers.form IS '形态 SXM, PCIE or NVL, only as the source says it';
COMMENT ON COLUMN offers.interconnect IS '互联 as the source says it';
COMMENT ON COLUMN offers.gpu_count IS
    '卡数 cards that one purchase of the quoted price covers; a fraction for a slice';
COMMENT ON COLUMN offers.share IS '份额 fraction of one card; 1 for whole cards';
COMMENT ON COLUMN offers.min_cards IS '起购卡数 fewest cards of one purchase; NULL not shown';
COMMENT ON COLUMN offers.max_cards IS
    '单机最多卡数 most cards of one purchase in one machine; NULL not shown';
COMMENT ON COLUMN offers.basis IS '计价对象 what one purchase is: card, server or device';
COMMENT ON COLUMN offers.vcpu IS 'vCPU that come with the purchase';
COMMENT ON COLUMN offers.ram_gb IS '内存 GB of RAM that come with the purchase';
COMMENT ON COLUMN offers.billing_mode IS
    '计费方式 on_demand, prepaid_hour, daily, weekly, monthly, yearly, reserved, spot, pack or serverless';
COMMENT ON COLUMN offers.term_hours IS '租期小时 hours of the term; NULL where there is none';
COMMENT ON COLUMN offers.price_kind IS
    '价格性质 list, member, public_discount, promo or floor; different kinds never meet in one series';
COMMENT ON COLUMN offers.tier IS
    '档位 the seller''s own class of service (community, secure, savings_plan …)';
COMMENT ON COLUMN offers.price IS
    '标价 price as printed, for per_hours hours and gpu_count cards, in currency';
COMMENT ON COLUMN offers.price_high IS '标价上限 upper end as printed; NULL for an open floor';
COMMENT ON COLUMN offers.upfront IS '预付 part paid once at the start of the term, same currency';
COMMENT ON COLUMN offers.currency IS '币种 ISO code of price';
COMMENT ON COLUMN offers.per_hours IS
    '标价时长 hours that price pays for: 1, 24, 168, 730, 2190, 4380, 8760 … (a month is 730 hours, a pack of N days 24·N)';
COMMENT ON COLUMN offers.price_cny_per_card_hour IS
    '每卡时价格 CNY per full card and hour, tax as printed; from other currencies at the dated rate in `fx`; NULL without one';
COMMENT ON COLUMN offers.price_cny_per_card_hour_gross IS
    '含税每卡时价格 the same with 6 % added where tax is excluded; rankings use this one';
COMMENT ON COLUMN offers.fx IS
    '汇率 rate and date that were used, or why there is none; NULL for CNY';
COMMENT ON COLUMN offers.is_floor IS '起价 a "from" price: no price of a definite good';
COMMENT ON COLUMN offers.tax IS '含税 included, excluded or unknown, as the source says it';
COMMENT ON COLUMN offers.listings IS
    '在售挂牌数 live listings that were merged into this offer, priced at their median';
COMMENT ON COLUMN offers.price_min IS '挂牌最低 lowest of those listings, as printed';
COMMENT ON COLUMN offers.price_max IS '挂牌最高 highest of those listings, as printed';
COMMENT ON COLUMN offers.stock_idle IS '空闲卡数 cards that are free; NULL not shown, 0 sold out';
COMMENT ON COLUMN offers.stock_total IS '总卡数 cards in all; NULL not shown';
COMMENT ON COLUMN offers.in_stock IS '有货 true, false or NULL where stock is not shown';
COMMENT ON COLUMN offers.scope IS
    '范围 what the price holds for: national, region, zone, pool or host';
COMMENT ON COLUMN offers.evidence_kind IS '证据类别 realtime, catalog, pricing, page or sheet';
COMMENT ON COLUMN offers.os IS '操作系统 where it is part of the good';
COMMENT ON COLUMN offers.valid_until IS '有效期 the source''s own end of validity';
COMMENT ON COLUMN offers.state IS
    '状态 active; missing = absent from one complete run of its provider since it was last seen (two: delisted, see offers_past)';
COMMENT ON COLUMN offers.observed_at IS '观测时间 when the source showed the price (UTC)';
COMMENT ON COLUMN offers.age_hours IS '时效 hours between observed_at and generation.built_at';
COMMENT ON COLUMN offers.review IS
    '复核 level_review: 2–3 times or a third to half of the usual level; spot_ge_ondemand: no cheaper than by the hour; kept, but look';
COMMENT ON COLUMN offers.run_id IS '批次 run that saw it; with provider key of `runs`';
COMMENT ON COLUMN offers.evidence IS '证据 SHA-256 of the response body or sheet in evidence/';
COMMENT ON COLUMN offers.locator IS
    '定位 where in the evidence: JSON pointer, CSS and row, sheet and row';
COMMENT ON COLUMN offers.source_url IS '来源网址 the real address of the page or API';

COMMENT ON TABLE offers_past IS '历史报价 goods that are no longer live: delisted, too old or expired, with their last unheld observation; columns as in `offers`';
COMMENT ON COLUMN offers_past.state IS
    '状态 delisted = absent from two complete runs of its provider; else the last state before it grew too old';

COMMENT ON VIEW observations IS '观测 every observation ever loaded; one told twice by two sheets stands once';
COMMENT ON COLUMN observations.obs_id IS
    '观测编号 `obs:` offer, time and printed price; an argument of `suanjia explain`';
COMMENT ON COLUMN observations.loaded_at IS
    '入库时间 when we learned of it (UTC); as-of answers filter on it';
COMMENT ON COLUMN observations.date_precision IS
    '日期精度 day, month or year; only day enters offers and index';
COMMENT ON COLUMN observations.trust IS '可信度 seller or seller_via_third_party enter offers';
COMMENT ON COLUMN observations.quarantine IS
    '隔离 why it is held back: conflict, level_hold, outlier; NULL = it counts';
COMMENT ON COLUMN observations.usable IS
    '计入 false where its run did not pass its gates: kept, but neither offer nor index';
COMMENT ON COLUMN observations.review IS
    '复核 level_review: 2–3 times or a third to half of the usual level; spot_ge_ondemand: no cheaper than by the hour; kept, but look';

COMMENT ON VIEW rejections IS '拒绝 listings that became no offer, each with its reason';
COMMENT ON COLUMN rejections.rejection_id IS
    '拒绝编号 `rej:` and a hash of what was printed; an argument of `suanjia explain`';
COMMENT ON COLUMN rejections.run_id IS '批次 run that saw it';
COMMENT ON COLUMN rejections.provider IS '平台 who sells';
COMMENT ON COLUMN rejections.reason IS '原因 reason code';
COMMENT ON COLUMN rejections.rule_version IS '规则版本 version of the rule that refused it';
COMMENT ON COLUMN rejections.card_text IS '原文显卡 card as printed';
COMMENT ON COLUMN rejections.region_text IS '原文地区 place as printed';
COMMENT ON COLUMN rejections.price_text IS '原文价格 price as printed';
COMMENT ON COLUMN rejections.observed_at IS '观测时间 when the source showed it (UTC)';

COMMENT ON VIEW runs IS '批次 every run of every provider: crawls and imported sheets';
COMMENT ON COLUMN runs.run_id IS '批次 name of the run; one import or crawl command';
COMMENT ON COLUMN runs.provider IS '平台 who was asked';
COMMENT ON COLUMN runs.kind IS '类别 crawl or import';
COMMENT ON COLUMN runs.started_at IS '开始 start (UTC)';
COMMENT ON COLUMN runs.ended_at IS '结束 end (UTC)';
COMMENT ON COLUMN runs.outcome IS
    '结果 ok, partial, empty, blocked, auth_needed, robots, layout_changed, gone or failed';
COMMENT ON COLUMN runs.complete IS
    '完整 it saw everything the provider offers: what is absent from it is missing';
COMMENT ON COLUMN runs.usable IS '计入 its prices count: it passed its gates, or it is a sheet';
COMMENT ON COLUMN runs.offers IS '报价数 offers of the run that are not held back';
COMMENT ON COLUMN runs.rejections IS '拒绝数 listings that were refused';
COMMENT ON COLUMN runs.quarantined IS
    '隔离数 listings that are held back: kept + rejections + quarantined = parsed';
COMMENT ON COLUMN runs.kept IS '采用数 listings behind the offers that count';
COMMENT ON COLUMN runs.parsed IS '解析数 prices that were read';
COMMENT ON COLUMN runs.declared_total IS '声明总数 rows that the source says it has';
COMMENT ON COLUMN runs.distinct_keys IS '不同键数 different rows among those received';
COMMENT ON COLUMN runs.requests IS '请求数 requests sent';
COMMENT ON COLUMN runs.robots_verdict IS 'robots robots.txt as it was read in this run';
COMMENT ON COLUMN runs.parser_version IS '解析版本 version of the reader';
COMMENT ON COLUMN runs.failed_gates IS '未过闸门 names of the gates that failed';
COMMENT ON COLUMN runs.message IS '说明 what a person should know';
COMMENT ON COLUMN runs.loaded_at IS '入库时间 when the run was loaded (UTC)';

COMMENT ON TABLE providers IS '平台 who sells: facts of the provider file, and when it was last seen';
COMMENT ON COLUMN providers.provider IS '平台代号 slug, key';
COMMENT ON COLUMN providers.name IS '名称 name';
COMMENT ON COLUMN providers."class" IS '类别 marketplace, cloud, idc, assessment or article';
COMMENT ON COLUMN providers.status IS
    '状态 active, paused, closed, not_built or excluded; NULL = known from sheets alone';
COMMENT ON COLUMN providers.homepage IS '主页 home page';
COMMENT ON COLUMN providers.reason IS '缘由 why it is closed, excluded or not built';
COMMENT ON COLUMN providers.known_as IS
    '路径依据 per route: verified live on a date, or documented';
COMMENT ON COLUMN providers.granularity_s IS '计量粒度 seconds that the meter rounds up to';
COMMENT ON COLUMN providers.min_charge_s IS '最低计费 seconds that are billed at least';
COMMENT ON COLUMN providers.free_disk_gb IS '免费磁盘 GB of disk without charge';
COMMENT ON COLUMN providers.disk_cny_per_gb_day IS '磁盘价 CNY per GB and day beyond that';
COMMENT ON COLUMN providers.free_traffic_gb IS '免费流量 GB of traffic without charge';
COMMENT ON COLUMN providers.traffic_cny_per_gb IS '流量价 CNY per GB beyond that';
COMMENT ON COLUMN providers.deposit_cny IS '押金 deposit in CNY, given back';
COMMENT ON COLUMN providers.retention_days IS '数据保留 days that data stays after the end';
COMMENT ON COLUMN providers.robots_verdict IS 'robots robots.txt on robots_as_of';
COMMENT ON COLUMN providers.robots_as_of IS '日期 day on which robots.txt was read';
COMMENT ON COLUMN providers.terms_url IS '条款 terms of service';
COMMENT ON COLUMN providers.last_run_at IS '最近批次 end of the last run (UTC)';
COMMENT ON COLUMN providers.last_outcome IS '最近结果 its outcome';
COMMENT ON COLUMN providers.last_ok_at IS '最近成功 end of the last run that counts (UTC)';
COMMENT ON COLUMN providers.stale_since IS
    '过期起 last good run, where a later one failed: what is shown is as old as this (UTC)';
COMMENT ON COLUMN providers.live_offers IS '在售数 rows of `offers`';

COMMENT ON TABLE cards IS '显卡 goods of the card catalog with their figures; of the weakest form where forms differ';
COMMENT ON COLUMN cards.card IS '显卡 canonical name, key';
COMMENT ON COLUMN cards.vendor IS '厂商 maker';
COMMENT ON COLUMN cards.arch IS '架构 architecture';
COMMENT ON COLUMN cards.compute_capability IS 'CUDA compute capability';
COMMENT ON COLUMN cards.launch_year IS '发布年 year';
COMMENT ON COLUMN cards.family IS '系列 joins the sizes of one card';
COMMENT ON COLUMN cards.vram_gb IS '显存 GB; NULL = bare name, size open';
COMMENT ON COLUMN cards.visible_gib IS '可见显存 GiB that a program sees';
COMMENT ON COLUMN cards.forms IS '形态 forms it is made in';
COMMENT ON COLUMN cards.nvlink_gb_s IS 'NVLink GB/s, both directions';
COMMENT ON COLUMN cards.mem_bw_gb_s IS '显存带宽 GB/s';
COMMENT ON COLUMN cards.bf16_tflops IS 'BF16 dense TFLOPS';
COMMENT ON COLUMN cards.fp16_tflops IS 'FP16 dense TFLOPS with FP32 accumulation';
COMMENT ON COLUMN cards.fp8_tflops IS 'FP8 dense TFLOPS';
COMMENT ON COLUMN cards.tdp_w IS '功耗 W';
COMMENT ON COLUMN cards.pcie IS 'PCIe generation';
COMMENT ON COLUMN cards.p2p IS '卡间直连 peer to peer';
COMMENT ON COLUMN cards.modified IS '改装 a card that was re-fitted or is virtual';
COMMENT ON COLUMN cards.note IS '说明 note';
COMMENT ON COLUMN cards.source IS '来源 where the figures are from';
COMMENT ON COLUMN cards.as_of IS '日期 when they were read';
COMMENT ON COLUMN cards.confidence IS '把握 how sure they are';

COMMENT ON TABLE card_aliases IS '显卡别名 spellings that mean one card wherever they are read';
COMMENT ON COLUMN card_aliases.alias IS '写法 spelling';
COMMENT ON COLUMN card_aliases.card IS '显卡 key of `cards`';

COMMENT ON TABLE regions IS '地区 GB/T 2260 places, macro-regions and the nation';
COMMENT ON COLUMN regions.code IS '代码 GB/T 2260, CN-N … CN-NW, CN; key';
COMMENT ON COLUMN regions.name IS '全称 full name';
COMMENT ON COLUMN regions.short IS '简称 short name, as `offers.region` shows it';
COMMENT ON COLUMN regions.level IS '级别 nation, macro, province, city or county';
COMMENT ON COLUMN regions.province_code IS '省代码';
COMMENT ON COLUMN regions.city_code IS '市代码';
COMMENT ON COLUMN regions.macro IS '大区 macro-region';
COMMENT ON COLUMN regions.macro_code IS '大区代码 CN-N … CN-NW';
COMMENT ON COLUMN regions.hub IS '算力枢纽 national computing hub';
COMMENT ON COLUMN regions.pinyin IS '拼音';
COMMENT ON COLUMN regions.english IS '英文名 English name';

COMMENT ON TABLE region_aliases IS '地区别名 names that mean one place alone, lower case';
COMMENT ON COLUMN region_aliases.alias IS '写法 name';
COMMENT ON COLUMN region_aliases.code IS '地区代码 key of `regions`';

COMMENT ON TABLE fx_rates IS '汇率 the user''s dated exchange rates; they touch only offers that are not in CNY';
COMMENT ON COLUMN fx_rates."date" IS '日期 day of the rate';
COMMENT ON COLUMN fx_rates.pair IS '货币对 e.g. USD/CNY';
COMMENT ON COLUMN fx_rates.rate IS '汇率 CNY of one unit';
COMMENT ON COLUMN fx_rates.source IS '来源 where it is from';

COMMENT ON TABLE workloads IS '任务 the jobs of the weekly table';
COMMENT ON COLUMN workloads.name IS '名称 name';
COMMENT ON COLUMN workloads.spec IS '定义 definition as JSON';

COMMENT ON TABLE reviews IS '复核记录 what people decided about held observations';
COMMENT ON COLUMN reviews.id IS '观测编号 obs_id';
COMMENT ON COLUMN reviews.action IS '决定 release or refuse';
COMMENT ON COLUMN reviews.reviewer IS '决定人 who';
COMMENT ON COLUMN reviews.reason IS '理由 why';
COMMENT ON COLUMN reviews.decided_at IS '时间 when (UTC)';

COMMENT ON TABLE generation IS '本期 one row: which database this is';
COMMENT ON COLUMN generation.name IS '文件名 file name';
COMMENT ON COLUMN generation.week IS '周 Monday of the running week, Shanghai';
COMMENT ON COLUMN generation.vintage IS '版次 revision within the week';
COMMENT ON COLUMN generation.built_at IS '生成时间 the clock of the build (UTC)';
COMMENT ON COLUMN generation.code_version IS '程序版本';
COMMENT ON COLUMN generation.method_version IS '方法版本 of the index';
COMMENT ON COLUMN generation.input_hash IS
    '输入哈希 SHA-256 over segments, rates, reviews, catalog and versions';
COMMENT ON COLUMN generation.duckdb_version IS 'DuckDB version that wrote the file';

COMMENT ON TABLE cheapest_fit IS '周表 cheapest fit: workload × region × rank';
COMMENT ON COLUMN cheapest_fit.week IS '周 Monday of the week, Shanghai';
COMMENT ON COLUMN cheapest_fit.workload IS '任务 key of `workloads`';
COMMENT ON COLUMN cheapest_fit.region_code IS '地区代码 of the question';
COMMENT ON COLUMN cheapest_fit.region IS '地区 its name';
COMMENT ON COLUMN cheapest_fit.rank IS '名次 1 = cheapest total';
COMMENT ON COLUMN cheapest_fit.offer_id IS '报价编号 offer that is bought';
COMMENT ON COLUMN cheapest_fit.provider IS '平台 who sells';
COMMENT ON COLUMN cheapest_fit.card IS '显卡 card';
COMMENT ON COLUMN cheapest_fit.gpu_count IS '购买卡数 cards that are bought';
COMMENT ON COLUMN cheapest_fit.cards_used IS '使用卡数 cards that the plan uses';
COMMENT ON COLUMN cheapest_fit.nodes IS '机器数 machines';
COMMENT ON COLUMN cheapest_fit.billing_mode IS '计费方式 billing mode';
COMMENT ON COLUMN cheapest_fit.strategy IS '策略 how the job is spread over the cards';
COMMENT ON COLUMN cheapest_fit.hours_p50 IS '小时 P50 hours, middle estimate';
COMMENT ON COLUMN cheapest_fit.hours_p90 IS '小时 P90 hours, cautious estimate';
COMMENT ON COLUMN cheapest_fit.total_cny_p50 IS
    '总价 P50 CNY: compute, storage and traffic, tax included';
COMMENT ON COLUMN cheapest_fit.total_cny_p90 IS '总价 P90 the same on the cautious estimate';
COMMENT ON COLUMN cheapest_fit.price_cny_per_card_hour IS '每卡时价格 CNY as printed';
COMMENT ON COLUMN cheapest_fit.observed_at IS '观测时间 (UTC)';
COMMENT ON COLUMN cheapest_fit.age_hours IS '时效 hours to the freeze of the issue';
COMMENT ON COLUMN cheapest_fit.grade IS '等级 grade of the index cell';
COMMENT ON COLUMN cheapest_fit.mark IS '标记 one mark: old, sold out, interruptible …';
COMMENT ON COLUMN cheapest_fit.proof IS '依据 how the fit was found to fit';
COMMENT ON COLUMN cheapest_fit.margin_to_next_pct IS '领先 percent to the next rank';
COMMENT ON COLUMN cheapest_fit.source_url IS '来源网址';

COMMENT ON TABLE store.run IS '批次 a segment that was loaded, one row';
COMMENT ON COLUMN store.run.run IS '编号';
COMMENT ON COLUMN store.run.seen_until IS '最晚观测 latest observation in it (UTC)';
COMMENT ON COLUMN store.run.schema_version IS '段格式版本';
COMMENT ON COLUMN store.run.segment_hash IS '段哈希 over run, provider and files';
COMMENT ON COLUMN store.run.held IS '隔离数 listings held back by the pipeline';
COMMENT ON COLUMN store.run.kept IS '采用数 listings behind its offers';

COMMENT ON TABLE store.good IS '商品 what hardly ever changes of an offer; several rows where something beside the identity changed';
COMMENT ON COLUMN store.good.good IS '编号';

COMMENT ON TABLE store.source IS '来源 a body of evidence of a run';
COMMENT ON COLUMN store.source.source IS '编号';
COMMENT ON COLUMN store.source.run IS '批次编号 key of store.run';

COMMENT ON TABLE store.fact IS '观测 one price of one good at one time, in the order of time; append-only';
COMMENT ON COLUMN store.fact.obs IS '编号 in the order of loading';
COMMENT ON COLUMN store.fact.good IS '商品编号';
COMMENT ON COLUMN store.fact.run IS '批次编号';
COMMENT ON COLUMN store.fact.source IS '来源编号';
COMMENT ON COLUMN store.fact.cny IS
    '每卡时 CNY per card-hour as printed, NULL for other currencies';
COMMENT ON COLUMN store.fact.cny_gross IS '含税每卡时 with tax';
COMMENT ON COLUMN store.fact.conflict IS
    '冲突 held by the pipeline: two prices of one good at once';
COMMENT ON COLUMN store.fact.twin IS '重复 the same good more than once in its run';

COMMENT ON VIEW store.observation IS '观测 every observation with the number that the store gave it';
COMMENT ON COLUMN store.observation.obs IS '编号 in the order of loading';

COMMENT ON TABLE store.note IS '批注 what the builder found about single observations';
COMMENT ON COLUMN store.note.obs IS '观测编号';
COMMENT ON COLUMN store.note.repeated IS '重复 the same sighting told again by a later sheet';
COMMENT ON COLUMN store.note.cny IS '每卡时 CNY per card-hour at the dated rate';
COMMENT ON COLUMN store.note.cny_gross IS '含税每卡时 with tax';

COMMENT ON TABLE store.rejection IS '拒绝 a listing that became no offer';
COMMENT ON COLUMN store.rejection.run IS '批次编号';

COMMENT ON MACRO region_of IS 'code of a place by name, short name, pinyin or code';
COMMENT ON MACRO in_region IS 'whether a place lies in a region: in_region(region_code, wanted_code)';
COMMENT ON MACRO in_mainland IS 'whether a place is in mainland China; unknown places count';
COMMENT ON MACRO is_slice IS 'whether a good is part of a card or a virtual card';
COMMENT ON MACRO TABLE price_at IS 'price_at(ts): the latest unheld observation of every good at a moment of the world';
COMMENT ON MACRO TABLE price_known_at IS 'price_known_at(ts, known): the same with what had been loaded by `known`';
COMMENT ON MACRO TABLE purchases IS 'purchases(cards): what can be bought of every live offer so that at least so many cards stand in one machine';
COMMENT ON MACRO TABLE cheapest IS 'cheapest(card, gpu_count, region): live on-demand offers by price, as of the build; NULL = no matter';
