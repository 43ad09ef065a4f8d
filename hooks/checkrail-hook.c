/* Ask the Checkrail daemon about one hook event, answer exactly as it says. Knows no policy; every failure blocks.
 *
 * The same frames, deadlines and failures as the Python hook beside it; one suite of tests runs against both.
 * `checkrail install` writes CHECKRAIL_SOCKET and CHECKRAIL_DAEMON above this text and compiles it: C99 and POSIX,
 * nothing else. */
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#if !defined CHECKRAIL_SOCKET || !defined CHECKRAIL_DAEMON
#error "compiled by checkrail install, which says where the socket is and how the daemon is started"
#endif
#ifndef CHECKRAIL_DEADLINE
#define CHECKRAIL_DEADLINE 9.0 /* seconds in all */
#define CHECKRAIL_TRY 3.0      /* seconds of silence in one try */
#define CHECKRAIL_PAUSES 0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 4.0
#endif
#define LIMIT ((size_t)8 << 20) /* bytes of an event; of an answer */
#define CHUNK ((size_t)1 << 20)
#define LONGEST_WAIT 100000

static const char *const daemon_words[] = {CHECKRAIL_DAEMON, NULL};
static const char *const passed[] = { /* not the whole environment: there are secrets in it */
    "HOME", "USER", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    "CDPATH", "OLDPWD", "GIT_DIR", "KUBECONFIG", "AWS_PROFILE", "DOCKER_HOST", "DOCKER_CONTEXT", "PGHOST",
    "PGDATABASE", "RAILS_ENV", "NODE_ENV", "BASH_ENV", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ATTENDED"};
#define PASSED (sizeof passed / sizeof *passed)

extern char **environ;
static char *variables[PASSED + 1]; /* NAME=VALUE of those that are set */
static char late[100] = "checkrail: blocked: stopped; run: checkrail doctor\n";
static volatile sig_atomic_t telling;

typedef struct {
    unsigned char *data;
    size_t size, room;
} Bytes;

typedef enum { ANSWERED, ABSENT, LOST } Outcome;

static void say(const char *text, size_t size) {
    ssize_t written = write(2, text, size);
    (void)written; /* nobody to tell: the exit code has to do */
    _exit(2);
}

/* A signal, or the deadline. The alarm rings again each second, should nobody read stderr. */
static void stopped(int number) {
    (void)number;
    if (telling) _exit(2);
    telling = 1;
    say(late, strlen(late));
}

/* The end of a text of so many bytes, after as much of `more` as there is room for. */
static size_t joined(char *text, size_t size, size_t room, const char *more) {
    while (*more && size + 1 < room) text[size++] = *more++;
    text[size] = 0;
    return size;
}

static size_t joined_number(char *text, size_t size, size_t room, int number) {
    char digits[12];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0 && at);
    return joined(text, size, room, digits + at);
}

/* One line of ASCII on stderr, exit code 2. */
static void block(const char *reason) {
    static const char hexadecimal[] = "0123456789abcdef";
    char line[512];
    size_t size = joined(line, 0, sizeof line, "checkrail: blocked: ");
    telling = 1;
    for (; *reason && size < sizeof line - 40; reason++) {
        unsigned char byte = (unsigned char)*reason;
        char escaped[5] = {'\\', 'x', hexadecimal[byte >> 4], hexadecimal[byte & 15], 0}, plain[2] = {*reason, 0};
        size = joined(line, size, sizeof line, byte >= ' ' && byte <= '~' && byte != '\\' ? plain : escaped);
    }
    size = joined(line, size, sizeof line, "; run: checkrail doctor\n");
    say(line, size);
}

static void fail(const char *doing) {
    char reason[256];
    size_t size = joined(reason, 0, sizeof reason, doing);
    size = joined(reason, size, sizeof reason, ": ");
    joined(reason, size, sizeof reason, strerror(errno));
    block(reason);
}

