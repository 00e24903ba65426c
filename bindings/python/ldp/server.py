"""Access to the server over a connection of a PostgreSQL driver.

The driver must follow the DB-API 2.0 (PEP 249), take parameters as %s, and report SQLSTATEs as psycopg2 and psycopg do.
These two drivers are tested.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from .client import Batch, Outcome
from .delivery import Action, Request, settled, sql_step
from .errors import Code, Error

if TYPE_CHECKING:
    import pandas


def fetch_spec(connection: Any, collection: str) -> str:
    """Returns the spec of a collection in the form that Collection(…) accepts.

    Raises the driver's exceptions, also if the collection does not exist.
    """
    return str(_run(connection, "SELECT ldp_client_spec(%s::text)::text", (collection,))[1][0][0])


def frame(connection: Any, sql: str, parameters: Sequence[Any] = ()) -> pandas.DataFrame:
    """Returns the rows of a query as a data frame. Needs pandas. Raises the driver's exceptions."""
    import pandas

    names, rows = _run(connection, sql, parameters)
    return pandas.DataFrame(rows, columns=names)


def estimate(connection: Any, collection: str, round: int | None = None, **arguments: Any) -> pandas.DataFrame:
    """Returns the estimates of a collection as a data frame, with one row for each label and for the mean of each number.

    Without `round`, the estimates are about the last round with enough reports. Further arguments are passed to the SQL function
    ldp_estimate (doc/sql.md) by name.
    """
    for name in arguments:
        if not name.isidentifier():
            raise Error(Code.INVALID_VALUE, f"{name!r} is not a valid argument name")
    named = "".join(f', "{name}" => %s' for name in arguments)
    source, values = ("%s::text", (collection,)) if round is None else ("ldp_summary_of(%s::text, %s::integer)", (collection, round))
    return frame(connection, f"SELECT * FROM ldp_estimate({source}{named})", (*values, *arguments.values()))


class Uploader:
    """A transport over a database connection, whose role must be a member of ldp_submitter.

    No transaction may be open in the connection during a flush. Each batch is submitted in one transaction under its id,
    and counts once even if it is sent repeatedly. Temporary failures, such as a restart of the server, are raised as the
    driver's exceptions; flush again.
    """

    def __init__(self, connection: Any, collection: str) -> None:
        self._connection = connection
        self._collection = collection
        #: The id of the server's history at the last delivery; empty if it is unknown.
        self.history = ""

    @property
    def destination(self) -> tuple[str, str]:
        """The address of the database, if the driver has its parameters, and the name of the collection."""
        return _address(self._connection), self._collection

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
            # This attempt was rolled back. An earlier attempt with an unknown outcome holds its claim until it ends. The
            # claim of the revocation waits for that end, and is new only if no attempt was or will be counted.
            request = Request.REVOKE
        return settled(outcome, why)

    def _submit(self, batch: Batch, reports: str) -> bool:
        rows = _run(self._connection,
                    "SELECT ldp_submit_batch(%s, %s::uuid, %s::ldp_report[], %s, %s::jsonb), ldp_internal.ldp_history()",
                    (self._collection, batch.id, reports, batch.round, json.dumps(batch.columns)))[1]
        self.history = str(rows[0][1] or "")
        return int(rows[0][0]) > 0

    def _free(self, batch: Batch) -> bool:
        digest = "\\x" + batch.digest().hex()
        rows = _run(self._connection, "SELECT ldp_claim_batch(%s, %s::uuid, %s::bigint, %s::bytea)",
                    (self._collection, batch.id, len(batch.reports), digest), keep=False)[1]
        return bool(rows[0][0])


def _address(connection: Any) -> str:
    """Returns the address of the database of a connection of psycopg2 or psycopg: all hosts among which libpq chose, so that a
    failover does not change it. Returns an empty text for other drivers."""
    info = getattr(connection, "info", None)
    found = getattr(info, "dsn_parameters", None)  # psycopg2
    if found is None and info is not None and hasattr(info, "get_parameters"):  # psycopg
        found = info.get_parameters()
    if not isinstance(found, dict):
        return ""
    hosts = (found.get("host") or found.get("hostaddr") or "").split(",")
    ports = (found.get("port") or "5432").split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    name = found.get("dbname") or found.get("user") or str(getattr(info, "dbname", ""))
    places = ",".join(("[%s]" % host if ":" in host and not host.startswith("[") else host) + ":" + port
                      for host, port in zip(map(_quoted, hosts), ports))
    return f"postgresql://{places}/{_quoted(name)}"


def _quoted(part: str) -> str:
    """Returns a part of an address, without the characters that separate parts."""
    return part.replace("%", "%25").replace("/", "%2F").replace("@", "%40")


def _encoding(connection: Any) -> str:
    """Returns the client encoding of a connection of psycopg2 or psycopg, in upper-case letters and digits; empty if unknown."""
    found = getattr(connection, "encoding", None)  # psycopg2
    if not isinstance(found, str):
        status = getattr(getattr(connection, "info", None), "parameter_status", None)  # psycopg
        found = status("client_encoding") if callable(status) else None
    return "".join(c for c in found.upper() if c.isalnum()) if isinstance(found, str) else ""


def _set_encoding(connection: Any, encoding: str) -> None:
    """Sets the client encoding of a connection in which no transaction is open."""
    own = getattr(connection, "set_client_encoding", None)
    if callable(own):  # psycopg2, which does not notice another change
        own(encoding)
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('client_encoding', %s, false)", (encoding,))
    if not getattr(connection, "autocommit", False):
        connection.commit()


def _run(connection: Any, sql: str, parameters: Sequence[Any], keep: bool = True) -> tuple[list[str], list[Any]]:
    """Runs a statement in UTF-8 in a transaction of its own. Returns the names of its columns, and its rows."""
    encoding = _encoding(connection)
    if encoding in ("", "UTF8", "UNICODE"):
        return _run_in_utf8(connection, sql, parameters, keep)
    _set_encoding(connection, "UTF8")
    try:
        return _run_in_utf8(connection, sql, parameters, keep)
    finally:
        if not getattr(connection, "closed", False):
            _set_encoding(connection, "SQL_ASCII" if encoding == "SQLASCII" else encoding)


def _run_in_utf8(connection: Any, sql: str, parameters: Sequence[Any], keep: bool) -> tuple[list[str], list[Any]]:
    cursor = connection.cursor()
    explicit = not keep and bool(getattr(connection, "autocommit", False))
    try:
        if explicit:
            cursor.execute("BEGIN")
        cursor.execute(sql, tuple(parameters))
        names = [column[0] for column in cursor.description or ()]
        # A row factory of the connection may make a mapping of each row.
        rows = [tuple(row[name] for name in names) if isinstance(row, Mapping) else tuple(row)
                for row in cursor.fetchall()] if names else []
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
        except Exception:  # the connection is lost: the first exception is raised
            pass
        raise
    finally:
        cursor.close()


def _state(error: Exception) -> str:
    """Returns the SQLSTATE of an exception of psycopg2 or psycopg."""
    found = getattr(error, "pgcode", None) or getattr(error, "sqlstate", None)
    return found if isinstance(found, str) else ""
