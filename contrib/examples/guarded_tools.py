"""Plain functions as tools that ask Checkrail before they run, for any framework that takes them.

The model gets the reason as the tool's result where the call may not run. Examples for one framework each stand beside this one.

    from checkrail.client import Client, Guard
    guard = Guard(Client(session=run_id), means={"run_shell": "Bash"})
    agent = SomeFramework(tools=[guarded(run_shell, guard), guarded(search_tickets, guard)])
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from checkrail.client import Guard


def guarded(tool: Callable[..., Any], guard: Guard) -> Callable[..., Any]:
    """``tool`` with a question before each call."""
    name, signature = tool.__name__, inspect.signature(tool)

    def told(given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        return dict(signature.bind(*given, **named).arguments)

    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def asks_first(*given: Any, **named: Any) -> Any:
            arguments = told(given, named)
            refusal = await guard.refusal_async(name, arguments)
            if refusal:
                return refusal
            result = await tool(*given, **named)
            await guard.finished_async(name, arguments, result)
            return result

        return asks_first

    @functools.wraps(tool)
    def asks(*given: Any, **named: Any) -> Any:
        arguments = told(given, named)
        refusal = guard.refusal(name, arguments)
        if refusal:
            return refusal
        result = tool(*given, **named)
        guard.finished(name, arguments, result)
        return result

    return asks
