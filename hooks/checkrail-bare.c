/* The few functions of a C library that the hook uses, as system calls of Linux on x86-64.
 *
 * A C library asks the processor what it can do before it calls main. Under a hypervisor each such question is a trip out of
 * the virtual machine, and all together they cost more than the rest of the hook. `checkrail install` puts this text before
 * that of the hook and links nothing else; where it does not compile or run, the system's own library is taken. The
 * declarations and layouts are those of the system's headers. */
#if !defined __linux__ || !defined __x86_64__ || defined __ILP32__
#error "the hook without a C library is there for Linux on x86-64 only"
#endif
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BEFORE ((size_t)16)         /* bytes before an allocation that hold its size */
#define KERNEL_MASK ((long)8)       /* bytes of the kernel's set of signals */
#define KERNEL_RESTORER 0x04000000L /* SA_RESTORER, which headers do not show */

char **environ;
int main(int count, char **words);
int *__errno_location(void); /* what errno stands for, in glibc and musl */
void bare_main(long *stack);
void bare_restore(void);

static int last_error;

int *__errno_location(void) { return &last_error; }

static long ask_kernel(long number, long a, long b, long c, long d, long e) {
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    register long sixth __asm__("r9") = 0; /* an offset of nothing, for the one that takes it */
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                     : "rcx", "r11", "memory");
    if (result < 0 && result > -4096) {
        last_error = (int)-result;
        return -1;
    }
    return result;
}

#define ASK3(name, a, b, c) ask_kernel(SYS_##name, (long)(a), (long)(b), (long)(c), 0, 0)

/* The stack as the kernel leaves it: the number of words, the words, NULL, the environment, NULL. */
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall bare_main\n\thlt\n");
__asm__(".globl bare_restore\nbare_restore:\n\tmov $15, %eax\n\tsyscall\n"); /* rt_sigreturn */

void bare_main(long *stack) {
    char **words = (char **)(stack + 1);
    environ = words + *stack + 1;
    _exit(main((int)*stack, words));
}

void _exit(int code) {
    for (;;) ASK3(exit_group, code, 0, 0);
}

ssize_t read(int file, void *into, size_t size) { return ASK3(read, file, into, size); }
ssize_t write(int file, const void *from, size_t size) { return ASK3(write, file, from, size); }
int close(int file) { return (int)ASK3(close, file, 0, 0); }
int dup2(int from, int to) { return (int)ASK3(dup2, from, to, 0); }
int stat(const char *restrict path, struct stat *restrict found) { return (int)ASK3(stat, path, found, 0); }
uid_t geteuid(void) { return (uid_t)ASK3(geteuid, 0, 0, 0); }
pid_t fork(void) { return (pid_t)ASK3(fork, 0, 0, 0); }
pid_t setsid(void) { return (pid_t)ASK3(setsid, 0, 0, 0); }
int execve(const char *path, char *const words[], char *const around[]) { return (int)ASK3(execve, path, words, around); }
int socket(int domain, int type, int protocol) { return (int)ASK3(socket, domain, type, protocol); }
int nanosleep(const struct timespec *pause, struct timespec *left) { return (int)ASK3(nanosleep, pause, left, 0); }
int sigemptyset(sigset_t *set) { return memset(set, 0, sizeof *set) ? 0 : -1; }

int open(const char *path, int flags, ...) { return (int)ASK3(open, path, flags, 0); } /* never one that creates */

int fcntl(int file, int what, ...) {
    va_list more;
    long value;
    va_start(more, what);
    value = what == F_SETFL ? va_arg(more, int) : 0;
    va_end(more);
    return (int)ASK3(fcntl, file, what, value);
}

int connect(int file, const struct sockaddr *address, socklen_t size) { return (int)ASK3(connect, file, address, size); }

int setsockopt(int file, int level, int option, const void *value, socklen_t size) {
    return (int)ask_kernel(SYS_setsockopt, file, level, option, (long)value, (long)size);
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict timer, struct itimerval *restrict before) {
    return (int)ASK3(setitimer, which, timer, before);
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict before) {
    return (int)ask_kernel(SYS_rt_sigprocmask, how, (long)set, (long)before, KERNEL_MASK, 0);
}

int sigaction(int number, const struct sigaction *restrict wanted, struct sigaction *restrict before) {
    struct {
        void (*handler)(int);
        long flags;
        void (*restorer)(void);
        unsigned long mask;
    } own = {wanted->sa_handler, wanted->sa_flags | KERNEL_RESTORER, bare_restore, 0};
    (void)before; /* nobody asks */
    return (int)ask_kernel(SYS_rt_sigaction, number, (long)&own, 0, KERNEL_MASK, 0);
}

/* A directory that cannot be reached from the root is none, as in C libraries. */
char *getcwd(char *into, size_t size) {
    if (ASK3(getcwd, into, size, 0) > 0 && *into == '/') return into;
    return NULL;
}

/* Grows only: what is given back would be taken again at once, and the process is about to end. */
void *realloc(void *old, size_t size) {
    char *before = old ? (char *)old - BEFORE : NULL;
    long found = before ? ask_kernel(SYS_mremap, (long)before, (long)*(size_t *)(void *)before, (long)(size + BEFORE), 1, 0)
                        : ask_kernel(SYS_mmap, 0, (long)(size + BEFORE), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (found == -1) return NULL;
    *(size_t *)found = size + BEFORE;
    return (char *)found + BEFORE;
}

void *memcpy(void *restrict into, const void *restrict from, size_t size) {
    void *at = into;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
    return into;
}

void *memset(void *into, int byte, size_t size) {
    void *at = into;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(byte) : "memory");
    return into;
}

#define HERE __asm__ volatile("") /* keeps a compiler from making a call of the very function out of the loop in it */

int memcmp(const void *one, const void *two, size_t size) {
    const unsigned char *a = one, *b = two;
    for (; size; size--, a++, b++) {
        HERE;
        if (*a != *b) return *a - *b;
    }
    return 0;
}

int strcmp(const char *one, const char *two) {
    for (; *one && *one == *two; one++, two++) HERE;
    return (unsigned char)*one - (unsigned char)*two;
}

int strncmp(const char *one, const char *two, size_t size) {
    for (; size && *one && *one == *two; size--, one++, two++) HERE;
    return size ? (unsigned char)*one - (unsigned char)*two : 0;
}

size_t strlen(const char *text) {
    size_t size = 0;
    for (; text[size]; size++) HERE;
    return size;
}

char *strrchr(const char *text, int byte) {
    const char *found = NULL;
    for (; *text; text++) {
        HERE;
        if (*text == (char)byte) found = text;
    }
    return (char *)found;
}

char *strerror(int number) {
    static const struct {
        int number;
        const char *text;
    } known[] = {{ENOENT, "No such file or directory"}, {ECONNREFUSED, "Connection refused"}, {EACCES, "Permission denied"},
                 {EAGAIN, "Resource temporarily unavailable"}, {EPIPE, "Broken pipe"}, {EBADF, "Bad file descriptor"},
                 {ECONNRESET, "Connection reset by peer"}, {EMFILE, "Too many open files"}, {ENOSPC, "No space left on device"}};
    static char other[16] = "error ";
    size_t at;
    for (at = 0; at < sizeof known / sizeof *known; at++)
        if (known[at].number == number) return (char *)known[at].text;
    for (at = 6; at < 10; at++) {
        other[at] = (char)('0' + number / (at == 6 ? 1000 : at == 7 ? 100 : at == 8 ? 10 : 1) % 10);
    }
    return other;
}
/* End of what stands in for a C library. */
