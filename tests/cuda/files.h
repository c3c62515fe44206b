// File descriptors that one process sends to another over a socket.
#pragma once
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>

// A file descriptor goes with a message.
static void send_file(int to, int file)
{
    char byte = 0, room[CMSG_SPACE(sizeof(int))] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data, message.msg_iovlen = 1;
    message.msg_control = room, message.msg_controllen = sizeof room;
    cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
    same("a file is sent", sendmsg(to, &message, 0) == 1);
}

static int receive_file(int from)
{
    char byte, room[CMSG_SPACE(sizeof(int))] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data, message.msg_iovlen = 1;
    message.msg_control = room, message.msg_controllen = sizeof room;
    int file = -1;
    if (recvmsg(from, &message, 0) == 1 && CMSG_FIRSTHDR(&message))
        std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}
