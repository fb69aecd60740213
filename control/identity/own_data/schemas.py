"""API schemas of a user's own data: its export, its deletion, unwanted mails."""

from typing import Annotated, Any

from pydantic import Field

from common.contract.models import Timestamp, WireIn, WireOut
from control.foundation.wire_types import Distinct
from control.identity.own_data.mail_topics import OptionalMail, WeeklyMail


class PasswordProof(WireIn):
    password: str = Field(max_length=1024, description="Your own password, as confirmation.")


class UserDeletion(PasswordProof):
    close_accounts: Annotated[bool, Field(strict=True)] = Field(
        default=False,
        description="Whether to close the open accounts whose only owner you are, permanently, instead of 409.",
    )


class MailChoicesPatch(WireIn):
    off: Annotated[list[OptionalMail], Field(max_length=len(OptionalMail)), Distinct] = Field(
        description="Mails that you do not want. All others are sent."
    )
    monthly: Annotated[list[WeeklyMail], Field(max_length=len(WeeklyMail)), Distinct] = Field(
        default=[],
        description="Weekly mails that you want every four weeks. Unchanged where the field is absent.",
    )


class MailChoicesPublic(WireOut):
    off: list[OptionalMail] = Field(description="Mails that you do not want.")
    monthly: list[WeeklyMail] = Field(description="Weekly mails that you want every four weeks.")


class OwnDataExport(WireOut):
    """Everything stored about the signed-in user, in all accounts. Secrets are stored as hashes and not included."""

    exported_at: Timestamp
    user: dict[str, Any] = Field(
        description="Id, email address, name, language, dates, refused mails."
    )
    memberships: list[dict[str, Any]] = Field(description="Your accounts, with your role in each.")
    invitations_sent: list[dict[str, Any]] = Field(description="Open invitations that you sent.")
    sessions: list[dict[str, Any]] = Field(
        description="Sessions on record, with the address and browser of each sign-in."
    )
    known_networks: list[dict[str, Any]] = Field(
        description="Networks from which you signed in during the last 90 days."
    )
    second_factor: dict[str, Any] | None = Field(
        description="When it was set up and turned on; null without one."
    )
    keys_created: list[dict[str, Any]] = Field(description="Keys that you created.")
    saved_views: list[dict[str, Any]] = Field(description="Views of reports that you saved.")
    privacy_requests: list[dict[str, Any]] = Field(description="Privacy requests that you made.")
    audit_lines: list[dict[str, Any]] = Field(
        description="What you did, newest first; at most 10,000 lines."
    )