static void reserve(Bytes *bytes, size_t more) {
    size_t room = bytes->room ? bytes->room : 4096;
    unsigned char *data = bytes->data;
    while (room < bytes->size + more) room *= 2;
    if (data && room == bytes->room) return;
    data = realloc(data, room);
    if (!data) block("out of memory");
    bytes->data = data;
    bytes->room = room;
}

static void add(Bytes *bytes, const void *data, size_t size) {
    if (!size) return;
    reserve(bytes, size);
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void add_text(Bytes *bytes, const char *text) { add(bytes, text, strlen(text)); }

static void add_length(Bytes *bytes, size_t size) {
    unsigned char big[4] = {(unsigned char)(size >> 24), (unsigned char)(size >> 16), (unsigned char)(size >> 8),
                            (unsigned char)size};
    add(bytes, big, 4);
}

static size_t length_at(const unsigned char *data) {
    return (size_t)data[0] << 24 | (size_t)data[1] << 16 | (size_t)data[2] << 8 | data[3];
}

static int seconds_from(const char *text) {
    int value = 0;
    if (!*text) block("--wait takes a number of seconds");
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > LONGEST_WAIT) block("--wait takes a number of seconds");
        value = value * 10 + (*text - '0');
    }
    return value;
}

static struct timeval interval(double seconds) {
    struct timeval found;
    found.tv_sec = (time_t)seconds;
    found.tv_usec = (suseconds_t)((seconds - (double)found.tv_sec) * 1e6);
    return found;
}

static void arm(double deadline) {
    static const int ends[] = {SIGHUP, SIGINT, SIGALRM, SIGTERM};
    struct itimerval timer;
    struct sigaction action;
    size_t number, size = joined(late, 0, sizeof late, "checkrail: blocked: stopped, or no answer in ");
    size = joined_number(late, size, sizeof late, (int)(deadline + 0.5));
    joined(late, size, sizeof late, " s; run: checkrail doctor\n");
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_NODEFER;
    action.sa_handler = stopped;
    for (number = 0; number < sizeof ends / sizeof *ends; number++) sigaction(ends[number], &action, NULL);
#ifndef __SANITIZE_ADDRESS__
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGSYS}; /* must not end like another code */
    for (number = 0; number < sizeof crashes / sizeof *crashes; number++) sigaction(crashes[number], &action, NULL);
#endif
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
#ifdef SIGXFSZ
    sigaction(SIGXFSZ, &action, NULL);
#endif
    sigemptyset(&action.sa_mask);
    sigprocmask(SIG_SETMASK, &action.sa_mask, NULL); /* a host may start its hooks with signals blocked */
    timer.it_value = interval(deadline);
    timer.it_interval = interval(1.0);
    if (setitimer(ITIMER_REAL, &timer, NULL)) fail("setitimer");
}

/* Fails for a closed stream, whose place the socket would take. */
static void make_blocking(int stream) {
    int flags = fcntl(stream, F_GETFL);
    if (flags < 0 || ((flags & O_NONBLOCK) && fcntl(stream, F_SETFL, flags & ~O_NONBLOCK) < 0)) fail("standard stream");
}

static int ends_whole(unsigned char byte) {
    return byte == '}' || byte == ' ' || byte == '\r' || byte == '\n' || byte == '\t';
}

/* Some hosts leave the pipe open, so an object is taken as complete where the brackets outside of its strings balance. */
static void read_event(Bytes *raw) {
    int quoted = 0, escaped = 0;
    size_t opened = 0, closed = 0, at;
    while (raw->size <= LIMIT) {
        ssize_t got;
        reserve(raw, CHUNK);
        do got = read(0, raw->data + raw->size, CHUNK);
        while (got < 0 && errno == EINTR);
        if (got < 0) fail("reading the event");
        if (!got) return;
        for (at = raw->size; at < raw->size + (size_t)got; at++) {
            unsigned char byte = raw->data[at];
            if (escaped) {
                escaped = 0;
                if (byte == '"' || byte == '\\') continue;
            }
            if (byte == '\\') escaped = 1;
            else if (byte == '"') quoted = !quoted;
            else if (quoted) continue;
            else if (byte == '{' || byte == '[') opened++;
            else if (byte == '}' || byte == ']') closed++;
        }
        raw->size += (size_t)got;
        if (opened && opened == closed && ends_whole(raw->data[raw->size - 1])) return;
    }
}

