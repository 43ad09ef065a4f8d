"""Parameters that ask for what is not theirs: the conversation, the system prompt, the model's tools, secrets."""

from collections.abc import Iterator

from checkrail.admission import names
from checkrail.admission.fields import parameters
from checkrail.admission.lexicon import Tags, classes_of
from checkrail.admission.records import Definition, Finding
from checkrail.knowledge.speech import rules

_NAMES = frozenset(
    {
        "system_prompt", "conversation_history", "chat_history", "chain_of_thought", "tools_list", "full_conversation",
        "conversation", "all_messages", "message_history", "reasoning_trace", "available_tools", "env_vars", "environment_variables",
        "previous_messages", "user_secrets", "api_keys", "memory_dump", "context_window",
    }
)  # fmt: skip
_FOLDED = frozenset(map(names.fold, _NAMES))
RULE = "admission.data-sink"


def findings(definition: Definition, scope: Tags) -> Iterator[Finding]:
    """A parameter named for the model's own context, in a tool that has nothing to do with it."""
    found = [name for name in parameters(definition.tool) if names.fold(name) in _FOLDED]
    if len(found) < 2 or "own-convo" in scope or "own-prompt" in scope:
        return
    if any("own-convo" in classes_of(names.words(word)) for word in _first_words(definition)):
        return
    entry = rules()[RULE]
    yield Finding(
        rule=RULE, field=f"inputSchema.properties.{found[0]}", start=0, end=len(found[0]), text=found[0],
        reason=f"{entry.reason}: {', '.join(found[:4])}", fix=entry.fix,
    )  # fmt: skip


def _first_words(definition: Definition) -> list[str]:
    said = definition.tool.get("description")
    return said[:400].split() if isinstance(said, str) else []
