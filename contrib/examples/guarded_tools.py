"""Tools of an agent framework that ask Checkrail before they run.

Most Python frameworks take plain functions as tools and call them with keyword arguments. ``guarded`` wraps one: the model
gets the reason as the tool's result where the call may not run, and learns how a person can let it through.

    from checkrail.client import Client
    tools = [guarded(run_shell, Client(session=run_id), means="Bash"), guarded(search_tickets, client)]
    agent = SomeFramework(tools=tools)
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from checkrail.client import Client, Unavailable


def guarded(tool: Callable[..., Any], checkrail: Client, *, means: str = "") -> Callable[..., Any]:
    """``tool`` with a question before each call. ``means`` is the name that Checkrail knows it by, usually its own."""
    name = means or tool.__name__
    signature = inspect.signature(tool)

    def told(given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        return dict(signature.bind(*given, **named).arguments)

    if inspect.iscoroutinefunction(tool):

        @functools.wraps(tool)
        async def asks_first(*given: Any, **named: Any) -> Any:
            arguments = told(given, named)
            try:
                verdict = await checkrail.judge_async(name, arguments)
            except Unavailable as error:
                return f"Not run: {error}"
            if not verdict.allowed:
                return f"Not run: {verdict.reason}"
            result = await tool(*given, **named)
            await checkrail.finished_async(name, arguments, result)
            return result

        return asks_first

    @functools.wraps(tool)
    def asks(*given: Any, **named: Any) -> Any:
        arguments = told(given, named)
        try:
            verdict = checkrail.judge(name, arguments)
        except Unavailable as error:
            return f"Not run: {error}"
        if not verdict.allowed:
            return f"Not run: {verdict.reason}"
        result = tool(*given, **named)
        checkrail.finished(name, arguments, result)
        return result

    return asks
