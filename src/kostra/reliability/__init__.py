"""How far the scores can be trusted: one file per statistic."""