static void gather_variables(void) {
    size_t from, to = 0;
    for (from = 0; from < PASSED; from++) {
        size_t size = strlen(passed[from]);
        char **each = environ;
        while (each && *each && (strncmp(*each, passed[from], size) || (*each)[size] != '=')) each++;
        if (each && *each) variables[to++] = *each;
    }
}

static void gather_head(Bytes *head, const char *agent, const char *event, int wait) {
    static char cwd[1 << 16], patience[40];
    const char *slash = strrchr(daemon_words[0], '/');
    size_t number;
    if (!getcwd(cwd, sizeof cwd)) *cwd = 0; /* the directory is gone */
    joined_number(patience, joined(patience, 0, sizeof patience, "CHECKRAIL_WAIT="), sizeof patience, wait);
    add(head, "call", 5);
    add(head, daemon_words[0], slash ? (size_t)(slash - daemon_words[0]) : 0);
    add(head, "", 1);
    add(head, agent, strlen(agent) + 1);
    add(head, event, strlen(event) + 1);
    add(head, cwd, strlen(cwd) + 1);
    add_text(head, patience);
    for (number = 0; variables[number]; number++) {
        add(head, "", 1);
        add_text(head, variables[number]);
    }
}

/* Detached: a daemon that kept one of our pipes would make hosts wait, then let the call through. */
static void start(const char *path) {
    char *words[sizeof daemon_words / sizeof *daemon_words + 2];
    size_t count;
    int descriptor;
    pid_t child = fork();
    if (child < 0) fail("starting the daemon");
    if (child) return;
    if (setsid() < 0 || fork()) _exit(0);
    for (descriptor = 0; descriptor < 3; descriptor++) {
        int null = open("/dev/null", O_RDWR);
        if (null < 0 || dup2(null, descriptor) < 0) _exit(0);
    }
    for (descriptor = 3; descriptor < 1 << 16; descriptor++) close(descriptor);
    for (count = 0; daemon_words[count]; count++) words[count] = (char *)daemon_words[count];
    words[count++] = (char *)"--socket";
    words[count++] = (char *)path;
    words[count] = NULL;
    execve(words[0], words, variables);
    _exit(0);
}

static void set_address(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) block("the socket's path is too long");
    memcpy(address->sun_path, path, strlen(path));
}

/* Of a path that fits into an address; -1 where its directory cannot be looked at. */
static int is_private(const char *path) {
    char folder[sizeof ((struct sockaddr_un *)0)->sun_path];
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) : 0;
    struct stat place;
    memcpy(folder, path, size);
    folder[size] = 0;
    if (stat(folder, &place)) return -1;
    return place.st_uid == geteuid() && !(place.st_mode & 077);
}

static int send_all(int peer, const Bytes *bytes) {
    size_t done = 0;
    while (done < bytes->size) {
        ssize_t sent = write(peer, bytes->data + done, bytes->size - done);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return 0;
        done += (size_t)sent;
    }
    return 1;
}

static int receive_all(int peer, Bytes *answer) {
    struct timeval patient = {0, 0};
    answer->size = 0;
    while (answer->size <= LIMIT) {
        ssize_t got;
        reserve(answer, 1 << 16);
        got = read(peer, answer->data + answer->size, answer->room - answer->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return 0;
        if (!got) break;
        if (!answer->size) /* it lives; a person may be thinking, so from its first byte on the alarm alone counts */
            setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patient, sizeof patient);
        answer->size += (size_t)got;
    }
    return answer->size >= 13 && !memcmp(answer->data, "CKA1", 4) &&
           answer->size == 13 + length_at(answer->data + 5) + length_at(answer->data + 9);
}

