"""What a person changes while the table runs, as events of its log: matches, names, settings, pauses."""

from dataclasses import fields, replace
from typing import Any

from companion.errors import BadInput
from companion.log import Kind, TableState, match_rules, rules_payload
from companion.referee.by_hand import NotNow
from companion.referee.policy import RULING_KINDS, Handling, Policy
from companion.rules import MatchRules
from companion.table.requests import ChangeSettings, NewMatch, Pause, Rename, Request, Resume

Payload = dict[str, Any]


def change_of(request: Request, state: TableState, policy: Policy, rules: MatchRules) -> tuple[Kind, Payload] | None:
    """The event that such a request is, None for any other request.

    `policy` and `rules` are in force now. Raises `NotNow`, and BadInput for a setting that cannot be so.
    """
    if isinstance(request, NewMatch):
        given = match_rules({**rules_payload(rules), **(request.rules or {})})
        return Kind.MATCH, {"white": request.white, "black": request.black, "rules": rules_payload(given)}
    if isinstance(request, Rename):
        if state.match is None:
            raise NotNow("no match is on: begin one with these names")
        says = f"White is {request.white}, Black is {request.black}"
        return Kind.SETTINGS, {"says": says, "white": request.white, "black": request.black}
    if isinstance(request, ChangeSettings):
        return Kind.SETTINGS, _settings(request, state, policy, rules)
    if isinstance(request, Pause):
        if state.paused is not None:
            raise NotNow("the game is paused already")
        return Kind.PAUSE, {} if request.player is None else {"player": str(request.player)}
    if isinstance(request, Resume):
        if state.paused is None:
            raise NotNow("the game is not paused")
        return Kind.RESUME, {}
    return None


def _settings(request: ChangeSettings, state: TableState, policy: Policy, rules: MatchRules) -> Payload:
    payload: Payload = {}
    says: list[str] = []
    if request.rules:
        if state.match is None:
            raise NotNow("no match is on: its rules are set when one begins")
        new = match_rules({**rules_payload(rules), **request.rules})
        replace(state.match.score, rules=new)  # raises where the scoring board could not stand so
        says += _differences(rules_payload(rules), rules_payload(new))
        payload["rules"] = rules_payload(new)
    if request.policy:
        now = policy_payload(policy)
        payload["policy"] = policy_payload(policy_from({**now, **request.policy}))
        says += _differences(now, payload["policy"])
    if not says:
        raise NotNow("that is in force already")
    return {"says": ", ".join(says), **payload}


def _differences(before: Payload, after: Payload) -> list[str]:
    """For example `track steps from 7 to 5`."""

    def word(value: Any) -> str:
        return "off" if value is None or value is False else "on" if value is True else str(value)

    return [
        f"{name.replace('_', ' ')} from {word(before[name])} to {word(value)}"
        for name, value in after.items()
        if before[name] != value
    ]


def policy_payload(policy: Policy) -> dict[str, str]:
    """What is done with each kind of ruling, as JSON values; `policy_from` reads them back."""
    return {field.name: str(getattr(policy, field.name).value) for field in fields(Policy)}


def policy_from(values: dict[str, Any]) -> Policy:
    """Raises BadInput naming a kind or a handling that is not known."""
    handlings = {}
    for kind, value in values.items():
        if kind not in RULING_KINDS:
            raise BadInput(f"{kind!r} is no kind of ruling; known are {', '.join(RULING_KINDS)}")
        if value not in tuple(Handling):
            raise BadInput(f"{kind}: {value!r} is not one of {', '.join(Handling)}")
        handlings[kind] = Handling(value)
    return Policy(**handlings)
