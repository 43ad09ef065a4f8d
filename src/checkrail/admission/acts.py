"""The force of each verb: told to do, told not to do, or merely described; and to whom it is said.

A base form at the head of a clause is a command, and so is one behind a modal, unless the user is its subject. The first
sentence of a description names what the tool does ("Read a file"), so a bare command there is only ``weak``. What a negation
governs is ``dont``. A verb joined by "and" takes the force of the one before it.
"""

from checkrail.admission.lexicon import Tags
from checkrail.admission.sentences import Sentence

_REACH = 5
"""Words between a modal or a negation and its verb."""

_PASSIVE = 9
"""Words between the auxiliary of a passive and its participle."""
_SUBJECT = 3
"""Words between "if" and a negation that is part of the condition."""
_ACTS = 4
"""Words between who acts and what is said of them: "the assistant then includes"."""
_FAR = 18
"""The same in a language that puts the verb last."""

DO, DONT, WEAK, ACT = "do", "dont", "weak", "act"
_DO: Tags = frozenset((DO, ACT))
_WEAK: Tags = frozenset((WEAK, ACT))
_DESCRIBES: Tags = frozenset(("describes",))
"""Borne by the verb with which a sentence says what the tool itself does: "Lists rows"."""
_DONT: Tags = frozenset((DONT,))


class _Reader:
    """Walks a sentence once, from left to right."""

    def __init__(self, sentence: Sentence, tags: list[Tags]) -> None:
        self.words = sentence.words
        self.tags = tags
        self.label = sentence.first and not any("urgent" in found for found in tags)
        self.head = True
        self.modal = self.negation = self.passive = -99
        self.last: Tags = frozenset()
        self.joined = False
        self.person = -99
        self.reach = _REACH
        self.ordered = self.condition = self.actor = -99
        self.governed = False
        self.role = False

    def run(self) -> None:
        head = next((place for place, found in enumerate(self.tags) if "mark" not in found), 0)
        if self.tags and "third" in self.tags[head] and "base" not in self.tags[head]:
            self.tags[head] = self.tags[head] | _DESCRIBES
        for place, found in enumerate(self.tags):
            if "mark" in found:
                self._mark(self.words[place])
                continue
            force = self._force(place, found) if "verb" in found and not self._spoken_of(place) else frozenset()
            if force:
                self.tags[place] = found | force
                self.last = force
                self.ordered = place
            self._notice(place, found, bool(force))

    def _spoken_of(self, place: int) -> bool:
        """A single word in quotes or the key of a pair ("email:a@b") is spoken of, not said."""
        if "mail-verb" in self.tags[place] and "mailnoun" in frozenset().union(*self.tags[place + 1 : place + 2]):
            return True
        after = self.words[place + 1 : place + 3]
        if self.words[place] == "access" and after[:1] == ("to",):
            return True
        if after[:1] == ("=",) or (after[:1] == (":",) and "@" in after[-1]):
            return True
        around = (self.words[place - 1] if place else "", self.words[place + 1] if place + 1 < len(self.words) else "")
        return around[0] in "`'\"" and around[0] == around[1] and around[0] != ""

    def _mark(self, mark: str) -> None:
        if mark in "`'\"*_":
            return
        self.head = self.head or mark in ",;:()[]{}-*#|>/!?.<=•—–"
        if mark in ";.!?:":
            self.modal = self.negation = self.passive = -99
            self.last = frozenset()
            self.ordered = self.actor = -99
            self.reach = _REACH
        if mark == "," and self.governed:
            self.negation = -99
        self.joined = self.joined or mark == ","

    def _force(self, place: int, found: Tags) -> Tags:
        negated = place - self.negation <= _REACH or "negation" in found  # "n'informez"
        if "past" in found and place - self.passive <= _PASSIVE and place - self.modal <= _PASSIVE + 2:
            return _DONT if negated else _DO
        far = self.reach > _REACH and place - self.modal <= self.reach
        if "past" in found and far:
            return _DONT if negated else _DO
        if "third" in found and "base" not in found and self._acts(place):
            return _DONT if negated else _DO  # what the model is said to do is what it is told to do
        if "third" in found and "base" not in found:
            return _DO if place - self.modal <= self.reach and "ensure" in self.tags[self.modal] else frozenset()
        if "ing" in found:
            before = self.words[place - 1] if place else ""
            if (before == "by" and DO in self.last) or before == "mind":
                return _DO
            return _DONT if negated else frozenset()
        if "base" not in found:
            return frozenset()
        if negated:
            return _DONT
        if place - self.modal <= self.reach:
            return _DO
        if "command" in found or place - self.actor <= _ACTS:
            return _DO
        if self.joined and self.last:
            return self.last
        if self.head:
            return _WEAK if self.label else _DO
        return frozenset()

    def _acts(self, place: int) -> bool:
        """Whether the subject is the model, by name or in a part that it is to play."""
        return self.role or place - self.actor <= _ACTS or (self.joined and DO in self.last)

    def _foretold(self, place: int, found: Tags) -> bool:
        """Whether a "will" is said of the model: of a tool it only foretells."""
        return "will" not in found or place - self.actor <= _ACTS or self.words[place - 1] == "you"

    def _possessed(self, place: int) -> bool:
        """ "of the user", "the user's": not who acts."""
        return self.words[place].endswith(("'s", "s'")) or "of" in self.words[max(0, place - 2) : place]

    def _notice(self, place: int, found: Tags, verb: bool) -> None:
        if "negation" in found and (self.head or self.joined or "firm" in found or place - self.modal <= _REACH):
            self.negation = place if place - self.condition > _SUBJECT else -99
            self.governed = False
        if "condition" in found:
            self.condition = place
        if "modal" in found and (place - self.person > 2 or "modal-you" in found) and self._foretold(place, found):
            self.modal = place
            self.reach = _FAR if "far" in found else _PASSIVE if "ensure" in found else _REACH
        if "negation-after" in found and place - self.ordered <= _REACH + 3:
            self.tags[self.ordered] = self.tags[self.ordered] - _DO | _DONT
        if "person" in found and "verb" not in found and not self._possessed(place):
            self.person = place
            self.actor = -99
        self.role = self.role or "role" in found
        if "actor" in found:
            self.actor = place
        if "be" in found:
            self.passive = place
        if verb:
            self.negation = self.negation if DONT in self.tags[place] else -99
            self.governed = True
        keeps = "lead" in found or "negation" in found
        self.head = "subject" in found or "conditional-end" in found or (self.head and keeps)
        self.joined = "join" in found or (self.joined and keeps)


def force(sentence: Sentence, tags: list[Tags]) -> None:
    """Adds the force of each verb to its classes, in place."""
    _Reader(sentence, tags).run()
