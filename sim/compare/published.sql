-- Figures published for what a scenario reproduces; `fairway compare` prints
-- them beside ours.  To add some, add rows: nothing else knows of them.
--
--   scenario  by its name
--   policy    by its label, or its name where the label says otherwise
--   against   '': the metric itself; else its ratio to the value of POLICY, or of
--             SCENARIO/POLICY where that is another scenario of the same database
--   metric    of results/README.md, scope all
--   is        '=': the figure is `value`; '<', '>': the text says it lies on that
--             side of `value`; '~': within `within` of it
--   source    document and place
--
-- The flow paper: "min-cost max-task scheduling of data-intensive GPU jobs", seed 4
-- of the source documents.  It defines the ideal time twice (5.2: on 1/m of the
-- cluster, 5.3.2: on all of it) and does not say which its fairness figures are
-- of, so both are shown.  The order and sign claims of its Figures 5 to 7 are 61, those of flow-k6 with the ideal on
-- a share of the cluster and those of flow-k6-10g.
WITH published (scenario, policy, against, metric, "is", value, within, source) AS (VALUES
    -- The flow paper's Table 1: each job by itself.  Bytes: 1.3 TB for each policy, 25, 23, 16 % in-rack; 15, 12, 9 % between racks.
    ('flow-k1', 'gs',  '',   'dt',          '=', 825.6,  NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fs',  '',   'dt',          '=', 808.2,  NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fsp', '',   'dt',          '=', 782.3,  NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fs',  'gs', 'dt',          '=', 0.979,  NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fsp', 'gs', 'dt',          '=', 0.948,  NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'gs',  '',   'bytes_read',  '=', 1.3e12, NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'gs',  '',   'rack_share',  '=', 0.25,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fs',  '',   'rack_share',  '=', 0.23,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fsp', '',   'rack_share',  '=', 0.16,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'gs',  '',   'cross_share', '=', 0.15,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fs',  '',   'cross_share', '=', 0.12,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fsp', '',   'cross_share', '=', 0.09,   NULL, 'flow paper, Table 1 (S4-27)'),
    ('flow-k1', 'fs',  'gs', 'dt',          '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    ('flow-k1', 'fsp', 'fs', 'dt',          '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    ('flow-k1', 'fs',  'gs', 'rack_share',  '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    ('flow-k1', 'fsp', 'fs', 'rack_share',  '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    ('flow-k1', 'fs',  'gs', 'cross_share', '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    ('flow-k1', 'fsp', 'fs', 'cross_share', '<', 1,      NULL, 'flow paper, Table 1: order (S4-27)'),
    -- Figures 5 and 6, as far as the prose quotes them: aggregation 1 Gb/s, six jobs at a time.
    ('flow-k6', 'gsp', 'gs', 'span_mean', '<', 1, NULL, 'flow paper, 5.3.2: single-job time lowest with preemption (S4-28)'),
    ('flow-k6', 'gsd', 'gsp', 'span_mean', '>', 1, NULL, 'flow paper, 5.3.2: slightly longer with delay (S4-28)'),
    ('flow-k6', 'fsp', 'fs', 'span_mean', '<', 1, NULL, 'flow paper, 5.3.2: single-job time lowest with preemption (S4-28)'),
    ('flow-k6', 'fsu', 'fsp', 'span_mean', '>', 1, NULL, 'flow paper, 5.3.2: slightly longer without fairness (S4-28)'),
    ('flow-k6', 'fs', 'gs', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fs', 'gsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fs', 'gsd', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gs', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gsd', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gs', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gsd', 'dt', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fs', 'gs', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fs', 'gsp', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fs', 'gsd', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gs', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gsp', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsp', 'gsd', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gs', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gsp', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'gsd', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2, 6: flow beats GS (S4-29)'),
    ('flow-k6', 'fsu', 'fs', 'dt', '<', 1, NULL, 'flow paper, 5.3.2: FSU lowest (S4-29)'),
    ('flow-k6', 'fsu', 'fsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.2: FSU lowest (S4-29)'),
    ('flow-k6', 'fsu', 'fs', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2: FSU lowest (S4-29)'),
    ('flow-k6', 'fsu', 'fsp', 'bytes_network', '<', 1, NULL, 'flow paper, 5.3.2: FSU lowest (S4-29)'),
    ('flow-k6', 'fsu', 'fsp', 's_share_sigma', '>', 1, NULL, 'flow paper, 5.3.2: FSU less fair (S4-29)'),
    ('flow-k6', 'gsd', 'gs', 'dt', '<', 1, NULL, 'flow paper, 5.3.2: delay shortens DT (S4-30)'),
    ('flow-k6', 'gsd', 'gs', 's_share_sigma', '>', 1, NULL, 'flow paper, 5.3.2: delay is less fair (S4-30)'),
    ('flow-k6', 'fs', 'gs', 'dt', '<', 0.9, NULL, 'flow paper, 1: run time at least 10 % better (S4-31)'),
    ('flow-k6', 'fsp', 'gs', 's_share_mean', '>', 1.5, NULL, 'flow paper, 1: fairness at least 1.5 times (S4-31)'),
    -- The same by the ideal on the whole cluster, and the magnitudes.
    ('flow-k6', 'fsu', 'fsp', 's_whole_sigma', '>', 1, NULL, 'flow paper, 5.3.2: FSU less fair (S4-29)'),
    ('flow-k6', 'gsd', 'gs', 's_whole_sigma', '>', 1, NULL, 'flow paper, 5.3.2: delay is less fair (S4-30)'),
    ('flow-k6', 'fsp', 'gs', 's_whole_mean', '>', 1.5, NULL, 'flow paper, 1: fairness at least 1.5 times (S4-31)'),
    ('flow-k6', 'fsu', '', 's_share_sigma', '=', 0.32, NULL, 'flow paper, 5.3.2 (S4-29)'),
    ('flow-k6', 'fsu', '', 's_whole_sigma', '=', 0.32, NULL, 'flow paper, 5.3.2 (S4-29)'),
    ('flow-k6', 'fsu', 'fsp', 's_share_sigma', '=', 1.25, NULL, 'flow paper, 5.3.2: about 25 % from preemptive (S4-29)'),
    ('flow-k6', 'fsu', 'fsp', 's_whole_sigma', '=', 1.25, NULL, 'flow paper, 5.3.2: about 25 % from preemptive (S4-29)'),
    ('flow-k6', 'fsp', '', 's_share_mean', '=', 0.90, NULL, 'flow paper, abstract: about 90 %; 6: about 92 % (S4-31)'),
    ('flow-k6', 'fsp', '', 's_whole_mean', '=', 0.90, NULL, 'flow paper, abstract: about 90 %; 6: about 92 % (S4-31)'),
    -- Figure 7: aggregation 10 Gb/s, beside 1 Gb/s.  "About the same" is within a tenth.
    ('flow-k6-10g', 'gs', 'flow-k6/gs', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'gsp', 'flow-k6/gsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'gsd', 'flow-k6/gsd', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'fs', 'flow-k6/fs', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'fsp', 'flow-k6/fsp', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'fsu', 'flow-k6/fsu', 'dt', '<', 1, NULL, 'flow paper, 5.3.3: DT down for all (S4-32)'),
    ('flow-k6-10g', 'gs', 'flow-k6/gs', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'gsp', 'flow-k6/gsp', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'gsd', 'flow-k6/gsd', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'fs', 'flow-k6/fs', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'fsp', 'flow-k6/fsp', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'fsu', 'flow-k6/fsu', 's_share_sigma', '~', 1, 0.1, 'flow paper, 5.3.3: little change (S4-32)'),
    ('flow-k6-10g', 'gs', 'flow-k6/gs', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'gsp', 'flow-k6/gsp', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'gsd', 'flow-k6/gsd', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'fs', 'flow-k6/fs', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'fsp', 'flow-k6/fsp', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'fsu', 'flow-k6/fsu', 'bytes_cross', '>', 1, NULL, 'flow paper, 5.3.3: more between racks (S4-32)'),
    ('flow-k6-10g', 'gs', 'flow-k6/gs', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'gsp', 'flow-k6/gsp', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'gsd', 'flow-k6/gsd', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'fs', 'flow-k6/fs', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'fsp', 'flow-k6/fsp', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'fsu', 'flow-k6/fsu', 'bytes_rack', '~', 1, 0.1, 'flow paper, 5.3.3: in-rack about the same (S4-32)'),
    ('flow-k6-10g', 'gs', 'flow-k6/gs', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    ('flow-k6-10g', 'gsp', 'flow-k6/gsp', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    ('flow-k6-10g', 'gsd', 'flow-k6/gsd', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    ('flow-k6-10g', 'fs', 'flow-k6/fs', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    ('flow-k6-10g', 'fsp', 'flow-k6/fsp', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    ('flow-k6-10g', 'fsu', 'flow-k6/fsu', 'bytes_local', '<', 1, NULL, 'flow paper, 5.3.3: less read locally (S4-32)'),
    -- J37 added: about the same run times, for which we allow 2 %.
    ('flow-j37', 'fs',  'flow-k6/fs',  'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    ('flow-j37', 'fsp', 'flow-k6/fsp', 'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    ('flow-j37', 'fsu', 'flow-k6/fsu', 'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    ('flow-j37-10g', 'fs', 'flow-k6-10g/fs', 'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    ('flow-j37-10g', 'fsp', 'flow-k6-10g/fsp', 'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    ('flow-j37-10g', 'fsu', 'flow-k6-10g/fsu', 'dt', '~', 1, 0.02, 'flow paper, 5.3.4 (S4-33)'),
    -- Ten users with six random jobs each.
    ('flow-users', 'fs', 'fair',     'dt', '=', 0.9048, NULL, 'flow paper, 5.4: 9.52 % less than fair (S4-34)'),
    ('flow-users', 'fs', 'capacity', 'dt', '=', 0.8873, NULL, 'flow paper, 5.4: 11.27 % less than capacity (S4-34)'),
    ('flow-users', 'fs', 'fair',     'dt', '<', 1,      NULL, 'flow paper, 5.4: order (S4-34)'),
    ('flow-users', 'fs', 'capacity', 'dt', '<', 1,      NULL, 'flow paper, 5.4: order (S4-34)'),
    -- FGD's own simulator on the default trace, from its repository's expected results: fragments among free GPUs.
    ('fgd', 'fgd',     '', 'frag_at_80', '=', 0.299, NULL, 'FGD repository, expected results'),
    ('fgd', 'fgd',     '', 'frag_at_90', '=', 0.500, NULL, 'FGD repository, expected results'),
    ('fgd', 'best',    '', 'frag_at_80', '=', 0.415, NULL, 'FGD repository, expected results (BestFit)'),
    ('fgd', 'best',    '', 'frag_at_90', '=', 0.741, NULL, 'FGD repository, expected results (BestFit)'),
    ('fgd', 'packing', '', 'frag_at_80', '=', 0.464, NULL, 'FGD repository, expected results (Packing)'),
    ('fgd', 'packing', '', 'frag_at_90', '=', 0.836, NULL, 'FGD repository, expected results (Packing)'),
    ('fgd', 'fgd', 'best',    'frag_at_80', '<', 1,  NULL, 'FGD repository, expected results (order)'),
    ('fgd', 'fgd', 'best',    'frag_at_90', '<', 1,  NULL, 'FGD repository, expected results (order)'),
    ('fgd', 'fgd', 'packing', 'frag_at_80', '<', 1,  NULL, 'FGD repository, expected results (order)'),
    ('fgd', 'fgd', 'packing', 'frag_at_90', '<', 1,  NULL, 'FGD repository, expected results (order)'),
    ('fgd', 'best', 'packing', 'frag_at_90', '<', 1, NULL, 'FGD repository, expected results (order)')
)
SELECT policy, against, metric, "is", value, within, source FROM published WHERE scenario = ?1
