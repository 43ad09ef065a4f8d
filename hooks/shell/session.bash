# A session of `checkrail sh` at a terminal: the user's own start-up file, then the integration. Nothing is asked here, since
# whoever holds the terminal may be an agent: a question names a request that a person can approve elsewhere.

__checkrail=("$CHECKRAIL_PROGRAM" -m checkrail) __checkrail_how=--judge-only
unset CHECKRAIL_PROGRAM
[[ ! -r ~/.bashrc ]] || source ~/.bashrc
source "${BASH_SOURCE[0]%/*}/bash"
