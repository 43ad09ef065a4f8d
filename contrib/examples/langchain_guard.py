"""LangChain and LangGraph agents: a middleware that asks Checkrail before each tool call.

    from checkrail.client import Client, Guard
    guard = Guard(Client(session=run_id, asks=True), means={"run_shell": "Bash"}, approve=ask_the_person)
    agent = create_agent(model, tools=[run_shell, read_ticket], middleware=[Guarded(guard)])

``invoke`` asks synchronously, ``ainvoke`` without blocking the loop.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain.messages import ToolMessage

from checkrail.client import Guard


class Guarded(AgentMiddleware):
    """A guard around every tool. What may not run returns the reason to the model."""

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self._guard = guard

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Asks, runs, and tells what came of it."""
        name, given, call = _told(request)
        refusal = self._guard.refusal(name, given, call=call)
        if refusal:
            return _message(request, refusal)
        result = handler(request)
        self._guard.finished(name, given, str(getattr(result, "content", result)), call=call)
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """The same in asyncio."""
        name, given, call = _told(request)
        refusal = await self._guard.refusal_async(name, given, call=call)
        if refusal:
            return _message(request, refusal)
        result = await handler(request)
        await self._guard.finished_async(name, given, str(getattr(result, "content", result)), call=call)
        return result


def _told(request: ToolCallRequest) -> tuple[str, dict[str, Any], str]:
    call = request.tool_call
    return call["name"], call["args"], call["id"] or ""


def _message(request: ToolCallRequest, refusal: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(content=refusal, tool_call_id=call["id"] or "", name=call["name"], status="error")
