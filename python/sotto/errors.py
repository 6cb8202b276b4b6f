"""What can go wrong, by the name of the error's code, and what is said aloud of a result."""

from sotto._sotto import exit_statuses


class Error(Exception):
    """One line that says what to change; no value of a row is ever in it.

    ``exit_status`` is the status with which the program ``sotto`` ends after the same error.
    """

    exit_status: int = exit_statuses["InternalError"]


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
