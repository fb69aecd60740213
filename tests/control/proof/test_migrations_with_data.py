"""From the release before to the newest schema and back, with a row in every table: nothing is lost on the way."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from control.database import DatabaseRole, open_engine
from control.migrate import alembic_config, migrate
from tests.control.proof.rows import Rows
from tests.support.servers import PostgresServer

_RELEASED = "0004"
"""The newest revision of the release before."""
