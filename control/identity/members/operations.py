"""The operations on members, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.foundation.openapi_examples import a_page, after
from control.identity.members.examples import ACCEPT_BODY, ACCEPTED, INVITATION, MEMBER, MEMBER_BODY
from control.identity.members.schemas import (
    InvitationAccept,
    InvitationAccepted,
    MemberCreate,
    MemberList,
    MemberPatch,
    MemberPublic,
)

_CALLERS = (Auth.ACCESS_TOKEN,)
_READS = {Auth.ACCESS_TOKEN: Permission.MEMBER_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.MEMBER_WRITE}
_ID = {"id": "The member's, or the invitation's, id."}
_ETAG = {"ETag": "The member's version, for `If-Match`."}

INVITE = Operation(
    id="inviteMember",
    method="POST",
    path="/v1/members",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Invite somebody",
    description=(
        "Sends a mail with a link that is good for seven days and one use. Only owners invite owners. Who is a member, "
        "or has an open invitation, is `already_exists`; an expired one is replaced."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=MemberCreate,
    body_example=MEMBER_BODY,
    answers=(
        Answer(
            201,
            "The invitation.",
            MemberPublic,
            headers={**_ETAG, "Location": "Its path."},
            example=INVITATION,
        ),
    ),
    errors=(ErrorCode.ALREADY_EXISTS,),
    creates=True,
)

LIST = Operation(
    id="listMembers",
    method="GET",
    path="/v1/members",
    plane=Plane.CONTROL,
    tag="Members",
    summary="List members",
    description="Members and open invitations, newest first.",
    auth=_CALLERS,
    needs=_READS,
    query=MemberList,
    answers=(Answer(200, "A page.", Page[MemberPublic], example=a_page(MEMBER)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

GET = Operation(
    id="getMember",
    method="GET",
    path="/v1/members/{id}",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Read a member",
    auth=_CALLERS,
    needs=_READS,
    path_params=_ID,
    answers=(
        Answer(200, "The member, or invitation.", MemberPublic, headers=_ETAG, example=MEMBER),
    ),
)

PATCH = Operation(
    id="updateMember",
    method="PATCH",
    path="/v1/members/{id}",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Change a member's role",
    description=(
        "Holds at once: the member's access tokens end and are had anew, with the new role, for the refresh token; "
        "integration keys they made lose what they lose. Only owners make and unmake owners, nobody gives themselves "
        "more, and the last owner stays one."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    body=MemberPatch,
    body_example={"role": "analyst"},
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The member as it is now.",
            MemberPublic,
            headers=_ETAG,
            example=after(MEMBER, role="analyst"),
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
    needs_version=True,
)

RESEND = Operation(
    id="resendInvitation",
    method="POST",
    path="/v1/members/{id}/resend",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Send an invitation again",
    description="With a new link, good for seven days from now; the old one is void.",
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The invitation as it is now.",
            MemberPublic,
            headers=_ETAG,
            example=after(INVITATION, expires_at="2026-02-28T09:30:00.000Z"),
        ),
    ),
    errors=(ErrorCode.INVALID_STATE,),
)

REMOVE = Operation(
    id="removeMember",
    method="DELETE",
    path="/v1/members/{id}",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Remove a member, or take an invitation back",
    description=(
        "Holds at once: they are signed out of the account, and integration keys they made answer `permission_lost`. "
        "Open invitations they sent are void. The last owner cannot be removed."
    ),
    auth=_CALLERS,
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(204, "They are gone."),),
    errors=(ErrorCode.INVALID_STATE,),
)

LEAVE = Operation(
    id="leaveAccount",
    method="POST",
    path="/v1/members/leave",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Leave the account",
    description="Every member may, but for the last owner. You are signed out of it at once.",
    auth=_CALLERS,
    answers=(Answer(204, "You are a member no more."),),
    errors=(ErrorCode.INVALID_STATE,),
)

ACCEPT = Operation(
    id="acceptInvitation",
    method="POST",
    path="/v1/invitations/accept",
    plane=Plane.CONTROL,
    tag="Members",
    summary="Accept an invitation",
    description=(
        "Who is new here sends a name and a password. Who has a sign-in already sends its password, or their access "
        "token. Then sign in at `POST /v1/auth/token`."
    ),
    body=InvitationAccept,
    body_example=ACCEPT_BODY,
    answers=(Answer(201, "The account, and you in it.", InvitationAccepted, example=ACCEPTED),),
    errors=(
        ErrorCode.TOKEN_INVALID,
        ErrorCode.TOKEN_EXPIRED,
        ErrorCode.INVALID_GRANT,
        ErrorCode.INVALID_KEY,
        ErrorCode.TENANT_SUSPENDED,
        ErrorCode.ALREADY_EXISTS,
    ),
    creates=True,
)
