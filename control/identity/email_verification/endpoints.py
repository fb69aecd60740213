"""The endpoints of e-mail verification."""

from control.api.call import Call, Endpoint, Reply
from control.identity.email_verification import operations
from control.identity.email_verification.operations import EmailVerificationConfirm
from control.identity.email_verification.verify import confirm_verification, send_again
from control.identity.users.current_user import current_user


async def send(call: Call) -> Reply:
    me = current_user(call.principal)
    call.object_id = me.user_id
    await send_again(call.session, call.control, me.user_id, call.now)
    return Reply(status=202)


async def confirm(call: Call) -> Reply:
    body: EmailVerificationConfirm = call.body
    await confirm_verification(
        call.session,
        token=body.token,
        origin=call.client_ip,
        changes=call.changes,
        now=call.now,
    )
    return Reply(status=204)


ENDPOINTS = (
    Endpoint(operations.SEND, send, of_person=True),
    Endpoint(operations.CONFIRM, confirm),
)
