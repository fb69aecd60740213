"""Operations on edges, as the public API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation, Plane
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.delivery.edge_status.examples import EDGE_WORKER, PROPAGATION
from control.delivery.edge_status.schemas import EdgeList, EdgeWorker, Propagation, PropagationQuery
from control.foundation.openapi_examples import a_page

LIST = Operation(
    id="listEdges",
    method="GET",
    path="/v1/edges",
    plane=Plane.CONTROL,
    tag="Platform",
    summary="What each edge worker serves",
    description=(
        "Every worker of every edge heard in the last day: the snapshot version it decides by, how old that is, its "
        "last ACK and NACK. For members of an operator's account."
    ),
    auth=(Auth.ACCESS_TOKEN,),
    needs={Auth.ACCESS_TOKEN: Permission.PLATFORM_READ},
    query=EdgeList,
    answers=(Answer(200, "A page.", Page[EdgeWorker], example=a_page(EDGE_WORKER)),),
    errors=(ErrorCode.CURSOR_INVALID,),
)

PROPAGATION_OF = Operation(
    id="getPropagation",
    method="GET",
    path="/v1/propagation/{version}",
    plane=Plane.CONTROL,
    tag="Platform",
    summary="Whether a change has reached every edge",
    description=(
        "`version` is the `X-Snapshot-Version` of the call that made the change. Edges have it within a second as a "
        "rule, and what they say of it is seen half a second later; ask until `complete`. Workers that were not heard "
        "for 60 s are not waited for: they catch up before they serve again, or stop. A version that is not made "
        "yet is 404."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY),
    query=PropagationQuery,
    path_params={"version": "A snapshot version."},
    answers=(Answer(200, "How far it is.", Propagation, example=PROPAGATION),),
)
