"""Private aggregate queries inside PostgreSQL, from Python: see doc/python.md.

    import ldp

    region = ldp.Collection({"mechanism": "grr", "epsilon": 1,
                             "attributes": [{"name": "region", "domain": ["north", "south"]}]})
    client = ldp.Client(region, "region.ldp")
    client.report({"region": "south"})
    client.flush(ldp.Uploader(connection, "region"))
"""

from .client import (Account, Batch, BatchTransport, Client, Fleet, Flushed, Ledger, Origin, Outcome, PermanentResponse,
                     Receipt, Spent, Undelivered)
from .collection import Collection
from .columns import TOKEN_COLUMN
from .contract import Terms
from .drawing import Drawing, plot
from .endpoint import Endpoint, HttpUploader, Send
from .errors import Change, Changed, Code, Error
from .native import version
from .planning import plan, plan_record, simulate, simulate_summary
from .server import Uploader, estimate, fetch_spec, frame
from .summary import Groups, Summary, summarize

__all__ = [
    "Account", "Batch", "BatchTransport", "Change", "Changed", "Client", "Code", "Collection", "Drawing", "Endpoint", "Error", "Fleet", "Flushed", "Groups", "HttpUploader",
    "Ledger", "Origin", "Outcome", "PermanentResponse", "Receipt", "Send", "Spent", "Summary", "TOKEN_COLUMN", "Terms", "Undelivered", "Uploader", "estimate", "fetch_spec", "frame",
    "plan", "plan_record", "plot", "simulate", "simulate_summary", "summarize", "version",
]
__version__ = version()
