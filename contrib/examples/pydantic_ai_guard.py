"""Pydantic AI: every tool of a toolset, of an MCP server's too, asks Checkrail before it runs.

    from checkrail.client import Client, Guard
    tools = FunctionToolset([run_shell, read_ticket])
    guard = Guard(Client(session=run_id, asks=True), means={"run_shell": "Bash"}, approve=ask_the_person)
    agent = Agent(model, toolsets=[Guarded(tools, guard)])

``run_sync`` works too; the question never blocks the loop. ``approve`` may be a function or a coroutine.
"""

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from checkrail.client import Guard


@dataclass
class Guarded(WrapperToolset[Any]):
    """A toolset behind a guard. What may not run returns the reason to the model."""

    guard: Guard

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Asks, runs, and tells what came of it."""
        call = ctx.tool_call_id or ""
        refusal = await self.guard.refusal_async(name, tool_args, call=call)
        if refusal:
            return refusal
        result = await super().call_tool(name, tool_args, ctx, tool)
        await self.guard.finished_async(name, tool_args, str(result), call=call)
        return result
