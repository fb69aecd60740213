# Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
"""The operations of the API that are one request each."""

from collections.abc import AsyncIterator, Sequence
from urllib.parse import quote

from placard import types
from placard.asynchronous.transport import AsyncTransport
from placard.calls import Call, idempotency_headers, if_match
from placard.requests import query_pairs


class AsyncCampaignsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.Campaign]:
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

    async def list_page(
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
        found: types.CampaignPage = await self._transport.request(
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

    async def create(
        self,
        body: types.CampaignCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Campaign:
        """Create a campaign."""
        found: types.Campaign = await self._transport.request(
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

    async def get(self, campaign_id: str) -> types.Campaign:
        """Read a campaign."""
        found: types.Campaign = await self._transport.request(
            Call("GET", f"/v1/campaigns/{quote(campaign_id, safe='')}", repeatable=True)
        )
        return found

    async def update(
        self, campaign_id: str, body: types.CampaignPatch, *, version: int
    ) -> types.Campaign:
        """Change a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/campaigns/{quote(campaign_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def activate(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Activate a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/activate",
                headers=if_match(version),
            )
        )
        return found

    async def pause(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Pause a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/pause",
                headers=if_match(version),
            )
        )
        return found

    async def resume(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Resume a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/resume",
                headers=if_match(version),
            )
        )
        return found

    async def archive(self, campaign_id: str, *, version: int | None = None) -> types.Campaign:
        """Archive a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/archive",
                headers=if_match(version),
            )
        )
        return found

    async def clone(
        self, campaign_id: str, body: types.CampaignClone, *, idempotency_key: str | None = None
    ) -> types.Campaign:
        """Clone a campaign."""
        found: types.Campaign = await self._transport.request(
            Call(
                "POST",
                f"/v1/campaigns/{quote(campaign_id, safe='')}/clone",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def delivery(self, campaign_id: str) -> types.CampaignDelivery:
        """Read the delivery of a campaign."""
        found: types.CampaignDelivery = await self._transport.request(
            Call("GET", f"/v1/campaigns/{quote(campaign_id, safe='')}/delivery", repeatable=True)
        )
        return found

    async def forecast(
        self, body: types.ForecastCreate, *, environment: types.Environment | None = None
    ) -> types.Forecast:
        """Forecast a campaign."""
        found: types.Forecast = await self._transport.request(
            Call(
                "POST",
                "/v1/campaigns/forecast",
                query_pairs({"environment": environment}),
                body={**body},
                repeatable=True,
            )
        )
        return found

    async def bulk(self, body: types.BulkCampaignAction) -> types.BulkCampaignResults:
        """Pause, resume or archive many campaigns."""
        found: types.BulkCampaignResults = await self._transport.request(
            Call("POST", "/v1/campaigns/bulk", body={**body})
        )
        return found


class AsyncAdsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.Ad]:
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

    async def list_page(
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
        found: types.AdPage = await self._transport.request(
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

    async def create(
        self,
        body: types.AdCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Ad:
        """Create an ad."""
        found: types.Ad = await self._transport.request(
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

    async def get(self, ad_id: str) -> types.Ad:
        """Read an ad."""
        found: types.Ad = await self._transport.request(
            Call("GET", f"/v1/ads/{quote(ad_id, safe='')}", repeatable=True)
        )
        return found

    async def update(self, ad_id: str, body: types.AdPatch, *, version: int) -> types.Ad:
        """Change an ad."""
        found: types.Ad = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/ads/{quote(ad_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def activate(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Activate an ad."""
        found: types.Ad = await self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/activate", headers=if_match(version))
        )
        return found

    async def pause(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Pause an ad."""
        found: types.Ad = await self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/pause", headers=if_match(version))
        )
        return found

    async def resume(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Resume an ad."""
        found: types.Ad = await self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/resume", headers=if_match(version))
        )
        return found

    async def archive(self, ad_id: str, *, version: int | None = None) -> types.Ad:
        """Archive an ad."""
        found: types.Ad = await self._transport.request(
            Call("POST", f"/v1/ads/{quote(ad_id, safe='')}/archive", headers=if_match(version))
        )
        return found


class AsyncAssetsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.Asset]:
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

    async def list_page(
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
        found: types.AssetPage = await self._transport.request(
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

    async def create(
        self,
        body: types.AssetCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.AssetCreated:
        """Upload a file, or request an upload URL."""
        found: types.AssetCreated = await self._transport.request(
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

    async def get(self, asset_id: str) -> types.Asset:
        """Read an asset."""
        found: types.Asset = await self._transport.request(
            Call("GET", f"/v1/assets/{quote(asset_id, safe='')}", repeatable=True)
        )
        return found

    async def update(self, asset_id: str, body: types.AssetPatch) -> types.Asset:
        """Change an asset."""
        found: types.Asset = await self._transport.request(
            Call("PATCH", f"/v1/assets/{quote(asset_id, safe='')}", body={**body})
        )
        return found

    async def complete(self, asset_id: str) -> types.Asset:
        """Complete an upload."""
        found: types.Asset = await self._transport.request(
            Call("POST", f"/v1/assets/{quote(asset_id, safe='')}/complete")
        )
        return found

    async def archive(self, asset_id: str) -> types.Asset:
        """Archive an asset."""
        found: types.Asset = await self._transport.request(
            Call("POST", f"/v1/assets/{quote(asset_id, safe='')}/archive")
        )
        return found


class AsyncPropertiesOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.PublisherProperty]:
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

    async def list_page(
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
        found: types.PublisherPropertyPage = await self._transport.request(
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

    async def create(
        self, body: types.PropertyCreate, *, idempotency_key: str | None = None
    ) -> types.PublisherProperty:
        """Create a property."""
        found: types.PublisherProperty = await self._transport.request(
            Call(
                "POST",
                "/v1/properties",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def get(self, property_id: str) -> types.PublisherProperty:
        """Read a property."""
        found: types.PublisherProperty = await self._transport.request(
            Call("GET", f"/v1/properties/{quote(property_id, safe='')}", repeatable=True)
        )
        return found

    async def update(
        self, property_id: str, body: types.PropertyPatch, *, version: int
    ) -> types.PublisherProperty:
        """Change a property."""
        found: types.PublisherProperty = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/properties/{quote(property_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def start_verification(
        self, property_id: str, body: types.VerificationStart, *, version: int | None = None
    ) -> types.VerificationStarted:
        """Start domain verification."""
        found: types.VerificationStarted = await self._transport.request(
            Call(
                "POST",
                f"/v1/properties/{quote(property_id, safe='')}/verification",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def verify(
        self, property_id: str, *, version: int | None = None
    ) -> types.VerificationResult:
        """Check domain verification."""
        found: types.VerificationResult = await self._transport.request(
            Call(
                "POST",
                f"/v1/properties/{quote(property_id, safe='')}/verify",
                headers=if_match(version),
            )
        )
        return found


class AsyncSlotsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.Slot]:
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

    async def list_page(
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
        found: types.SlotPage = await self._transport.request(
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

    async def create(
        self, body: types.SlotCreate, *, idempotency_key: str | None = None
    ) -> types.Slot:
        """Create a slot."""
        found: types.Slot = await self._transport.request(
            Call(
                "POST",
                "/v1/slots",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def get(self, slot_id: str) -> types.Slot:
        """Read a slot."""
        found: types.Slot = await self._transport.request(
            Call("GET", f"/v1/slots/{quote(slot_id, safe='')}", repeatable=True)
        )
        return found

    async def update(self, slot_id: str, body: types.SlotPatch, *, version: int) -> types.Slot:
        """Change a slot."""
        found: types.Slot = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/slots/{quote(slot_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found


class AsyncSdkKeysOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.SdkKey]:
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

    async def list_page(
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
        found: types.SdkKeyPage = await self._transport.request(
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

    async def create(
        self, body: types.SdkKeyCreate, *, idempotency_key: str | None = None
    ) -> types.SdkKeyCreated:
        """Create an SDK key."""
        found: types.SdkKeyCreated = await self._transport.request(
            Call(
                "POST",
                "/v1/sdk-keys",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def get(self, key_id: str) -> types.SdkKey:
        """Read an SDK key."""
        found: types.SdkKey = await self._transport.request(
            Call("GET", f"/v1/sdk-keys/{quote(key_id, safe='')}", repeatable=True)
        )
        return found

    async def update(self, key_id: str, body: types.KeyPatch, *, version: int) -> types.SdkKey:
        """Change an SDK key."""
        found: types.SdkKey = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/sdk-keys/{quote(key_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def rotate(
        self, key_id: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> types.SdkKeyCreated:
        """Rotate an SDK key."""
        found: types.SdkKeyCreated = await self._transport.request(
            Call(
                "POST",
                f"/v1/sdk-keys/{quote(key_id, safe='')}/rotate",
                headers=idempotency_headers(idempotency_key) | if_match(version),
                repeatable=True,
            )
        )
        return found

    async def revoke(self, key_id: str, *, version: int | None = None) -> types.SdkKey:
        """Revoke an SDK key."""
        found: types.SdkKey = await self._transport.request(
            Call("POST", f"/v1/sdk-keys/{quote(key_id, safe='')}/revoke", headers=if_match(version))
        )
        return found


class AsyncIntegrationKeysOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.IntegrationKey]:
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

    async def list_page(
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
        found: types.IntegrationKeyPage = await self._transport.request(
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

    async def create(
        self, body: types.IntegrationKeyCreate, *, idempotency_key: str | None = None
    ) -> types.IntegrationKeyCreated:
        """Create an integration key."""
        found: types.IntegrationKeyCreated = await self._transport.request(
            Call(
                "POST",
                "/v1/integration-keys",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def get(self, key_id: str) -> types.IntegrationKey:
        """Read an integration key."""
        found: types.IntegrationKey = await self._transport.request(
            Call("GET", f"/v1/integration-keys/{quote(key_id, safe='')}", repeatable=True)
        )
        return found

    async def update(
        self, key_id: str, body: types.KeyPatch, *, version: int
    ) -> types.IntegrationKey:
        """Change an integration key."""
        found: types.IntegrationKey = await self._transport.request(
            Call(
                "PATCH",
                f"/v1/integration-keys/{quote(key_id, safe='')}",
                body={**body},
                headers=if_match(version),
            )
        )
        return found

    async def rotate(
        self, key_id: str, *, version: int | None = None, idempotency_key: str | None = None
    ) -> types.IntegrationKeyCreated:
        """Rotate an integration key."""
        found: types.IntegrationKeyCreated = await self._transport.request(
            Call(
                "POST",
                f"/v1/integration-keys/{quote(key_id, safe='')}/rotate",
                headers=idempotency_headers(idempotency_key) | if_match(version),
                repeatable=True,
            )
        )
        return found

    async def revoke(self, key_id: str, *, version: int | None = None) -> types.IntegrationKey:
        """Revoke an integration key."""
        found: types.IntegrationKey = await self._transport.request(
            Call(
                "POST",
                f"/v1/integration-keys/{quote(key_id, safe='')}/revoke",
                headers=if_match(version),
            )
        )
        return found


class AsyncEventsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
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
    ) -> AsyncIterator[types.Event]:
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

    async def list_page(
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
        found: types.EventPage = await self._transport.request(
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


class AsyncReportsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def delivery(
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
        found: types.Report = await self._transport.request(
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

    async def hours(
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
        found: types.Hours = await self._transport.request(
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

    async def create_export(
        self,
        body: types.ExportCreate,
        *,
        environment: types.Environment | None = None,
        idempotency_key: str | None = None,
    ) -> types.Export:
        """Create an export."""
        found: types.Export = await self._transport.request(
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
    ) -> AsyncIterator[types.Export]:
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

    async def list_exports_page(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        environment: types.Environment | None = None,
        kind: types.ExportKind | None = None,
        status: types.ExportStatus | None = None,
    ) -> types.ExportPage:
        """List exports: one page."""
        found: types.ExportPage = await self._transport.request(
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

    async def get_export(self, export_id: str) -> types.Export:
        """Read an export."""
        found: types.Export = await self._transport.request(
            Call("GET", f"/v1/reports/exports/{quote(export_id, safe='')}", repeatable=True)
        )
        return found

    async def delete_export(self, export_id: str) -> None:
        """Delete an export."""
        await self._transport.request(
            Call("DELETE", f"/v1/reports/exports/{quote(export_id, safe='')}", repeatable=True)
        )


class AsyncDecisionsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def explain(self, body: types.DecisionQuestion) -> types.DecisionExplanation:
        """Explain a decision."""
        found: types.DecisionExplanation = await self._transport.request(
            Call("POST", "/v1/decisions/explain", body={**body}, repeatable=True)
        )
        return found


class AsyncEmbedSessionsOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, body: types.EmbedSessionCreate, *, idempotency_key: str | None = None
    ) -> types.EmbedSessionCreated:
        """Create an embed session."""
        found: types.EmbedSessionCreated = await self._transport.request(
            Call(
                "POST",
                "/v1/embed/sessions",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found


class AsyncCallerOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self) -> types.Caller:
        """Identify the caller."""
        found: types.Caller = await self._transport.request(Call("GET", "/v1/me", repeatable=True))
        return found

    async def status(
        self, *, property_id: str | None = None, environment: types.Environment | None = None
    ) -> types.IntegrationStatus:
        """Read the integration status."""
        found: types.IntegrationStatus = await self._transport.request(
            Call(
                "GET",
                "/v1/integration/status",
                query_pairs({"property_id": property_id, "environment": environment}),
                repeatable=True,
            )
        )
        return found


class AsyncEdgeOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def report_conversion(
        self, body: types.ConversionBody, *, idempotency_key: str | None = None
    ) -> types.ConversionAccepted:
        """Report a conversion from your server."""
        found: types.ConversionAccepted = await self._transport.request(
            Call(
                "POST",
                "/v1/conversions",
                body={**body},
                headers=idempotency_headers(idempotency_key),
                repeatable=True,
            )
        )
        return found

    async def prepare_email(self, body: types.EmailPrepareBody) -> types.EmailPrepared:
        """Prepare the ads of a mailing."""
        found: types.EmailPrepared = await self._transport.request(
            Call("POST", "/v1/email/prepare", body={**body}, repeatable=True)
        )
        return found

    async def stitch_audio(self, body: types.StitchBody) -> types.Stitched:
        """Put ads into audio content."""
        found: types.Stitched = await self._transport.request(
            Call("POST", "/v1/audio/stitch", body={**body}, repeatable=True)
        )
        return found

    async def verify_click(self, body: types.ClickVerification) -> types.ClickVerified:
        """Verify a click id."""
        found: types.ClickVerified = await self._transport.request(
            Call("POST", "/v1/clicks/verify", body={**body}, repeatable=True)
        )
        return found


class AsyncManagementOperations:
    def __init__(self, transport: AsyncTransport) -> None:
        self.campaigns = AsyncCampaignsOperations(transport)
        self.ads = AsyncAdsOperations(transport)
        self.assets = AsyncAssetsOperations(transport)
        self.properties = AsyncPropertiesOperations(transport)
        self.slots = AsyncSlotsOperations(transport)
        self.sdk_keys = AsyncSdkKeysOperations(transport)
        self.integration_keys = AsyncIntegrationKeysOperations(transport)
        self.reports = AsyncReportsOperations(transport)
        self.decisions = AsyncDecisionsOperations(transport)
        self.embed_sessions = AsyncEmbedSessionsOperations(transport)
        self.caller = AsyncCallerOperations(transport)
