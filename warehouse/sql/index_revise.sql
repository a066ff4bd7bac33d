-- Vintages. A row that stands as it was published keeps its vintage and date; one that was final and differs is a
-- correction: vintage + 1, and the old value goes to index_revisions with the reason. In: ix_fresh (price_index
-- without vintage), ix_before, ix_revised_before (tables of the previous generation, empty for the first),
-- ix_late (card, billing_mode, price_kind, week: first week that history loaded since then belongs to), ix_reviewed
-- (card, billing_mode, price_kind), variables ix_as_of, ix_method, ix_same_code. Out: ix_price_index, ix_revisions.
CREATE OR REPLACE TEMP TABLE ix_matched AS
SELECT n.*, o.vintage AS old_vintage, o.published_at AS old_published_at, o.supersedes AS old_supersedes,
       o.note AS old_note,
       o.week IS NOT NULL AND o.value IS NOT DISTINCT FROM n.value AND o.link IS NOT DISTINCT FROM n.link
           AND o.state = n.state AND o.method_version = n.method_version AS same,
       o.week IS NOT NULL AND o.status = 'final'
           AND (o.value IS DISTINCT FROM n.value OR o.state <> n.state) AS corrected
FROM ix_fresh AS n
LEFT JOIN ix_before AS o
  ON o.series = n.series AND o.region_code = n.region_code AND o.card = n.card
 AND o.billing_mode = n.billing_mode AND o.price_kind = n.price_kind AND o.week = n.week;

CREATE OR REPLACE TEMP MACRO ix_why(mode_changed, late, reviewed) AS
    CASE WHEN mode_changed THEN 'method' WHEN late THEN 'late_history' WHEN reviewed THEN 'review' ELSE 'code' END;

CREATE OR REPLACE TEMP TABLE ix_price_index AS
SELECT m.* EXCLUDE (flags, share_moved, direction, status, note, old_vintage, old_published_at, old_supersedes,
                    old_note, same, corrected),
       CASE WHEN m.corrected THEN m.old_vintage + 1 ELSE coalesce(m.old_vintage, 1) END AS vintage,
       CASE WHEN m.same THEN m.old_published_at ELSE getvariable('ix_as_of') END AS published_at,
       m.flags, m.share_moved, m.direction, m.status,
       CASE WHEN m.corrected THEN m.old_vintage ELSE m.old_supersedes END AS supersedes,
       CASE WHEN m.corrected
            THEN ix_why(o.method_version <> m.method_version, l.week IS NOT NULL, r.card IS NOT NULL)
            ELSE coalesce(m.old_note, m.note) END AS note
FROM ix_matched AS m
LEFT JOIN ix_before AS o
  ON o.series = m.series AND o.region_code = m.region_code AND o.card = m.card
 AND o.billing_mode = m.billing_mode AND o.price_kind = m.price_kind AND o.week = m.week
LEFT JOIN ix_late AS l
  ON l.card = m.card AND l.billing_mode = m.billing_mode AND l.price_kind = m.price_kind AND l.week <= m.week
LEFT JOIN ix_reviewed AS r
  ON r.card = m.card AND r.billing_mode = m.billing_mode AND r.price_kind = m.price_kind;

CREATE OR REPLACE TEMP TABLE ix_revisions AS
SELECT * FROM ix_revised_before
UNION ALL
SELECT o.series, o.region_code, o.card, o.billing_mode, o.price_kind, o.week, o.vintage, n.vintage, o.value,
       n.value, o.link, n.link,
       CASE WHEN n.week IS NOT NULL THEN n.note
            ELSE ix_why(o.method_version <> getvariable('ix_method'), l.week IS NOT NULL, r.card IS NOT NULL) END,
       coalesce(abs(n.value / o.value - 1) >= 0.005, true),
       o.published_at, getvariable('ix_as_of')
FROM ix_before AS o
LEFT JOIN ix_price_index AS n
  ON o.series = n.series AND o.region_code = n.region_code AND o.card = n.card
 AND o.billing_mode = n.billing_mode AND o.price_kind = n.price_kind AND o.week = n.week
LEFT JOIN ix_late AS l
  ON l.card = o.card AND l.billing_mode = o.billing_mode AND l.price_kind = o.price_kind AND l.week <= o.week
LEFT JOIN ix_reviewed AS r
  ON r.card = o.card AND r.billing_mode = o.billing_mode AND r.price_kind = o.price_kind
WHERE o.status = 'final'
  AND (n.week IS NULL OR n.value IS DISTINCT FROM o.value OR n.state <> o.state);
