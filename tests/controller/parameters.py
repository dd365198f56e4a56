"""Any parameters that regulations may choose, for properties that must hold under all of them."""

from __future__ import annotations

from enum import Enum
from typing import Any

from hypothesis import strategies as st

from controller.game.rulesets import Params, RuleSet, fours, params_of, spots, values_of


def params() -> st.SearchStrategy[Params]:
    """Either rule set with any choice of its parameters."""
    free = {
        name: st.sampled_from([member.value for member in type(value)]) if isinstance(value, Enum) else st.booleans()
        for name, value in ((name, getattr(fours(), name)) for name in values_of(fours()))
        if isinstance(value, Enum | bool) and name not in ("rule_set", "scoring", "ladder")
    }
    free["at_once_moves"] = st.integers(0, 3)
    free["pass_retract_seconds"] = st.sampled_from([0.0, 5.0])

    def chosen(rule_set: RuleSet, values: dict[str, Any]) -> Params:
        base = values_of(fours() if rule_set is RuleSet.FOURS else spots())
        return params_of({**base, **values})

    some = st.lists(st.sampled_from(sorted(free)), max_size=5, unique=True)
    values = some.flatmap(lambda names: st.fixed_dictionaries({name: free[name] for name in names}))
    return st.builds(chosen, st.sampled_from(RuleSet), values)
