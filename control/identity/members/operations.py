"""The operations on members, as the API description shows them. For signed-in users only."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, created
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

_READS = {Auth.ACCESS_TOKEN: Permission.MEMBER_READ}
_WRITES = {Auth.ACCESS_TOKEN: Permission.MEMBER_WRITE}
_ID = {"id": "Id of the member or invitation."}
_ETAG = {"ETag": "Version of the member, for `If-Match`."}

INVITE = Operation(
    id="inviteMember",
    method="POST",
    path="/v1/members",
    tag="Members",
    summary="Invite a member",
    description=(
        "Sends an email with a link that works once, within seven days. Only owners can invite owners. An existing "
        "member or open invitation returns `already_exists`; an expired invitation is replaced."
    ),
    needs=_WRITES,
    body=MemberCreate,
    body_example=MEMBER_BODY,
    answers=(created("The invitation.", MemberPublic, INVITATION, _ETAG),),
    errors=(ErrorCode.EMAIL_UNVERIFIED, ErrorCode.ALREADY_EXISTS),
    creates=True,
)

LIST = Operation(
    id="listMembers",
    method="GET",
    path="/v1/members",
    tag="Members",
    summary="List members",
    description="Members and open invitations, newest first.",
    needs=_READS,
    query=MemberList,
    answers=(Answer(200, "One page of results.", Page[MemberPublic], example=a_page(MEMBER)),),
)

GET = Operation(
    id="getMember",
    method="GET",
    path="/v1/members/{id}",
    tag="Members",
    summary="Read a member",
    needs=_READS,
    path_params=_ID,
    answers=(
        Answer(200, "The member or invitation.", MemberPublic, headers=_ETAG, example=MEMBER),
    ),
)

PATCH = Operation(
    id="updateMember",
    method="PATCH",
    path="/v1/members/{id}",
    tag="Members",
    summary="Change a member's role",
    description=(
        "Takes effect at once: the member's access tokens end, and the refresh token returns new ones with the new "
        "role; integration keys they created lose the permissions that they lose. Only owners can grant or remove the "
        "role owner, you cannot grant more than you have, and the last owner cannot lose the role."
    ),
    needs=_WRITES,
    body=MemberPatch,
    body_example={"role": "analyst"},
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The updated member.",
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
    tag="Members",
    summary="Resend an invitation",
    description="Sends a new link that works for seven days; the old one stops working.",
    needs=_WRITES,
    path_params=_ID,
    answers=(
        Answer(
            200,
            "The updated invitation.",
            MemberPublic,
            headers=_ETAG,
            example=after(INVITATION, expires_at="2026-02-28T09:30:00.000Z"),
        ),
    ),
    errors=(ErrorCode.EMAIL_UNVERIFIED, ErrorCode.INVALID_STATE),
    accepts_version=True,
)

REMOVE = Operation(
    id="removeMember",
    method="DELETE",
    path="/v1/members/{id}",
    tag="Members",
    summary="Remove a member or invitation",
    description=(
        "Takes effect at once: the member is signed out of the account, and integration keys they created return "
        "`permission_lost`. Open invitations they sent become invalid. The last owner cannot be removed."
    ),
    needs=_WRITES,
    path_params=_ID,
    answers=(Answer(204, "Removed."),),
    errors=(ErrorCode.INVALID_STATE,),
    accepts_version=True,
)

LEAVE = Operation(
    id="leaveAccount",
    method="POST",
    path="/v1/members/leave",
    tag="Members",
    summary="Leave the account",
    description="Available to every member except the last owner. You are signed out of the account at once.",
    auth=(Auth.ACCESS_TOKEN,),
    answers=(Answer(204, "You have left the account."),),
    errors=(ErrorCode.PERMISSION_DENIED, ErrorCode.INVALID_STATE),
)

ACCEPT = Operation(
    id="acceptInvitation",
    method="POST",
    path="/v1/invitations/accept",
    tag="Members",
    summary="Accept an invitation",
    description=(
        "New users send a name and a password. Existing users send their password, or their access token. Then sign "
        "in at `POST /v1/auth/token`."
    ),
    body=InvitationAccept,
    body_example=ACCEPT_BODY,
    answers=(
        Answer(201, "The account and your membership.", InvitationAccepted, example=ACCEPTED),
    ),
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
