"""Bots that are external programs, in any language.

program.py        a program and its settings         limits.py           resource limits of a program
process.py        a process and its termination      child.py            a running program and its pipes
reaper.py         kill programs whose bot was killed watch.py            add up the memory and files of jailed programs
failure.py        how a program failed               violation.py        which limit a failed program has met
crash_report.py   the evidence of a failure          jail/               run programs confined
line_protocol.py  requests and answers, pure         line_bot.py         a bot that speaks the line protocol
ugi_bot.py        a bot that speaks UGI              oneshot_bot.py      a bot that runs a program once per turn
adapters/         file formats of the assignments    workdir.py          the folders that programs run in
recipe.py         how to play with a program         interactive_bot.py  a bot that plays by a recipe
                  that was written for a person
"""
