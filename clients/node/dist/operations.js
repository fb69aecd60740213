// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.
/** The operations of the API that are one request each. */
export class CampaignsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List campaigns: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/campaigns", query);
    }
    /** List campaigns: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/campaigns", query, repeatable: true });
    }
    /** Create a campaign. */
    create(body, query = {}, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/campaigns", query, body, creation: options, repeatable: true });
    }
    /** Read a campaign. */
    get(campaignId) {
        return this.transport.request({ method: "GET", path: `/v1/campaigns/${encodeURIComponent(campaignId)}`, repeatable: true });
    }
    /** Change a campaign. */
    update(campaignId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/campaigns/${encodeURIComponent(campaignId)}`, body, version });
    }
    /** Activate a campaign. */
    activate(campaignId, version) {
        return this.transport.request({ method: "POST", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/activate`, version });
    }
    /** Pause a campaign. */
    pause(campaignId, version) {
        return this.transport.request({ method: "POST", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/pause`, version });
    }
    /** Resume a campaign. */
    resume(campaignId, version) {
        return this.transport.request({ method: "POST", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/resume`, version });
    }
    /** Archive a campaign. */
    archive(campaignId, version) {
        return this.transport.request({ method: "POST", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/archive`, version });
    }
    /** Clone a campaign. */
    clone(campaignId, body, options = {}) {
        return this.transport.request({ method: "POST", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/clone`, body, creation: options, repeatable: true });
    }
    /** Read the delivery of a campaign. */
    delivery(campaignId) {
        return this.transport.request({ method: "GET", path: `/v1/campaigns/${encodeURIComponent(campaignId)}/delivery`, repeatable: true });
    }
    /** Forecast a campaign. */
    forecast(body, query = {}) {
        return this.transport.request({ method: "POST", path: "/v1/campaigns/forecast", query, body, repeatable: true });
    }
    /** Pause, resume or archive many campaigns. */
    bulk(body) {
        return this.transport.request({ method: "POST", path: "/v1/campaigns/bulk", body });
    }
}
export class AdsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List ads: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/ads", query);
    }
    /** List ads: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/ads", query, repeatable: true });
    }
    /** Create an ad. */
    create(body, query = {}, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/ads", query, body, creation: options, repeatable: true });
    }
    /** Read an ad. */
    get(adId) {
        return this.transport.request({ method: "GET", path: `/v1/ads/${encodeURIComponent(adId)}`, repeatable: true });
    }
    /** Change an ad. */
    update(adId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/ads/${encodeURIComponent(adId)}`, body, version });
    }
    /** Activate an ad. */
    activate(adId, version) {
        return this.transport.request({ method: "POST", path: `/v1/ads/${encodeURIComponent(adId)}/activate`, version });
    }
    /** Pause an ad. */
    pause(adId, version) {
        return this.transport.request({ method: "POST", path: `/v1/ads/${encodeURIComponent(adId)}/pause`, version });
    }
    /** Resume an ad. */
    resume(adId, version) {
        return this.transport.request({ method: "POST", path: `/v1/ads/${encodeURIComponent(adId)}/resume`, version });
    }
    /** Archive an ad. */
    archive(adId, version) {
        return this.transport.request({ method: "POST", path: `/v1/ads/${encodeURIComponent(adId)}/archive`, version });
    }
}
export class AssetsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List assets: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/assets", query);
    }
    /** List assets: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/assets", query, repeatable: true });
    }
    /** Upload a file, or request an upload URL. */
    create(body, query = {}, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/assets", query, body, creation: options, repeatable: true });
    }
    /** Read an asset. */
    get(assetId) {
        return this.transport.request({ method: "GET", path: `/v1/assets/${encodeURIComponent(assetId)}`, repeatable: true });
    }
    /** Change an asset. */
    update(assetId, body) {
        return this.transport.request({ method: "PATCH", path: `/v1/assets/${encodeURIComponent(assetId)}`, body });
    }
    /** Complete an upload. */
    complete(assetId) {
        return this.transport.request({ method: "POST", path: `/v1/assets/${encodeURIComponent(assetId)}/complete` });
    }
    /** Archive an asset. */
    archive(assetId) {
        return this.transport.request({ method: "POST", path: `/v1/assets/${encodeURIComponent(assetId)}/archive` });
    }
}
export class PropertiesOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List properties: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/properties", query);
    }
    /** List properties: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/properties", query, repeatable: true });
    }
    /** Create a property. */
    create(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/properties", body, creation: options, repeatable: true });
    }
    /** Read a property. */
    get(propertyId) {
        return this.transport.request({ method: "GET", path: `/v1/properties/${encodeURIComponent(propertyId)}`, repeatable: true });
    }
    /** Change a property. */
    update(propertyId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/properties/${encodeURIComponent(propertyId)}`, body, version });
    }
    /** Start domain verification. */
    startVerification(propertyId, body, version) {
        return this.transport.request({ method: "POST", path: `/v1/properties/${encodeURIComponent(propertyId)}/verification`, body, version });
    }
    /** Check domain verification. */
    verify(propertyId, version) {
        return this.transport.request({ method: "POST", path: `/v1/properties/${encodeURIComponent(propertyId)}/verify`, version });
    }
}
export class SlotsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List slots: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/slots", query);
    }
    /** List slots: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/slots", query, repeatable: true });
    }
    /** Create a slot. */
    create(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/slots", body, creation: options, repeatable: true });
    }
    /** Read a slot. */
    get(slotId) {
        return this.transport.request({ method: "GET", path: `/v1/slots/${encodeURIComponent(slotId)}`, repeatable: true });
    }
    /** Change a slot. */
    update(slotId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/slots/${encodeURIComponent(slotId)}`, body, version });
    }
}
export class SdkKeysOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List SDK keys: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/sdk-keys", query);
    }
    /** List SDK keys: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/sdk-keys", query, repeatable: true });
    }
    /** Create an SDK key. */
    create(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/sdk-keys", body, creation: options, repeatable: true });
    }
    /** Read an SDK key. */
    get(keyId) {
        return this.transport.request({ method: "GET", path: `/v1/sdk-keys/${encodeURIComponent(keyId)}`, repeatable: true });
    }
    /** Change an SDK key. */
    update(keyId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/sdk-keys/${encodeURIComponent(keyId)}`, body, version });
    }
    /** Rotate an SDK key. */
    rotate(keyId, options = {}, version) {
        return this.transport.request({ method: "POST", path: `/v1/sdk-keys/${encodeURIComponent(keyId)}/rotate`, version, creation: options, repeatable: true });
    }
    /** Revoke an SDK key. */
    revoke(keyId, version) {
        return this.transport.request({ method: "POST", path: `/v1/sdk-keys/${encodeURIComponent(keyId)}/revoke`, version });
    }
}
export class IntegrationKeysOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** List integration keys: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/integration-keys", query);
    }
    /** List integration keys: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/integration-keys", query, repeatable: true });
    }
    /** Create an integration key. */
    create(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/integration-keys", body, creation: options, repeatable: true });
    }
    /** Read an integration key. */
    get(keyId) {
        return this.transport.request({ method: "GET", path: `/v1/integration-keys/${encodeURIComponent(keyId)}`, repeatable: true });
    }
    /** Change an integration key. */
    update(keyId, body, version) {
        return this.transport.request({ method: "PATCH", path: `/v1/integration-keys/${encodeURIComponent(keyId)}`, body, version });
    }
    /** Rotate an integration key. */
    rotate(keyId, options = {}, version) {
        return this.transport.request({ method: "POST", path: `/v1/integration-keys/${encodeURIComponent(keyId)}/rotate`, version, creation: options, repeatable: true });
    }
    /** Revoke an integration key. */
    revoke(keyId, version) {
        return this.transport.request({ method: "POST", path: `/v1/integration-keys/${encodeURIComponent(keyId)}/revoke`, version });
    }
}
export class EventsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Read the events feed: the items of all pages, each page requested when it is needed. */
    list(query = {}) {
        return this.transport.items("/v1/integration/events", query);
    }
    /** Read the events feed: one page. */
    listPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/integration/events", query, repeatable: true });
    }
}
export class ReportsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Read a delivery report. */
    delivery(query) {
        return this.transport.request({ method: "GET", path: "/v1/reports/delivery", query, repeatable: true });
    }
    /** Read a report by hour of the week. */
    hours(query) {
        return this.transport.request({ method: "GET", path: "/v1/reports/hours", query, repeatable: true });
    }
    /** Create an export. */
    createExport(body, query = {}, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/reports/exports", query, body, creation: options, repeatable: true });
    }
    /** List exports: the items of all pages, each page requested when it is needed. */
    listExports(query = {}) {
        return this.transport.items("/v1/reports/exports", query);
    }
    /** List exports: one page. */
    listExportsPage(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/reports/exports", query, repeatable: true });
    }
    /** Read an export. */
    getExport(exportId) {
        return this.transport.request({ method: "GET", path: `/v1/reports/exports/${encodeURIComponent(exportId)}`, repeatable: true });
    }
    /** Delete an export. */
    deleteExport(exportId) {
        return this.transport.request({ method: "DELETE", path: `/v1/reports/exports/${encodeURIComponent(exportId)}`, repeatable: true });
    }
}
export class DecisionsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Explain a decision. */
    explain(body) {
        return this.transport.request({ method: "POST", path: "/v1/decisions/explain", body, repeatable: true });
    }
}
export class EmbedSessionsOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Create an embed session. */
    create(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/embed/sessions", body, creation: options, repeatable: true });
    }
}
export class CallerOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Identify the caller. */
    get() {
        return this.transport.request({ method: "GET", path: "/v1/me", repeatable: true });
    }
    /** Read the integration status. */
    status(query = {}) {
        return this.transport.request({ method: "GET", path: "/v1/integration/status", query, repeatable: true });
    }
}
export class EdgeOperations {
    transport;
    constructor(transport) {
        this.transport = transport;
    }
    /** Report a conversion from your server. */
    reportConversion(body, options = {}) {
        return this.transport.request({ method: "POST", path: "/v1/conversions", body, creation: options, repeatable: true });
    }
    /** Prepare the ads of a mailing. */
    prepareEmail(body) {
        return this.transport.request({ method: "POST", path: "/v1/email/prepare", body, repeatable: true });
    }
    /** Put ads into audio content. */
    stitchAudio(body) {
        return this.transport.request({ method: "POST", path: "/v1/audio/stitch", body, repeatable: true });
    }
    /** Verify a click id. */
    verifyClick(body) {
        return this.transport.request({ method: "POST", path: "/v1/clicks/verify", body, repeatable: true });
    }
}
export class ManagementOperations {
    campaigns;
    ads;
    assets;
    properties;
    slots;
    sdkKeys;
    integrationKeys;
    reports;
    decisions;
    embedSessions;
    caller;
    constructor(transport) {
        this.campaigns = new CampaignsOperations(transport);
        this.ads = new AdsOperations(transport);
        this.assets = new AssetsOperations(transport);
        this.properties = new PropertiesOperations(transport);
        this.slots = new SlotsOperations(transport);
        this.sdkKeys = new SdkKeysOperations(transport);
        this.integrationKeys = new IntegrationKeysOperations(transport);
        this.reports = new ReportsOperations(transport);
        this.decisions = new DecisionsOperations(transport);
        this.embedSessions = new EmbedSessionsOperations(transport);
        this.caller = new CallerOperations(transport);
    }
}
