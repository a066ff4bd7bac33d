"""What H hours cost, bought the smartest way from a set of billing modes."""

from reports.cost.modes import CostError, Mode, parse_rates
from reports.cost.optimum import Purchase, Solution, cheapest

__all__ = ["CostError", "Mode", "Purchase", "Solution", "cheapest", "parse_rates"]
