"""What a warehouse command can end with, each with its exit code; the message is one line for a person."""

from __future__ import annotations


class WarehouseError(Exception):
    """Base of all; `exit_code` is the one of the command table."""

    exit_code = 1


class BadRequest(WarehouseError):
    """The question cannot be asked so: unknown name, forbidden SQL, malformed file."""

    exit_code = 2


class NothingToDo(WarehouseError):
    """There is nothing to answer with or nothing new."""

    exit_code = 4


class NoGeneration(NothingToDo):
    """Nothing has been published yet in this data directory."""


class Refused(WarehouseError):
    """A gate refuses: lock held, stale file, failed check. Nothing was changed."""

    exit_code = 5
