"""Each framework with one tool, ``run_shell``, and a model that calls it with the commands of a script: what it was told."""

import asyncio
import importlib.util
import json
from collections.abc import Callable
from typing import Any

from checkrail.client import Guard
from tests.frameworks.conftest import example

Runner = Callable[[Guard, list[str], list[str], bool], list[str]]
"""Guard, commands, where commands that ran are noted, and whether asynchronously -> the tool's results as the model saw them."""


def pydantic_ai(guard: Guard, commands: list[str], ran: list[str], later: bool) -> list[str]:
    """Pydantic AI with a function for a model."""
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.toolsets import FunctionToolset

    def run_shell(command: str) -> str:
        ran.append(command)
        return f"ran {command}"

    left = iter(commands)

    def model(messages: Any, info: Any) -> Any:  # noqa: ARG001  # as the framework calls it
        command = next(left, None)
        return ModelResponse(parts=[ToolCallPart("run_shell", {"command": command}) if command else TextPart("done")])

    tools = example("pydantic_ai_guard").Guarded(FunctionToolset([run_shell]), guard)
    agent = Agent(FunctionModel(model), toolsets=[tools])
    done = asyncio.run(agent.run("go")) if later else agent.run_sync("go")
    parts = [part for message in done.all_messages() for part in message.parts]
    return [str(part.content) for part in parts if isinstance(part, ToolReturnPart)]


def langchain(guard: Guard, commands: list[str], ran: list[str], later: bool) -> list[str]:
    """A LangChain agent, which is a graph of LangGraph, with scripted messages."""
    from langchain.agents import create_agent
    from langchain.messages import AIMessage, ToolMessage
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    def run_shell(command: str) -> str:
        """Runs a command."""
        ran.append(command)
        return f"ran {command}"

    class Scripted(GenericFakeChatModel):  # type: ignore[misc,unused-ignore]  # a stranger where the framework is missing
        def bind_tools(self, tools: Any, **_: Any) -> Any:  # noqa: ARG002
            return self

    calls = [
        AIMessage("", tool_calls=[{"name": "run_shell", "args": {"command": command}, "id": f"c{number}"}])
        for number, command in enumerate(commands)
    ]
    agent = create_agent(
        Scripted(messages=iter([*calls, AIMessage("done")])), tools=[run_shell], middleware=[example("langchain_guard").Guarded(guard)]
    )  # fmt: skip
    asked = {"messages": [{"role": "user", "content": "go"}]}
    done = asyncio.run(agent.ainvoke(asked)) if later else agent.invoke(asked)
    return [str(message.content) for message in done["messages"] if isinstance(message, ToolMessage)]


def openai_agents(guard: Guard, commands: list[str], ran: list[str], later: bool) -> list[str]:
    """The OpenAI Agents SDK with a model class of our own."""
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    import agents

    agents.set_tracing_disabled(True)
    left = iter(enumerate(commands))

    class Scripted(Model):  # type: ignore[misc,unused-ignore]  # a stranger where the framework is missing
        async def get_response(self, *_: Any, **__: Any) -> Any:
            number, command = next(left, (0, ""))
            said: Any = ResponseFunctionToolCall(
                type="function_call", name="run_shell", call_id=f"c{number}", arguments=json.dumps({"command": command})
            )
            if not command:
                text = ResponseOutputText(type="output_text", text="done", annotations=[])
                said = ResponseOutputMessage(
                    id="m", type="message", role="assistant", status="completed", content=[text]
                )
            return agents.ModelResponse(output=[said], usage=agents.Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    def run_shell(command: str) -> str:
        ran.append(command)
        return f"ran {command}"

    guardrail = example("openai_agents_guard").guarded(guard)
    tool = agents.function_tool(run_shell, tool_input_guardrails=[guardrail])
    agent = agents.Agent(name="a", model=Scripted(), tools=[tool])
    done = asyncio.run(agents.Runner.run(agent, "go")) if later else agents.Runner.run_sync(agent, "go")
    return [str(item.output) for item in done.new_items if item.type == "tool_call_output_item"]


FRAMEWORKS: dict[str, Runner] = {"pydantic_ai": pydantic_ai, "langchain": langchain, "agents": openai_agents}
"""Module that has to be there -> how it is driven."""


def there(name: str) -> bool:
    """Whether a framework is installed."""
    return importlib.util.find_spec(name) is not None
