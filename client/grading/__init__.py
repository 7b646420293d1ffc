"""Grade a folder of submissions: one program per student, judged by goals in games against fixed opponents.

submissions.py   who handed in what                       course_file.py  the file course.toml
toolchains.py    how a submission is built and run        build.py        build it in a jail
cases.py         compare output files with expected ones  smoke_test.py   ask for moves in ten positions
games.py         the tournament of one submission         work_folder.py  what is known about a submission
assessment.py    all of this for one submission           class_run.py    all submissions of a class
grade.py         points and evidence                      export.py       tables and pages
"""
