"""Jails: ways to start a program so that it cannot harm its surroundings.

A jail turns a command into the command that runs it confined. The code that talks to the program does not change.

base.py       the interface, and a program without a jail      bubblewrap.py  a jail of Linux namespaces, without root
container.py  a container of docker or podman                  choice.py      what --jail means on this machine
seccomp.py    the system calls that bubblewrap refuses
"""
