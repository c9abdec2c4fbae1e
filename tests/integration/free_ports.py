"""Ports for programs that are told theirs before they listen."""
import random
import socket

FIRST = 10000


def free_ports(count):
    """The first of so many in a row, below those the kernel gives away: what runs beside this test
    takes none of them between now and when the program listens."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as limits:
        end = max(int(limits.read().split()[0]), FIRST + 10000)
    for _ in range(1000):
        first = random.randrange(FIRST, end - count)
        taken = []
        try:
            for port in range(first, first + count):
                taken.append(socket.create_server(("127.0.0.1", port)))
            return first
        except OSError:
            pass
        finally:
            for one in taken:
                one.close()
    raise OSError(f"no {count} ports in a row are free from {FIRST} to {end}")
