-- Which observations a reviewer's decision is about: its own, and later ones of the same good within one per cent.
-- In: ix_decision (place, obs, action, word), ix_fact, ix_good. Out: ix_verdict (obs, action, word).
CREATE OR REPLACE TEMP TABLE ix_decided AS
SELECT d.place, d.action, d.word, g.offer_id, f.t, f.micro
FROM ix_decision AS d
JOIN ix_fact AS f ON f.obs = d.obs
JOIN ix_good AS g ON g.good = f.good;

CREATE OR REPLACE TEMP TABLE ix_verdict AS
SELECT f.obs, arg_max(d.action, d.place) AS action, arg_max(d.word, d.place) AS word
FROM ix_decided AS d
JOIN ix_good AS g ON g.offer_id = d.offer_id
JOIN ix_fact AS f ON f.good = g.good AND f.t >= d.t AND abs(f.micro - d.micro) * 100 <= d.micro
GROUP BY f.obs;
