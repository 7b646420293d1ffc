"""Bots that are external programs, in any language.

limits.py         resource limits of a program       child.py          a running program and its pipes
process.py        a process and its termination      reaper.py         kill programs whose bot was killed
failure.py        how a program failed               crash_report.py   the evidence of a failure, in a folder
line_protocol.py  requests and answers, pure         line_bot.py       a bot that speaks the line protocol
adapters/         file formats of the assignments    oneshot_bot.py    a bot that runs a program once per turn
program.py        a program and its settings         workdir.py        the folders that programs run in
"""
