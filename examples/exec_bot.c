/* cc -O2 -o exec_bot exec_bot.c && parlour bot --exec ./exec_bot */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void) {
    char *line = NULL;
    size_t size = 0;
    srand((unsigned)time(NULL));
    while (getline(&line, &size, stdin) > 0) {
        char *list = strstr(line, "\"moves\":[");
        char *end = list ? strchr(list, ']') : NULL;
        int count = 0;
        if (!end) return 1;
        *end = 0;
        for (char *at = list; (at = strchr(at, ',')) != NULL; at++) count++;
        int chosen = rand() % (count + 1);
        char *move = strtok(list + strlen("\"moves\":["), "\",");
        for (int i = 0; i < chosen; i++) move = strtok(NULL, "\",");
        puts(move);
        fflush(stdout);
    }
    return 0;
}
