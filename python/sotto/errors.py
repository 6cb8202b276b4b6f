"""What can go wrong, by the name of the error's code, and what is said aloud of a result."""

import re

from sotto._sotto import exit_statuses

# An option of the program, where it is no part of a command or of a file's name.
_OPTION = re.compile(r"(sotto \w+ )?(?<![\w-])--([a-z][a-z-]*)(?![\w/-]|\.\w)( (?=\d))?")


def in_words_of_python(sentence: str) -> str:
    """Options of the program are arguments here."""
    return _OPTION.sub(lambda found: found[0] if found[1] else found[2].replace("-", "_") + ("=" if found[3] else ""), sentence)


class Error(Exception):
    """One line that says what to change; no value of a row is ever in it.

    ``exit_status`` is the status with which the program ``sotto`` ends after the same error. Options of the program are arguments here.
    """

    exit_status: int = exit_statuses["InternalError"]

    def __init__(self, sentence: object = "") -> None:
        super().__init__(in_words_of_python(str(sentence)))


class UsageError(Error):
    """The call itself is wrong."""

    exit_status = exit_statuses["UsageError"]


class DataError(Error):
    """A table's form, never a row's value, is not as declared."""

    exit_status = exit_statuses["DataError"]


class NoInputError(Error):
    """An input file does not exist."""

    exit_status = exit_statuses["NoInputError"]


class UnavailableError(Error):
    """A peer does not answer, or the program ``sotto`` that is to ask it is not there."""

    exit_status = exit_statuses["UnavailableError"]


class InternalError(Error):
    """A bug of ours."""

    exit_status = exit_statuses["InternalError"]


class CannotCreateError(Error):
    """An output cannot be created, or would replace what was paid for."""

    exit_status = exit_statuses["CannotCreateError"]


class IoError(Error):
    """Reading or writing failed."""

    exit_status = exit_statuses["IoError"]


class BudgetError(Error):
    """The privacy budget is spent, or cannot pay for what was asked."""

    exit_status = exit_statuses["BudgetError"]


class ConfigurationError(Error):
    """A setting is missing, unknown or out of range."""

    exit_status = exit_statuses["ConfigurationError"]


_BY_STATUS = {kind.exit_status: kind for kind in Error.__subclasses__()}


def error_of(exit_status: int, sentence: str) -> Error:
    """What the program says as it ends with this status, which is not 0; what no error ends with is an InternalError."""
    return _BY_STATUS.get(exit_status, InternalError)(sentence)


class SottoWarning(UserWarning):
    """What a result says of itself: what the noise hides, what the draws cannot tell."""
