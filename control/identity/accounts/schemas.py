"""API schemas of accounts and users."""

from pydantic import Field

from common.contract.models import Currency, Timestamp, WireIn, WireOut
from common.contract.permissions import Role
from common.values.enums import AccountState
from control.foundation.languages import Language
from control.foundation.resource_models import from_row
from control.identity.passwords.schemas import NewPassword
from control.identity.users.addresses import Email
from control.identity.users.names import Name
from control.storage.tables.accounts import AccountRow


class AccountCreate(WireIn):
    name: Name = Field(description="Name of the account, such as your company's.")
    owner_name: Name | None = Field(
        None,
        description="Name of the owner, as members and mails show it; null: the account's name.",
    )
    email: Email = Field(description="Email address of the owner, used to sign in.")
    password: NewPassword
    currency: Currency = Field(
        "USD",
        description=(
            "ISO 4217 code; cannot be changed later. A cent is a hundredth of the currency, whatever its coins."
        ),
    )
    language: Language | None = Field(
        None, description="Language of the mails to you; null: English."
    )


class AccountPublic(WireOut):
    id: str
    name: str
    currency: str = Field(
        description="ISO 4217 code; all amounts of the account are in this currency."
    )
    state: AccountState = Field(description="`suspended`: every key is refused, on edges too.")
    state_reason: str | None = Field(
        description="`payment_failed`, `subscription_ended`, `operator` or `closed`; null while active."
    )
    stopped: bool = Field(description="Whether the account has stopped its live serving.")
    billing_mode: str = Field(description="`invoiced` or `prepaid`.")
    address_verified: bool = Field(
        description=(
            "Whether an owner has verified their email address. Until then the account can neither invite members nor "
            "serve live ads."
        )
    )
    review_required: bool = Field(
        description="Whether live campaigns and ads need approval by an owner or admin before they run."
    )
    require_second_factor: bool = Field(
        description="Whether owners, admins and finance members need a second factor."
    )
    version: int
    created_at: Timestamp
    updated_at: Timestamp


class UserPublic(WireOut):
    id: str
    email: str
    name: str
    email_verified: bool = Field(description="Whether the email address is verified.")
    role: Role


class AccountCreated(WireOut):
    account: AccountPublic
    user: UserPublic


def account_public(row: AccountRow) -> AccountPublic:
    return from_row(AccountPublic, row, address_verified=row.address_verified_at is not None)
