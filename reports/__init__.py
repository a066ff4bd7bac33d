"""Reports: the index joined with sizing. Cheapest fit, cost, rent or buy, vetting, the weekly issue."""
