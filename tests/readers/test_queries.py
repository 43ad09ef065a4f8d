"""Redis, MongoDB and GraphQL by their verbs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkrail.context import Surroundings
from checkrail.facts.host import FrozenHost
from checkrail.model import Payload, Reading
from checkrail.readers import queries

AROUND = Surroundings(host=FrozenHost(), home="/home/dev", workspace="/w", cwd="/w")


def read(language: str, text: str) -> Reading:
    """A reading."""
    return queries.read(Payload(language=language, text=text, cwd="/w"), AROUND)


@pytest.mark.parametrize(
    ("language", "text", "rules"),
    [
        ("redis", "GET user:1", {"redis.read"}),
        ("redis", "FLUSHALL", {"redis.delete"}),
        ("redis", "get a\ndel b", {"redis.read", "redis.delete"}),
        ("redis", "SET a 1", {"redis.change"}),
        ("redis", "CONFIG GET maxmemory", {"redis.read"}),
        ("redis", "CONFIG SET dir /x", {"redis.delete"}),
        ("redis", "EVAL 'return 1' 0", {"redis.delete"}),
        ("mongo", "db.users.find({drop: 1}).limit(5)", {"mongo.read"}),
        ("mongo", "db.users.drop()", {"mongo.change"}),
        ("mongo", "db['users']['deleteMany']({})", {"mongo.change"}),
        ("mongo", "db.users.find().forEach(d => db.other.insertOne(d))", {"mongo.change"}),
        ("mongo", "db.users.aggregate([{$out: 'x'}])", {"mongo.stage"}),
        ("mongo", "load('x.js')", {"mongo.change"}),
        ("graphql", "{ viewer { login } }", {"graphql.read"}),
        ("graphql", "query Q($a: Int) { repo(id: $a) { deleted } }", {"graphql.read"}),
        ("graphql", 'mutation { addComment(body: "delete") { id } }', {"graphql.change"}),
        ("graphql", "mutation M { x: deleteRepository(id: 1) { id } }", {"graphql.delete"}),
        ("graphql", "query A { a } mutation B { mergePullRequest(id: 1) { id } }", {"graphql.read", "graphql.delete"}),
    ],
)
def test_verbs(language: str, text: str, rules: set[str]) -> None:
    """Each command by its rule."""
    assert {effect.rule for effect in read(language, text).effects} == rules


def test_an_unknown_method_gives_no_opinion() -> None:
    """A method that is not known is opaque."""
    assert read("mongo", "db.users.frobnicate()").opaque


@given(st.sampled_from(["redis", "mongo", "graphql"]), st.text(max_size=200))
def test_any_text_is_read(language: str, text: str) -> None:
    """No text raises."""
    read(language, text)
