"""The server, through any connection of a PostgreSQL driver that follows the DB-API 2.0 (PEP 249) and writes parameters as
%s, and SQLSTATEs as psycopg2 and psycopg tell them, which are tested.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Sequence

from .client import Batch, Outcome
from .delivery import Action, Request, settled, sql_step
from .errors import Code, Error

if TYPE_CHECKING:
    import pandas


def fetch_spec(connection: Any, collection: str) -> str:
    """The spec of a collection, as the server hands it to clients: for Collection(…).

    Raises what the driver raises, also where there is no such collection.
    """
    return str(_run(connection, "SELECT ldp_client_spec(%s::text)::text", (collection,))[1][0][0])


def frame(connection: Any, sql: str, parameters: Sequence[Any] = ()) -> pandas.DataFrame:
    """The rows of a query as a data frame. Needs pandas; raises what the driver raises."""
    import pandas

    names, rows = _run(connection, sql, parameters)
    return pandas.DataFrame(rows, columns=names)


def estimate(connection: Any, collection: str, **arguments: Any) -> pandas.DataFrame:
    """What the reports of a collection tell, as a data frame: a row for each label, or for each number's mean.

    Further arguments are those of the SQL function ldp_estimate (doc/sql.md), by name.
    """
    for name in arguments:
        if not name.isidentifier():
            raise Error(Code.INVALID_VALUE, f"{name!r} is no name of an argument")
    named = "".join(f', "{name}" => %s' for name in arguments)
    return frame(connection, f"SELECT * FROM ldp_estimate(%s::text{named})", (collection, *arguments.values()))


class Uploader:
    """A transport over a connection, which must have no transaction open meanwhile, and the role ldp_submitter.

    Each batch is one transaction, under its id: however often it is sent, it counts once. What passes (a server that
    restarts, a lock) is raised as the driver raises it; flush again.
    """

    def __init__(self, connection: Any, collection: str) -> None:
        self._connection = connection
        self._collection = collection

    def __call__(self, batch: Batch) -> bool:
        reports = "{" + ",".join(report.hex() for report in batch.reports) + "}"
        why = ""
        request, action, outcome = Request.SUBMIT, Action.REVOKE, Outcome.LATER
        while action is Action.REVOKE:
            try:
                fresh = self._submit(batch, reports) if request is Request.SUBMIT else self._free(batch)
                action, outcome = sql_step(request, outcome, "00000", fresh)
            except Exception as error:
                action, outcome = sql_step(request, outcome, _state(error), False)
                if action not in (Action.REVOKE, Action.SETTLE):
                    raise
                why = why or str(error).strip()
            # This attempt was undone. An earlier one, whose end nobody saw, holds its claim until it ends: the claim waits
            # for it, and is new only if no attempt was or will be counted.
            request = Request.REVOKE
        return settled(outcome, why)

    def _submit(self, batch: Batch, reports: str) -> bool:
        rows = _run(self._connection, "SELECT ldp_submit_batch(%s, %s::uuid, %s::ldp_report[], %s)",
                    (self._collection, batch.id, reports, batch.round))[1]
        return int(rows[0][0]) > 0

    def _free(self, batch: Batch) -> bool:
        text = f"{batch.round}:" + ",".join(report.hex() for report in batch.reports)
        digest = "\\x" + hashlib.sha256(text.encode()).hexdigest()
        rows = _run(self._connection, "SELECT ldp_claim_batch(%s, %s::uuid, %s::bigint, %s::bytea)",
                    (self._collection, batch.id, len(batch.reports), digest), keep=False)[1]
        return bool(rows[0][0])


def _run(connection: Any, sql: str, parameters: Sequence[Any], keep: bool = True) -> tuple[list[str], list[Any]]:
    """Runs a statement in a transaction of its own: the names of its columns, and its rows."""
    cursor = connection.cursor()
    explicit = not keep and bool(getattr(connection, "autocommit", False))
    try:
        if explicit:
            cursor.execute("BEGIN")
        cursor.execute(sql, tuple(parameters))
        names = [column[0] for column in cursor.description or ()]
        rows = cursor.fetchall() if names else []
        if explicit:
            cursor.execute("ROLLBACK")
        elif keep:
            connection.commit()
        else:
            connection.rollback()
        return names, rows
    except Exception:
        try:
            if explicit:
                cursor.execute("ROLLBACK")
            connection.rollback()
        except Exception:  # the connection is gone: what was first counts
            pass
        raise
    finally:
        cursor.close()


def _state(error: Exception) -> str:
    """The SQLSTATE, as psycopg2 or psycopg tells it."""
    found = getattr(error, "pgcode", None) or getattr(error, "sqlstate", None)
    return found if isinstance(found, str) else ""
