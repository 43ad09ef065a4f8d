"""The readers of JavaScript, Ruby, Perl and PHP see calls by whatever name they are reached, and nothing in texts and comments."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkrail.model import HOLE
from tests.readers.code_reading import reading, says

SPELLINGS = {
    "node": (
        "require('fs').rmSync('x')",
        "const fs = require('node:fs'); fs.rmSync('x')",
        "import fs from 'fs'; fs.rmSync('x')",
        "import * as f from 'fs'; f.rmSync('x')",
        "import { rmSync as gone } from 'fs'; gone('x')",
        "const { rmSync: gone } = require('fs'); gone('x')",
        "const fs = require('fs'); const gone = fs.rmSync; gone('x')",
        "require('fs')['rm' + 'Sync']('x')",
        "require('fs').promises.rm('x')",
        "(await import('fs')).rm('x')",
        "import('fs').then(m => m.rm('x'))",
        "['x'].forEach(f => require('fs').rmSync(f))",
        "for (const f of ['x']) { require('fs').rmSync(f) }",
        "eval(\"require('fs').rmSync('x')\")",
        "`${require('fs').rmSync('x')}`",
        "const p = '' || 'x'; require('fs').rmSync(p)",
        "process.mainModule.require('fs').rmSync('x')",
        "/* a */ require('fs') // b\n .rmSync('x')",
        "const s = 4 / 2; require('fs').rmSync('x') / 1",
        "if (/'/.test(s)) { require('fs').rmSync('x') }",
    ),
    "ruby": (
        "File.delete('x')",
        "File.delete 'x'",
        "File.unlink(\"#{'x'}\")",
        "n = 'x'; File.delete(n)",
        "['x'].each { |f| File.delete(f) }",
        "%w[x].each do |f| File.delete(f) end",
        "eval \"File.delete('x')\"",
        "\"#{File.delete('x')}\"",
        "File.delete(File.join('.', 'x'))",
        "FileUtils.rm %w[x]",
        "a = 6 / 2; File.delete 'x' # / 1",
        "puts <<~EOS\n#{File.delete('x')}\nEOS\n",
    ),
    "perl": (
        "unlink 'x'",
        "unlink('x');",
        "my $f = 'x'; unlink $f;",
        "unlink qw(x);",
        "for my $f ('x') { unlink $f }",
        "eval \"unlink 'x'\"",
        "s/a/unlink 'x'/e",
        "print 1 if m{'}; unlink q{x};",
        "my $d = '.'; unlink \"$d/x\";",
        "CORE::unlink('x');",
    ),
    "php": (
        "unlink('x');",
        "<?php unlink('x'); ?>",
        "$f = 'x'; unlink($f);",
        "foreach (['x'] as $f) { unlink($f); }",
        "eval(\"unlink('x');\");",
        "$f = 'unlink'; $f('x');",
        "\\unlink('x');",
        "@unlink('./' . 'x');",
        "echo \"{${unlink('x')}}\";",
    ),
}


@pytest.mark.parametrize(
    ("language", "code"), [(language, code) for language, codes in SPELLINGS.items() for code in codes]
)
def test_a_deletion_is_seen_however_it_is_spelled(language: str, code: str) -> None:
    """Each spelling deletes /w/x, or is unread."""
    found = says(language, code)
    assert "delete /w/x" in found or "unread" in found


HARMLESS = (
    ("node", "console.log('rm -rf /'); // require('fs').rmSync('x')"),
    ("node", "const m = /rmSync\\('x'\\)/.exec(s); console.log(m)"),
    ("node", "list.remove('x'); map.delete('x'); a.exec('x'); b.run(1)"),
    ("node", "const j = JSON.parse(s); console.log(Object.keys(j.dependencies).length / 2)"),
    ("node", "process.exit(0); console.log(process.env.HOME, process.argv.length)"),
    ("ruby", "puts 'File.delete(x)'; h = {system: 1}; h.delete(:system); puts 10 / 2"),
    ("ruby", "puts [1, 2].sum; ARGF.each_line { |l| puts l if l =~ /rm -rf/ }"),
    ("perl", "print \"unlink x\"; $h{unlink} = 1; my %h = (system => 2); print join ',', map { $_ * 2 } 1, 2;"),
    ("perl", "while (<>) { s/unlink/system/g; print if /exec/ }"),
    ("php", "echo 'unlink(x)'; $x->unlinked(); echo strlen('system'); # system('x')"),
)


@pytest.mark.parametrize(("language", "code"), HARMLESS)
def test_texts_comments_and_namesakes_do_nothing(language: str, code: str) -> None:
    """Near misses: the same words as data, as keys, in patterns and in comments."""
    assert says(language, code) == []


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("node", "require('child_process').execSync(`rm -rf ${dir}/x`)", f"shell: rm -rf {HOLE}/x"),
        ("node", "const c = ['-rf', 'a b']; require('child_process').spawn('rm', c)", "shell: rm -rf 'a b'"),
        ("node", "require('fs').rmSync(require('path').join(require('os').homedir(), 'x'))", "delete /home/dev/x"),
        ("node", "require('fs').rmSync(process.env.HOME)", "delete /home/dev"),
        ("node", "require('fs').rmSync(process.argv[2])", f"delete {HOLE}"),
        ("ruby", "FileUtils.rm_rf(Dir.home)", "delete /home/dev"),
        ("ruby", 'system("rm -rf #{dir}")', f"shell: rm -rf {HOLE}"),
        ("ruby", "FileUtils.rm_rf(Dir['src/*'])", "delete /w/src/*"),
        ("perl", 'my $d = $ENV{HOME}; system("rm -rf $d");', "shell: rm -rf /home/dev"),
        ("perl", "exec { 'sh' } 'sh', '-c', 'ls';", "shell"),
        ("php", "unlink(getenv('HOME') . '/x');", "delete /home/dev/x"),
        ("php", "$c = 'rm'; $c .= ' x'; system($c);", f"shell: {HOLE}"),
    ],
)
def test_values_are_followed(language: str, code: str, expected: str) -> None:
    """Texts are joined, variables looked up, and what is not known is a hole."""
    assert any(line.startswith(expected) for line in says(language, code))


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("node", "eval(x)"),
        ("node", "require(name).exec('x')"),
        ("node", "require('fs')[name]('x')"),
        ("node", "new Function(code)()"),
        ("ruby", "eval(STDIN.read)"),
        ("ruby", "Kernel.send(name, 'x')"),
        ("perl", "eval $code"),
        ("perl", "s/x/$y/ee"),
        ("perl", "/(?{ system 'x' })/"),
        ("php", "eval($_GET['x']);"),
        ("node", "'"),
        ("node", "if (x) /'/.test(y); require('fs').rmSync('z')"),
    ],
)
def test_what_cannot_be_followed_is_unread(language: str, code: str) -> None:
    """Code made at run time, functions chosen by name, and what does not parse."""
    assert "unread" in says(language, code)


@pytest.mark.parametrize("language", ["node", "ruby", "perl", "php"])
@pytest.mark.parametrize(
    "code",
    [
        "(" * 3000, "f(" * 2000 + ")" * 2000, "`${" * 200, '"#{' * 200, "a=" * 2000 + "1", "x = x + x;" * 300, "'a'+" * 5000 + "'b'",
        "<<A\n" * 50, "s{" * 300, "[" * 400 + "]" * 400, "eval('" * 40, "/" * 999, "%q(" * 99, "a.b" * 3000, "\x00\ud800",
    ],
    ids=range(15),
)  # fmt: skip
def test_hostile_text_is_answered(language: str, code: str) -> None:
    """Deep, wide and broken scripts end in a reading."""
    reading(language, code)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["node", "ruby", "perl", "php"]),
    st.text(alphabet="afx$@%#{}()[]<>'\"`/\\|=~.,:;?!&*+-1 \nqsym", max_size=60),
)
def test_any_text_is_answered(language: str, code: str) -> None:
    """Arbitrary punctuation never raises."""
    reading(language, code)
