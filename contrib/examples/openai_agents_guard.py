"""OpenAI Agents SDK: a guardrail on a function tool that asks Checkrail before the call.

    from checkrail.client import Client, Guard
    guard = Guard(Client(session=run_id, asks=True), means={"run_shell": "Bash"}, approve=ask_the_person)

    @function_tool(tool_input_guardrails=[guarded(guard)])
    def run_shell(command: str) -> str: ...

A tool without the guardrail is not guarded: the SDK has no place that sees them all.
"""

import json
from typing import Any

from agents import ToolGuardrailFunctionOutput, ToolInputGuardrail, ToolInputGuardrailData
from checkrail.client import Guard


def guarded(guard: Guard) -> ToolInputGuardrail[Any]:
    """The guardrail. What may not run returns the reason to the model."""

    async def asks_first(data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        call = data.context
        given = json.loads(call.tool_arguments or "{}")
        refusal = await guard.refusal_async(call.tool_name, given, call=call.tool_call_id)
        if refusal:
            return ToolGuardrailFunctionOutput.reject_content(refusal)
        return ToolGuardrailFunctionOutput.allow()

    return ToolInputGuardrail(asks_first, name="checkrail")
