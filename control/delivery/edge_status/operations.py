"""Operations on edges, as the public API description shows them."""

from common.contract.models import Page
from common.contract.operation import Answer, Auth, Operation
from common.contract.permissions import Permission
from common.values.errors import ErrorCode
from control.delivery.edge_status.examples import EDGE_WORKER, PROPAGATION
from control.delivery.edge_status.schemas import EdgeList, EdgeWorker, Propagation, PropagationQuery
from control.foundation.openapi_examples import a_page

LIST = Operation(
    id="listEdges",
    method="GET",
    path="/v1/edges",
    tag="Platform",
    summary="List edge workers",
    description=(
        "Every worker of every edge that reported in the last day: its snapshot version, the age of that version, its "
        "last ACK and NACK. Only for members of an operator's account."
    ),
    needs={Auth.ACCESS_TOKEN: Permission.PLATFORM_READ},
    query=EdgeList,
    answers=(Answer(200, "One page of results.", Page[EdgeWorker], example=a_page(EDGE_WORKER)),),
)

PROPAGATION_OF = Operation(
    id="getPropagation",
    method="GET",
    path="/v1/propagation/{version}",
    tag="Platform",
    summary="Check whether a change has reached every edge",
    description=(
        "`version` is the `X-Snapshot-Version` returned by the request that made the change. Edges usually have a "
        "change within a second, and report it half a second later; poll until `complete`. Workers that have not "
        "reported for 60 s are not waited for: before they serve again they catch up, or they stop. A version that "
        "does not exist yet returns 404."
    ),
    auth=(Auth.ACCESS_TOKEN, Auth.INTEGRATION_KEY),
    query=PropagationQuery,
    path_params={"version": "A snapshot version."},
    answers=(Answer(200, "The progress of the change.", Propagation, example=PROPAGATION),),
    errors=(ErrorCode.PERMISSION_DENIED,),
)
