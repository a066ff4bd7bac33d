-- Runs from $1 on whose rows are not those that their manifest counts.
SELECT 'the manifest counts ' || r.offers || ' offers of ' || r.kept || ' + ' || r.held || ' readings and '
       || r.rejections || ' rejections, the files hold ' || coalesce(f.offers, 0) || ' of '
       || coalesce(f.kept, 0) || ' + ' || coalesce(f.held, 0) || ' and ' || coalesce(j.rejections, 0)
FROM store.run AS r
LEFT JOIN (SELECT run, count(*) AS offers, coalesce(sum(listings) FILTER (WHERE NOT conflict), 0) AS kept,
                  coalesce(sum(listings) FILTER (WHERE conflict), 0) AS held
           FROM store.fact WHERE run >= $1 GROUP BY run) AS f ON f.run = r.run
LEFT JOIN (SELECT run, count(*) AS rejections
           FROM store.rejection WHERE run >= $1 GROUP BY run) AS j ON j.run = r.run
WHERE r.run >= $1
  AND (r.offers, r.kept, r.held, r.rejections)
      <> (coalesce(f.offers, 0), coalesce(f.kept, 0), coalesce(f.held, 0), coalesce(j.rejections, 0))
LIMIT 1;
