"""Sign-up."""

from common.contract.operation import Answer, Operation, Plane
from common.errors import Detail, ErrorCode, Refused
from common.snapshot.model import ObjectType
from control.accounts import audit
from control.accounts.examples import ACCOUNT_BODY, NEW_ACCOUNT
from control.accounts.queries import add_account, find_user_by_email
from control.accounts.schemas import AccountCreate, AccountCreated, UserPublic, account_public
from control.call import Call, Endpoint, Reply

CREATE = Operation(
    id="createAccount",
    method="POST",
    path="/v1/accounts",
    plane=Plane.CONTROL,
    tag="Accounts",
    summary="Make an account",
    description="Makes an account and its owner, who then signs in at `POST /v1/auth/token`.",
    body=AccountCreate,
    body_example=ACCOUNT_BODY,
    answers=(Answer(201, "The account and its owner.", AccountCreated, example=NEW_ACCOUNT),),
    errors=(ErrorCode.ALREADY_EXISTS,),
    creates=True,
)


async def create_account(call: Call) -> Reply:
    asked: AccountCreate = call.body
    if await find_user_by_email(call.session, asked.email):
        raise _taken()
    account, user, role = await add_account(
        call.session,
        name=asked.name,
        email=asked.email,
        password_hash=await call.control.passwords.hash(asked.password),
        currency=asked.currency,
        now=call.now,
    )
    audit.record(
        call.session,
        account_id=account.id,
        now=call.now,
        actor=f"user:{user.id}",
        action=call.operation.id,
        object_type="account",
        object_id=account.id,
        origin=call.client_ip,
        request_id=call.request_id,
    )
    call.changes.touch(ObjectType.ACCOUNT, account.id)
    public_user = UserPublic(id=user.id, email=user.email, name=user.name, role=role)
    return Reply(AccountCreated(account=account_public(account), user=public_user), status=201)


def _taken() -> Refused:
    message = "This address has an account. Sign in at POST /v1/auth/token, or use another address."
    return Refused(
        ErrorCode.ALREADY_EXISTS,
        message,
        param="email",
        details=(Detail("email", "taken", message),),
    )


ENDPOINTS = (Endpoint(CREATE, create_account),)
