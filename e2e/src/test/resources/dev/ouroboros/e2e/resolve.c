/* What the C library it is linked with makes of a name: each address, and the name of that address. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    struct addrinfo hints, *found, *each;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    int failed = argc < 2 || getaddrinfo(argv[1], 0, &hints, &found);
    for (each = failed ? 0 : found; each; each = each->ai_next) {
        char text[128], name[256];
        getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, 0, 0, NI_NUMERICHOST);
        int unnamed = getnameinfo(each->ai_addr, each->ai_addrlen, name, sizeof name, 0, 0, NI_NAMEREQD);
        printf("%s %s\n", text, unnamed ? "-" : name);
    }
    return failed;
}
