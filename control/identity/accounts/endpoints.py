"""Sign-up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from common.contract.operation import Answer, Operation
from common.http.client_address import site_of
from common.snapshot.model import ObjectType
from common.values.errors import Detail, ErrorCode, Refused
from common.values.messages import Message
from control.api import audit
from control.api.call import Call, Endpoint, PreparedInput, PreTransactionCall, Reply
from control.foundation.password_hashing import Passwords
from control.foundation.rate_limit import Rate
from control.identity.accounts.examples import ACCOUNT_BODY, NEW_ACCOUNT
from control.identity.accounts.queries import add_account, begin_trial, find_user_by_email
from control.identity.accounts.schemas import (
    AccountCreate,
    AccountCreated,
    UserPublic,
    account_public,
)
from control.identity.email_verification.verify import send_verification
from control.identity.passwords.rules import check_password
from control.identity.users.trusted_networks import remember_network
from control.storage.db_rate_limit import Throttle, too_many

_MAX_SLOTS = 20
"""Rows for one network. A refused sign-up sends two statements for each."""
_SLOT = Throttle("sign-up", Rate(1, 3600.0, burst=1))

CREATE = Operation(
    id="createAccount",
    method="POST",
    path="/v1/accounts",
    tag="Accounts",
    summary="Create an account",
    description=(
        "Creates an account and its owner, who then signs in at `POST /v1/auth/token`. The owner receives an email to "
        "verify the address; until then the account can neither invite members nor serve live ads. One network (IPv4 "
        "/24, IPv6 /56) can try ten sign-ups an hour, rejected ones included; the operator can change that number."
    ),
    body=AccountCreate,
    body_example=ACCOUNT_BODY,
    answers=(Answer(201, "The new account and its owner.", AccountCreated, example=NEW_ACCOUNT),),
    errors=(ErrorCode.ALREADY_EXISTS,),
    creates=True,
)


async def take_sign_up(session: AsyncSession, now: datetime, site: str, per_hour: int) -> float:
    """
    Returns 0.0 and counts a sign-up of the network *site*, or returns the seconds until one would be admitted. No hour
    has more than *per_hour*.

    Up to `_MAX_SLOTS` an hour, each is counted by itself, once an hour, and all may come at once. Beyond, half may come
    at once and the others over the hour.
    """
    if per_hour > _MAX_SLOTS:
        burst = per_hour // 2
        rate = Rate(per_hour - burst, 3600.0, burst=burst)
        return await Throttle("sign-up", rate).take(session, now, site)
    wait_s = 3600.0
    for slot in range(per_hour):
        slot_wait_s = await _SLOT.take(session, now, site, str(slot))
        if slot_wait_s <= 0:
            return 0.0
        wait_s = min(wait_s, slot_wait_s)
    return wait_s


@asynccontextmanager
async def hash_password(call: PreTransactionCall) -> AsyncIterator[PreparedInput]:
    """
    Hash the password before the transaction, because that takes long and because a rejected sign-up must stay counted.
    Raises `Refused` (429) for too many sign-ups from one network: nothing else bounds how many addresses a client can
    probe (`docs/threat-model.md`).
    """
    body: AccountCreate = call.body
    async with call.control.database.service() as session:
        per_hour = call.control.settings.sign_ups_per_hour
        wait_s = await take_sign_up(session, call.now, site_of(call.client_ip), per_hour)
        if wait_s > 0:
            raise too_many(wait_s)
    check_password("password", body.password, body.email, body.name)
    yield PreparedInput(await call.control.get(Passwords).hash(body.password))


async def create_account(call: Call) -> Reply:
    body: AccountCreate = call.body
    if await find_user_by_email(call.session, body.email):
        raise _taken()
    account, user, role = await add_account(
        call.session,
        name=body.name,
        owner_name=body.owner_name or body.name,
        email=body.email,
        password_hash=call.prepared,
        currency=body.currency,
        language=body.language,
        credit_limit_cents=call.control.settings.new_account_credit_limit_cents or None,
        now=call.now,
    )
    begin_trial(account, call.control.settings, call.now)
    audit.record_person(
        call,
        user.id,
        account_id=account.id,
        action="account.create",
        object_type="account",
        object_id=account.id,
    )
    await remember_network(call.session, user.id, call.client_ip, call.now)
    try:
        await send_verification(call.session, call.control, user, call.now)
    except Refused:
        # Invitations have used up the address's mails of the day. The sign-up succeeds; the mail can be sent tomorrow.
        # Otherwise three invitations a day would prevent anyone from signing up.
        call.detail["verification_mail"] = "not sent"
    call.changes.touch(ObjectType.ACCOUNT, account.id)
    public_user = UserPublic(
        id=user.id, email=user.email, name=user.name, email_verified=False, role=role
    )
    return Reply(AccountCreated(account=account_public(account), user=public_user), status=201)


def _taken() -> Refused:
    message = Message(
        "This address already has an account. Sign in at POST /v1/auth/token, or use another "
        "address."
    )
    return Refused(
        ErrorCode.ALREADY_EXISTS,
        message,
        param="email",
        details=(Detail("email", "taken", message),),
    )


ENDPOINTS = (Endpoint(CREATE, create_account, prepare=hash_password),)