static Outcome ask(const char *path, const Bytes *head, const Bytes *raw, Bytes *answer) {
    struct sockaddr_un address;
    struct timeval silence = interval(CHECKRAIL_TRY);
    int peer, known, whole;
    set_address(path, &address);
    known = is_private(path);
    if (known < 0) return errno == ENOENT ? ABSENT : LOST;
    if (!known) block("the socket's directory is open to others");
    peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (peer < 0) return LOST;
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
    if (connect(peer, (struct sockaddr *)&address, sizeof address)) {
        Outcome found = errno == ENOENT || errno == ECONNREFUSED ? ABSENT : LOST;
        int reason = errno;
        close(peer);
        errno = reason;
        return found;
    }
    errno = 0;
    whole = send_all(peer, head) && send_all(peer, raw) && receive_all(peer, answer);
    if (!whole) {
        int reason = errno;
        close(peer);
        errno = reason;
        return LOST;
    }
    close(peer);
    return ANSWERED;
}

static void ask_until_answered(const char *path, const Bytes *head, const Bytes *raw, Bytes *answer) {
    static const double pauses[] = {CHECKRAIL_PAUSES};
    size_t number;
    int lost = 0;
    for (number = 0; number < sizeof pauses / sizeof *pauses; number++) {
        Outcome found = ask(path, head, raw, answer);
        struct timespec pause;
        if (found == ANSWERED) return;
        if ((lost += found == LOST) > 2 || pauses[number] > 2) { /* the call itself may be what ends the workers */
            if (errno) fail("asking the daemon");
            block("no whole answer");
        }
        if (found == LOST || !number) start(path); /* what is started ends at once where a daemon is alive */
        pause.tv_sec = (time_t)pauses[number];
        pause.tv_nsec = (long)((pauses[number] - (double)pause.tv_sec) * 1e9);
        while (nanosleep(&pause, &pause) && errno == EINTR) continue;
    }
    block("no daemon answers");
}

static void give_back(int stream, const unsigned char *text, size_t size) {
    while (size) {
        ssize_t written = write(stream, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("giving the answer back");
        text += written;
        size -= (size_t)written;
    }
}

int main(int count, char **words) {
    const char *agent = NULL, *event = "", *path = CHECKRAIL_SOCKET;
    Bytes raw = {0}, head = {0}, frame = {0}, answer = {0};
    int number, wait = 0;
    size_t errors;
    arm(CHECKRAIL_DEADLINE);
    for (number = 1; number + 1 < count; number += 2) {
        if (!strcmp(words[number], "--agent")) agent = words[number + 1];
        else if (!strcmp(words[number], "--event")) event = words[number + 1];
        else if (!strcmp(words[number], "--socket")) path = words[number + 1];
        else if (!strcmp(words[number], "--wait")) wait = seconds_from(words[number + 1]);
    }
    if (wait) arm(CHECKRAIL_DEADLINE + wait); /* for a person */
    for (number = 0; number < 3; number++) make_blocking(number);
    read_event(&raw);
    if (!agent) block("the hook was not told its --agent");
    gather_variables();
    gather_head(&head, agent, event, wait);
    add(&frame, "CKR1", 4);
    add_length(&frame, head.size);
    add_length(&frame, raw.size);
    add(&frame, head.data, head.size);
    ask_until_answered(path, &frame, &raw, &answer);
    errors = 13 + length_at(answer.data + 5);
    give_back(2, answer.data + errors, answer.size - errors);
    give_back(1, answer.data + 13, errors - 13);
    _exit(answer.data[4]);
}
