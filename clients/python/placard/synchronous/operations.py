# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""The operations of the API that are one request each."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from placard import types
from placard.calls import Call, idempotency_headers, if_match
from placard.requests import query_pairs
from placard.synchronous.transport import Transport


class CampaignsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        environment: types.Environment | None = None,
        status: types.CampaignStatus | None = None,
        objective: types.Objective | None = None,
        external_ref: str | None = None,
        property_id: str | None = None,
        q: str | None = None,
        updated_since: str | None = None,
        sort: types.CampaignSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.Campaign]:
        """List campaigns: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/campaigns",
            {
                "environment": environment,
                "status": status,
                "objective": objective,
                "external_ref": external_ref,
                "property_id": property_id,
                "q": q,
                "updated_since": updated_since,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        environment: types.Environment | None = None,
        status: types.CampaignStatus | None = None,
        objective: types.Objective | None = None,
        external_ref: str | None = None,
        property_id: str | None = None,
        q: str | None = None,
        updated_since: str | None = None,
        sort: types.CampaignSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.CampaignPage:
        """List campaigns: one page."""
        found: types.CampaignPage = self._transport.request(
            Call(
                "GET",
                "/v1/campaigns",
                query_pairs(
                    {
                        "environment": environment,
                        "status": status,
                        "objective": objective,
                        "external_ref": external_ref,
                        "property_id": property_id,
                        "q": q,
                        "updated_since": updated_since,
                        "sort": sort,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self,
        body: types.CampaignCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Campaign:
        """Create a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                "/v1/campaigns",
                query_pairs({"environment": environment}),
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, campaign_id: str) -> types.Campaign:
        """Read a campaign."""
        found: types.Campaign = self._transport.request(
            Call("GET", f"/v1/campaigns/{quote(campaign_id, safe='')}", repeatable=True)
        )
        return found

    def update(
        self, campaign_id: str, body: types.CampaignPatch, *, version: int
    ) -> types.Campaign:
        """Change a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "PATCH",
                f"/v1/campaigns/{quote(campaign_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def activate(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Activate a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/activate",
                headers=if_match(version),
            )
        )
        return found

    def pause(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Pause a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/pause",
                headers=if_match(version),
            )
        )
        return found

    def resume(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Resume a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/resume",
                headers=if_match(version),
            )
        )
        return found

    def archive(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Archive a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/archive",
                headers=if_match(version),
            )
        )
        return found

    def clone(
        self, campaign_id: str, body: types.CampaignClone, *, idempotency_key: str | None = None
    ) -> types.Campaign:
        """Clone a campaign."""
        found: types.Campaign = self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/clone",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def delivery(self, campaign_id: str) -> types.CampaignDelivery:
        """Read the delivery of a campaign."""
        found: types.CampaignDelivery = self._transport.request(
            Call("GET", f"/v1/campaigns/{quote(campaign_id, safe='')}/delivery", repeatable=True)
        )
        return found

    def forecast(
        self, body: types.ForecastCreate, *, environment: types.Environment | None = None
    ) -> types.Forecast:
        """Forecast a campaign."""
        found: types.Forecast = self._transport.request(
            Call(
                "POST",
                "/v1/campaigns/forecast",
                query_pairs({"environment": environment}),
                body={**body},
                repeatable=True,
            )
        )
        return found

    def bulk(self, body: types.BulkCampaignAction) -> types.BulkCampaignResults:
        """Pause, resume or archive many campaigns."""
        found: types.BulkCampaignResults = self._transport.request(
            Call("POST", "/v1/campaigns/bulk", body={**body})
        )
        return found


class AdsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        environment: types.Environment | None = None,
        campaign_id: str | None = None,
        status: types.AdStatus | None = None,
        format: types.AdFormat | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.Ad]:
        """List ads: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/ads",
            {
                "environment": environment,
                "campaign_id": campaign_id,
                "status": status,
                "format": format,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        environment: types.Environment | None = None,
        campaign_id: str | None = None,
        status: types.AdStatus | None = None,
        format: types.AdFormat | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.AdPage:
        """List ads: one page."""
        found: types.AdPage = self._transport.request(
            Call(
                "GET",
                "/v1/ads",
                query_pairs(
                    {
                        "environment": environment,
                        "campaign_id": campaign_id,
                        "status": status,
                        "format": format,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self,
        body: types.AdCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Ad:
        """Create an ad."""
        found: types.Ad = self._transport.request(
            Call(
                "POST",
                "/v1/ads",
                query_pairs({"environment": environment}),
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, ad_id: str) -> types.Ad:
        """Read an ad."""
        found: types.Ad = self._transport.request(
            Call("GET", f"/v1/ads/{quote(ad_id, safe='')}", repeatable=True)
        )
        return found

    def update(self, ad_id: str, body: types.AdPatch, *, version: int) -> types.Ad:
        """Change an ad."""
        found: types.Ad = self._transport.request(
            Call(
                "PATCH",
                f"/v1/ads/{quote(ad_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def activate(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Activate an ad."""
        found: types.Ad = self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/activate", headers=if_match(version))
        )
        return found

    def pause(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Pause an ad."""
        found: types.Ad = self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/pause", headers=if_match(version))
        )
        return found

    def resume(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Resume an ad."""
        found: types.Ad = self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/resume", headers=if_match(version))
        )
        return found

    def archive(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Archive an ad."""
        found: types.Ad = self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/archive", headers=if_match(version))
        )
        return found


class AssetsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        environment: types.Environment | None = None,
        kind: types.AssetKind | None = None,
        status: types.AssetStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.Asset]:
        """List assets: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/assets",
            {
                "environment": environment,
                "kind": kind,
                "status": status,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        environment: types.Environment | None = None,
        kind: types.AssetKind | None = None,
        status: types.AssetStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.AssetPage:
        """List assets: one page."""
        found: types.AssetPage = self._transport.request(
            Call(
                "GET",
                "/v1/assets",
                query_pairs(
                    {
                        "environment": environment,
                        "kind": kind,
                        "status": status,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self,
        body: types.AssetCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.AssetCreated:
        """Upload a file, or request an upload URL."""
        found: types.AssetCreated = self._transport.request(
            Call(
                "POST",
                "/v1/assets",
                query_pairs({"environment": environment}),
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, asset_id: str) -> types.Asset:
        """Read an asset."""
        found: types.Asset = self._transport.request(
            Call("GET", f"/v1/assets/{quote(asset_id, safe='')}", repeatable=True)
        )
        return found

    def update(self, asset_id: str, body: types.AssetPatch) -> types.Asset:
        """Change an asset."""
        found: types.Asset = self._transport.request(
            Call("PATCH", f"/v1/assets/{quote(asset_id, safe='')}", body={**body})
        )
        return found

    def complete(self, asset_id: str) -> types.Asset:
        """Complete an upload."""
        found: types.Asset = self._transport.request(
            Call("POST", f"/v1/assets/{quote(asset_id, safe='')}/complete")
        )
        return found

    def archive(self, asset_id: str) -> types.Asset:
        """Archive an asset."""
        found: types.Asset = self._transport.request(
            Call("POST", f"/v1/assets/{quote(asset_id, safe='')}/archive")
        )
        return found


class PropertiesOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        status: types.PropertyStatus | None = None,
        kind: types.PropertyKind | None = None,
        domain: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.PublisherProperty]:
        """List properties: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/properties",
            {
                "status": status,
                "kind": kind,
                "domain": domain,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        status: types.PropertyStatus | None = None,
        kind: types.PropertyKind | None = None,
        domain: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.PublisherPropertyPage:
        """List properties: one page."""
        found: types.PublisherPropertyPage = self._transport.request(
            Call(
                "GET",
                "/v1/properties",
                query_pairs(
                    {
                        "status": status,
                        "kind": kind,
                        "domain": domain,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self, body: types.PropertyCreate, *, idempotency_key: str | None = None
    ) -> types.PublisherProperty:
        """Create a property."""
        found: types.PublisherProperty = self._transport.request(
            Call(
                "POST",
                "/v1/properties",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, property_id: str) -> types.PublisherProperty:
        """Read a property."""
        found: types.PublisherProperty = self._transport.request(
            Call("GET", f"/v1/properties/{quote(property_id, safe='')}", repeatable=True)
        )
        return found

    def update(
        self, property_id: str, body: types.PropertyPatch, *, version: int
    ) -> types.PublisherProperty:
        """Change a property."""
        found: types.PublisherProperty = self._transport.request(
            Call(
                "PATCH",
                f"/v1/properties/{quote(property_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def start_verification(
        self, property_id: str, body: types.VerificationStart, *, version: int | None = None
    ) -> types.VerificationStarted:
        """Start domain verification."""
        found: types.VerificationStarted = self._transport.request(
            Call(
                "POST",
                f"/v1/properties/{quote(property_id, safe='')}/verification",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def verify(self, property_id: str, *, version: int | None = None) -> types.VerificationResult:
        """Check domain verification."""
        found: types.VerificationResult = self._transport.request(
            Call(
                "POST",
                f"/v1/properties/{quote(property_id, safe='')}/verify",
                headers=if_match(version),
            )
        )
        return found


class SlotsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        property_id: str | None = None,
        status: types.SlotStatus | None = None,
        key: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.Slot]:
        """List slots: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/slots",
            {
                "property_id": property_id,
                "status": status,
                "key": key,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        property_id: str | None = None,
        status: types.SlotStatus | None = None,
        key: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.SlotPage:
        """List slots: one page."""
        found: types.SlotPage = self._transport.request(
            Call(
                "GET",
                "/v1/slots",
                query_pairs(
                    {
                        "property_id": property_id,
                        "status": status,
                        "key": key,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(self, body: types.SlotCreate, *, idempotency_key: str | None = None) -> types.Slot:
        """Create a slot."""
        found: types.Slot = self._transport.request(
            Call(
                "POST",
                "/v1/slots",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, slot_id: str) -> types.Slot:
        """Read a slot."""
        found: types.Slot = self._transport.request(
            Call("GET", f"/v1/slots/{quote(slot_id, safe='')}", repeatable=True)
        )
        return found

    def update(self, slot_id: str, body: types.SlotPatch, *, version: int) -> types.Slot:
        """Change a slot."""
        found: types.Slot = self._transport.request(
            Call(
                "PATCH",
                f"/v1/slots/{quote(slot_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found


class SdkKeysOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        property_id: str | None = None,
        environment: types.Environment | None = None,
        status: types.KeyStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        kind: types.SdkKeyKind | None = None,
    ) -> Iterator[types.SdkKey]:
        """List SDK keys: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/sdk-keys",
            {
                "property_id": property_id,
                "environment": environment,
                "status": status,
                "q": q,
                "limit": limit,
                "cursor": cursor,
                "kind": kind,
            },
        )

    def list_page(
        self,
        *,
        property_id: str | None = None,
        environment: types.Environment | None = None,
        status: types.KeyStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        kind: types.SdkKeyKind | None = None,
    ) -> types.SdkKeyPage:
        """List SDK keys: one page."""
        found: types.SdkKeyPage = self._transport.request(
            Call(
                "GET",
                "/v1/sdk-keys",
                query_pairs(
                    {
                        "property_id": property_id,
                        "environment": environment,
                        "status": status,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                        "kind": kind,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self, body: types.SdkKeyCreate, *, idempotency_key: str | None = None
    ) -> types.SdkKeyCreated:
        """Create an SDK key."""
        found: types.SdkKeyCreated = self._transport.request(
            Call(
                "POST",
                "/v1/sdk-keys",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, key_id: str) -> types.SdkKey:
        """Read an SDK key."""
        found: types.SdkKey = self._transport.request(
            Call("GET", f"/v1/sdk-keys/{quote(key_id, safe='')}", repeatable=True)
        )
        return found

    def update(self, key_id: str, body: types.KeyPatch, *, version: int) -> types.SdkKey:
        """Change an SDK key."""
        found: types.SdkKey = self._transport.request(
            Call(
                "PATCH",
                f"/v1/sdk-keys/{quote(key_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def rotate(
        self, key_id: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> types.SdkKeyCreated:
        """Rotate an SDK key."""
        found: types.SdkKeyCreated = self._transport.request(
            Call(
                "POST",
                f"/v1/sdk-keys/{quote(key_id, safe='')}/rotate",
                headers=idempotency_headers(idempotency_key) | if_match(version),
                repeatable=True,
            )
        )
        return found

    def revoke(self, key_id: str, *, version: int | None = None) -> types.SdkKey:
        """Revoke an SDK key."""
        found: types.SdkKey = self._transport.request(
            Call("POST", f"/v1/sdk-keys/{quote(key_id, safe='')}/revoke", headers=if_match(version))
        )
        return found


class IntegrationKeysOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        property_id: str | None = None,
        environment: types.Environment | None = None,
        status: types.KeyStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Iterator[types.IntegrationKey]:
        """List integration keys: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/integration-keys",
            {
                "property_id": property_id,
                "environment": environment,
                "status": status,
                "q": q,
                "limit": limit,
                "cursor": cursor,
            },
        )

    def list_page(
        self,
        *,
        property_id: str | None = None,
        environment: types.Environment | None = None,
        status: types.KeyStatus | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> types.IntegrationKeyPage:
        """List integration keys: one page."""
        found: types.IntegrationKeyPage = self._transport.request(
            Call(
                "GET",
                "/v1/integration-keys",
                query_pairs(
                    {
                        "property_id": property_id,
                        "environment": environment,
                        "status": status,
                        "q": q,
                        "limit": limit,
                        "cursor": cursor,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create(
        self, body: types.IntegrationKeyCreate, *, idempotency_key: str | None = None
    ) -> types.IntegrationKeyCreated:
        """Create an integration key."""
        found: types.IntegrationKeyCreated = self._transport.request(
            Call(
                "POST",
                "/v1/integration-keys",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def get(self, key_id: str) -> types.IntegrationKey:
        """Read an integration key."""
        found: types.IntegrationKey = self._transport.request(
            Call("GET", f"/v1/integration-keys/{quote(key_id, safe='')}", repeatable=True)
        )
        return found

    def update(self, key_id: str, body: types.KeyPatch, *, version: int) -> types.IntegrationKey:
        """Change an integration key."""
        found: types.IntegrationKey = self._transport.request(
            Call(
                "PATCH",
                f"/v1/integration-keys/{quote(key_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    def rotate(
        self, key_id: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> types.IntegrationKeyCreated:
        """Rotate an integration key."""
        found: types.IntegrationKeyCreated = self._transport.request(
            Call(
                "POST",
                f"/v1/integration-keys/{quote(key_id, safe='')}/rotate",
                headers=idempotency_headers(idempotency_key) | if_match(version),
                repeatable=True,
            )
        )
        return found

    def revoke(self, key_id: str, *, version: int | None = None) -> types.IntegrationKey:
        """Revoke an integration key."""
        found: types.IntegrationKey = self._transport.request(
            Call(
                "POST",
                f"/v1/integration-keys/{quote(key_id, safe='')}/revoke",
                headers=if_match(version),
            )
        )
        return found


class EventsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: str | None = None,
        property_id: Sequence[str] | None = None,
        kind: Sequence[types.EventKind] | None = None,
        valid: bool | None = None,
        is_test: bool | None = None,
        environment: types.Environment | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
    ) -> Iterator[types.Event]:
        """Read the events feed: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/integration/events",
            {
                "cursor": cursor,
                "property_id": property_id,
                "kind": kind,
                "valid": valid,
                "is_test": is_test,
                "environment": environment,
                "since": since,
                "until": until,
                "limit": limit,
            },
        )

    def list_page(
        self,
        *,
        cursor: str | None = None,
        property_id: Sequence[str] | None = None,
        kind: Sequence[types.EventKind] | None = None,
        valid: bool | None = None,
        is_test: bool | None = None,
        environment: types.Environment | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
    ) -> types.EventPage:
        """Read the events feed: one page."""
        found: types.EventPage = self._transport.request(
            Call(
                "GET",
                "/v1/integration/events",
                query_pairs(
                    {
                        "cursor": cursor,
                        "property_id": property_id,
                        "kind": kind,
                        "valid": valid,
                        "is_test": is_test,
                        "environment": environment,
                        "since": since,
                        "until": until,
                        "limit": limit,
                    }
                ),
                repeatable=True,
            )
        )
        return found


class ReportsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delivery(
        self,
        *,
        from_: str,
        to: str | None = None,
        granularity: types.ReportGranularity | None = None,
        group_by: Sequence[types.ReportDimension] | None = None,
        metrics: Sequence[types.ReportMetric] | None = None,
        tz: str | None = None,
        campaign_id: Sequence[str] | None = None,
        ad_id: Sequence[str] | None = None,
        property_id: Sequence[str] | None = None,
        slot_id: Sequence[str] | None = None,
        country: Sequence[str] | None = None,
        device: Sequence[types.DeviceType] | None = None,
        format: Sequence[types.AdFormat] | None = None,
        source: Sequence[types.AdSource] | None = None,
        surface: Sequence[types.Surface] | None = None,
        reason: Sequence[types.EventReason] | None = None,
        environment: types.Environment | None = None,
        sort: str | None = None,
        limit: int | None = None,
    ) -> types.Report:
        """Read a delivery report."""
        found: types.Report = self._transport.request(
            Call(
                "GET",
                "/v1/reports/delivery",
                query_pairs(
                    {
                        "from": from_,
                        "to": to,
                        "granularity": granularity,
                        "group_by": group_by,
                        "metrics": metrics,
                        "tz": tz,
                        "campaign_id": campaign_id,
                        "ad_id": ad_id,
                        "property_id": property_id,
                        "slot_id": slot_id,
                        "country": country,
                        "device": device,
                        "format": format,
                        "source": source,
                        "surface": surface,
                        "reason": reason,
                        "environment": environment,
                        "sort": sort,
                        "limit": limit,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def hours(
        self,
        *,
        from_: str,
        to: str | None = None,
        metrics: Sequence[types.ReportMetric] | None = None,
        tz: str | None = None,
        environment: types.Environment | None = None,
        campaign_id: Sequence[str] | None = None,
        ad_id: Sequence[str] | None = None,
        property_id: Sequence[str] | None = None,
        slot_id: Sequence[str] | None = None,
        country: Sequence[str] | None = None,
        device: Sequence[types.DeviceType] | None = None,
        format: Sequence[types.AdFormat] | None = None,
        source: Sequence[types.AdSource] | None = None,
        surface: Sequence[types.Surface] | None = None,
        reason: Sequence[types.EventReason] | None = None,
    ) -> types.Hours:
        """Read a report by hour of the week."""
        found: types.Hours = self._transport.request(
            Call(
                "GET",
                "/v1/reports/hours",
                query_pairs(
                    {
                        "from": from_,
                        "to": to,
                        "metrics": metrics,
                        "tz": tz,
                        "environment": environment,
                        "campaign_id": campaign_id,
                        "ad_id": ad_id,
                        "property_id": property_id,
                        "slot_id": slot_id,
                        "country": country,
                        "device": device,
                        "format": format,
                        "source": source,
                        "surface": surface,
                        "reason": reason,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def create_export(
        self,
        body: types.ExportCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Export:
        """Create an export."""
        found: types.Export = self._transport.request(
            Call(
                "POST",
                "/v1/reports/exports",
                query_pairs({"environment": environment}),
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def list_exports(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        environment: types.Environment | None = None,
        kind: types.ExportKind | None = None,
        status: types.ExportStatus | None = None,
    ) -> Iterator[types.Export]:
        """List exports: the items of all pages, each page requested when it is needed."""
        return self._transport.items(
            "/v1/reports/exports",
            {
                "cursor": cursor,
                "limit": limit,
                "environment": environment,
                "kind": kind,
                "status": status,
            },
        )

    def list_exports_page(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        environment: types.Environment | None = None,
        kind: types.ExportKind | None = None,
        status: types.ExportStatus | None = None,
    ) -> types.ExportPage:
        """List exports: one page."""
        found: types.ExportPage = self._transport.request(
            Call(
                "GET",
                "/v1/reports/exports",
                query_pairs(
                    {
                        "cursor": cursor,
                        "limit": limit,
                        "environment": environment,
                        "kind": kind,
                        "status": status,
                    }
                ),
                repeatable=True,
            )
        )
        return found

    def get_export(self, export_id: str) -> types.Export:
        """Read an export."""
        found: types.Export = self._transport.request(
            Call("GET", f"/v1/reports/exports/{quote(export_id, safe='')}", repeatable=True)
        )
        return found

    def delete_export(self, export_id: str) -> None:
        """Delete an export."""
        self._transport.request(
            Call("DELETE", f"/v1/reports/exports/{quote(export_id, safe='')}", repeatable=True)
        )


class DecisionsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def explain(self, body: types.DecisionQuestion) -> types.DecisionExplanation:
        """Explain a decision."""
        found: types.DecisionExplanation = self._transport.request(
            Call("POST", "/v1/decisions/explain", body={**body}, repeatable=True)
        )
        return found


class EmbedSessionsOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, body: types.EmbedSessionCreate, *, idempotency_key: str | None = None
    ) -> types.EmbedSessionCreated:
        """Create an embed session."""
        found: types.EmbedSessionCreated = self._transport.request(
            Call(
                "POST",
                "/v1/embed/sessions",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found


class CallerOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self) -> types.Caller:
        """Identify the caller."""
        found: types.Caller = self._transport.request(Call("GET", "/v1/me", repeatable=True))
        return found

    def status(
        self, *, property_id: str | None = None, environment: types.Environment | None = None
    ) -> types.IntegrationStatus:
        """Read the integration status."""
        found: types.IntegrationStatus = self._transport.request(
            Call(
                "GET",
                "/v1/integration/status",
                query_pairs({"property_id": property_id, "environment": environment}),
                repeatable=True,
            )
        )
        return found


class EdgeOperations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def report_conversion(
        self, body: types.ConversionBody, *, idempotency_key: str | None = None
    ) -> types.ConversionAccepted:
        """Report a conversion from your server."""
        found: types.ConversionAccepted = self._transport.request(
            Call(
                "POST",
                "/v1/conversions",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    def prepare_email(self, body: types.EmailPrepareBody) -> types.EmailPrepared:
        """Prepare the ads of a mailing."""
        found: types.EmailPrepared = self._transport.request(
            Call("POST", "/v1/email/prepare", body={**body}, repeatable=True)
        )
        return found

    def stitch_audio(self, body: types.StitchBody) -> types.Stitched:
        """Put ads into audio content."""
        found: types.Stitched = self._transport.request(
            Call("POST", "/v1/audio/stitch", body={**body}, repeatable=True)
        )
        return found

    def verify_click(self, body: types.ClickVerification) -> types.ClickVerified:
        """Verify a click id."""
        found: types.ClickVerified = self._transport.request(
            Call("POST", "/v1/clicks/verify", body={**body}, repeatable=True)
        )
        return found


class ManagementOperations:
    def __init__(self, transport: Transport) -> None:
        self.campaigns = CampaignsOperations(transport)
        self.ads = AdsOperations(transport)
        self.assets = AssetsOperations(transport)
        self.properties = PropertiesOperations(transport)
        self.slots = SlotsOperations(transport)
        self.sdk_keys = SdkKeysOperations(transport)
        self.integration_keys = IntegrationKeysOperations(transport)
        self.reports = ReportsOperations(transport)
        self.decisions = DecisionsOperations(transport)
        self.embed_sessions = EmbedSessionsOperations(transport)
        self.caller = CallerOperations(transport)
