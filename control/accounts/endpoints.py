"""Sign-up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from common.contract.operation import Answer, Operation, Plane
from common.errors import Detail, ErrorCode, Refused
from common.snapshot.model import ObjectType
from control.accounts import audit
from control.accounts.examples import ACCOUNT_BODY, NEW_ACCOUNT
from control.accounts.queries import add_account, find_user_by_email
from control.accounts.schemas import AccountCreate, AccountCreated, UserPublic, account_public
from control.call import Approach, Call, Endpoint, Prepared, Reply
from control.email_verification.verify import send_verification
from control.passwords.rules import check_password
from control.people.origins import note_origin

CREATE = Operation(
    id="createAccount",
    method="POST",
    path="/v1/accounts",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Make an account",
    description=(
        "Makes an account and its owner, who then signs in at `POST /v1/auth/token`. A mail asks to verify the address."
    ),
    body=AccountCreate,
    body_example=ACCOUNT_BODY,
    answers=(Answer(201, "The account and its owner.", AccountCreated, example=NEW_ACCOUNT),),
    errors=(ErrorCode.ALREADY_EXISTS,),
    creates=True,
)


@asynccontextmanager
async def hash_password(approach: Approach) -> AsyncIterator[Prepared]:
    """Before the transaction: a hash takes long."""
    asked: AccountCreate = approach.body
    check_password("password", asked.password, asked.email, asked.name)
    yield Prepared(await approach.control.passwords.hash(asked.password))


async def create_account(call: Call) -> Reply:
    asked: AccountCreate = call.body
    if await find_user_by_email(call.session, asked.email):
        raise _taken()
    account, user, role = await add_account(
        call.session,
        name=asked.name,
        email=asked.email,
        password_hash=call.prepared,
        currency=asked.currency,
        now=call.now,
    )
    audit.record_person(
        call,
        user.id,
        account_id=account.id,
        action="account.create",
        object_type="account",
        object_id=account.id,
    )
    await note_origin(call.session, user.id, call.client_ip, call.now)
    await send_verification(
        call.session, call.control, user_id=user.id, email=user.email, now=call.now
    )
    call.changes.touch(ObjectType.ACCOUNT, account.id)
    public_user = UserPublic(
        id=user.id, email=user.email, name=user.name, email_verified=False, role=role
    )
    return Reply(AccountCreated(account=account_public(account), user=public_user), status=201)


def _taken() -> Refused:
    message = "This address has an account. Sign in at POST /v1/auth/token, or use another address."
    return Refused(
        ErrorCode.ALREADY_EXISTS,
        message,
        param="email",
        details=(Detail("email", "taken", message),),
    )


ENDPOINTS = (Endpoint(CREATE, create_account, prepare=hash_password),)
