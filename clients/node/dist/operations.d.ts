/** The operations of the API that are one request each. */
import type { Transport } from "./transport.js";
import type * as types from "./types.js";
/** Options of a call that creates. Without a key, the library makes one, the same for all attempts. */
export interface Creation {
    idempotencyKey?: string;
}
export interface CampaignsListQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
    /** Only items with this status. */
    status?: types.CampaignStatus;
    /** Only campaigns with this objective. */
    objective?: types.Objective;
    /** Only the campaign with your own reference. */
    external_ref?: string;
    /** Only campaigns that run on this property, among others or alone. */
    property_id?: string;
    /** Part of the name, case-insensitive. */
    q?: string;
    /**
     * Only campaigns changed at or after this time. To follow changes, sort by `updated_at`, and begin a minute
     * before the newest change that you have: changes of the same moment may become visible in any order.
     */
    updated_since?: string;
    /** Sort order; a leading minus reverses it. Names sort case-insensitively. */
    sort?: types.CampaignSort;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export interface CampaignsCreateQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
}
export interface CampaignsForecastQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
}
export declare class CampaignsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List campaigns: the items of all pages, each page requested when it is needed. */
    list(query?: CampaignsListQuery): AsyncGenerator<types.Campaign, void, undefined>;
    /** List campaigns: one page. */
    listPage(query?: CampaignsListQuery): Promise<types.CampaignPage>;
    /** Create a campaign. */
    create(body: types.CampaignCreate, query?: CampaignsCreateQuery, options?: Creation): Promise<types.Campaign>;
    /** Read a campaign. */
    get(campaignId: string): Promise<types.Campaign>;
    /** Change a campaign. */
    update(campaignId: string, body: types.CampaignPatch, version: number): Promise<types.Campaign>;
    /** Activate a campaign. */
    activate(campaignId: string, version?: number): Promise<types.Campaign>;
    /** Pause a campaign. */
    pause(campaignId: string, version?: number): Promise<types.Campaign>;
    /** Resume a campaign. */
    resume(campaignId: string, version?: number): Promise<types.Campaign>;
    /** Archive a campaign. */
    archive(campaignId: string, version?: number): Promise<types.Campaign>;
    /** Clone a campaign. */
    clone(campaignId: string, body: types.CampaignClone, options?: Creation): Promise<types.Campaign>;
    /** Read the delivery of a campaign. */
    delivery(campaignId: string): Promise<types.CampaignDelivery>;
    /** Forecast a campaign. */
    forecast(body: types.ForecastCreate, query?: CampaignsForecastQuery): Promise<types.Forecast>;
    /** Pause, resume or archive many campaigns. */
    bulk(body: types.BulkCampaignAction): Promise<types.BulkCampaignResults>;
}
export interface AdsListQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
    /** Only items of this campaign. */
    campaign_id?: string;
    /** Only items with this status. */
    status?: types.AdStatus;
    /** Only items of this format. */
    format?: types.AdFormat;
    /** Part of the name, case-insensitive. */
    q?: string;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export interface AdsCreateQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
}
export declare class AdsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List ads: the items of all pages, each page requested when it is needed. */
    list(query?: AdsListQuery): AsyncGenerator<types.Ad, void, undefined>;
    /** List ads: one page. */
    listPage(query?: AdsListQuery): Promise<types.AdPage>;
    /** Create an ad. */
    create(body: types.AdCreate, query?: AdsCreateQuery, options?: Creation): Promise<types.Ad>;
    /** Read an ad. */
    get(adId: string): Promise<types.Ad>;
    /** Change an ad. */
    update(adId: string, body: types.AdPatch, version: number): Promise<types.Ad>;
    /** Activate an ad. */
    activate(adId: string, version?: number): Promise<types.Ad>;
    /** Pause an ad. */
    pause(adId: string, version?: number): Promise<types.Ad>;
    /** Resume an ad. */
    resume(adId: string, version?: number): Promise<types.Ad>;
    /** Archive an ad. */
    archive(adId: string, version?: number): Promise<types.Ad>;
}
export interface AssetsListQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
    /** Only items of this kind. */
    kind?: types.AssetKind;
    /** Only items with this status. */
    status?: types.AssetStatus;
    /** Part of the file name, case-insensitive. */
    q?: string;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export interface AssetsCreateQuery {
    /** Required for signed-in users. A key always uses its own environment. */
    environment?: types.Environment;
}
export declare class AssetsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List assets: the items of all pages, each page requested when it is needed. */
    list(query?: AssetsListQuery): AsyncGenerator<types.Asset, void, undefined>;
    /** List assets: one page. */
    listPage(query?: AssetsListQuery): Promise<types.AssetPage>;
    /** Upload a file, or request an upload URL. */
    create(body: types.AssetCreate, query?: AssetsCreateQuery, options?: Creation): Promise<types.AssetCreated>;
    /** Read an asset. */
    get(assetId: string): Promise<types.Asset>;
    /** Change an asset. */
    update(assetId: string, body: types.AssetPatch): Promise<types.Asset>;
    /** Complete an upload. */
    complete(assetId: string): Promise<types.Asset>;
    /** Archive an asset. */
    archive(assetId: string): Promise<types.Asset>;
}
export interface PropertiesListQuery {
    /** Only items with this status. */
    status?: types.PropertyStatus;
    /** Only items of this kind. */
    kind?: types.PropertyKind;
    /** Only the property with exactly this domain. */
    domain?: string;
    /** Part of the name or the domain, case-insensitive. */
    q?: string;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export declare class PropertiesOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List properties: the items of all pages, each page requested when it is needed. */
    list(query?: PropertiesListQuery): AsyncGenerator<types.PublisherProperty, void, undefined>;
    /** List properties: one page. */
    listPage(query?: PropertiesListQuery): Promise<types.PublisherPropertyPage>;
    /** Create a property. */
    create(body: types.PropertyCreate, options?: Creation): Promise<types.PublisherProperty>;
    /** Read a property. */
    get(propertyId: string): Promise<types.PublisherProperty>;
    /** Change a property. */
    update(propertyId: string, body: types.PropertyPatch, version: number): Promise<types.PublisherProperty>;
    /** Start domain verification. */
    startVerification(propertyId: string, body: types.VerificationStart, version?: number): Promise<types.VerificationStarted>;
    /** Check domain verification. */
    verify(propertyId: string, version?: number): Promise<types.VerificationResult>;
}
export interface SlotsListQuery {
    /** Only items of this property. */
    property_id?: string;
    /** Only items with this status. */
    status?: types.SlotStatus;
    /** Only the slot with exactly this key. */
    key?: string;
    /** Part of the name or the key, case-insensitive. */
    q?: string;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export declare class SlotsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List slots: the items of all pages, each page requested when it is needed. */
    list(query?: SlotsListQuery): AsyncGenerator<types.Slot, void, undefined>;
    /** List slots: one page. */
    listPage(query?: SlotsListQuery): Promise<types.SlotPage>;
    /** Create a slot. */
    create(body: types.SlotCreate, options?: Creation): Promise<types.Slot>;
    /** Read a slot. */
    get(slotId: string): Promise<types.Slot>;
    /** Change a slot. */
    update(slotId: string, body: types.SlotPatch, version: number): Promise<types.Slot>;
}
export interface SdkKeysListQuery {
    /** Only keys of this property. */
    property_id?: string;
    /** Only keys of this environment. */
    environment?: types.Environment;
    /** Only keys in this state. */
    status?: types.KeyStatus;
    /** Part of the name, case-insensitive. */
    q?: string;
    /** Maximum number of keys on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
    /** Only keys of this kind. */
    kind?: types.SdkKeyKind;
}
export declare class SdkKeysOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List SDK keys: the items of all pages, each page requested when it is needed. */
    list(query?: SdkKeysListQuery): AsyncGenerator<types.SdkKey, void, undefined>;
    /** List SDK keys: one page. */
    listPage(query?: SdkKeysListQuery): Promise<types.SdkKeyPage>;
    /** Create an SDK key. */
    create(body: types.SdkKeyCreate, options?: Creation): Promise<types.SdkKeyCreated>;
    /** Read an SDK key. */
    get(keyId: string): Promise<types.SdkKey>;
    /** Change an SDK key. */
    update(keyId: string, body: types.KeyPatch, version: number): Promise<types.SdkKey>;
    /** Rotate an SDK key. */
    rotate(keyId: string, options?: Creation, version?: number): Promise<types.SdkKeyCreated>;
    /** Revoke an SDK key. */
    revoke(keyId: string, version?: number): Promise<types.SdkKey>;
}
export interface IntegrationKeysListQuery {
    /** Only keys of this property. */
    property_id?: string;
    /** Only keys of this environment. */
    environment?: types.Environment;
    /** Only keys in this state. */
    status?: types.KeyStatus;
    /** Part of the name, case-insensitive. */
    q?: string;
    /** Maximum number of keys on the page. */
    limit?: number;
    /** `next_cursor` of the previous page. */
    cursor?: string;
}
export declare class IntegrationKeysOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** List integration keys: the items of all pages, each page requested when it is needed. */
    list(query?: IntegrationKeysListQuery): AsyncGenerator<types.IntegrationKey, void, undefined>;
    /** List integration keys: one page. */
    listPage(query?: IntegrationKeysListQuery): Promise<types.IntegrationKeyPage>;
    /** Create an integration key. */
    create(body: types.IntegrationKeyCreate, options?: Creation): Promise<types.IntegrationKeyCreated>;
    /** Read an integration key. */
    get(keyId: string): Promise<types.IntegrationKey>;
    /** Change an integration key. */
    update(keyId: string, body: types.KeyPatch, version: number): Promise<types.IntegrationKey>;
    /** Rotate an integration key. */
    rotate(keyId: string, options?: Creation, version?: number): Promise<types.IntegrationKeyCreated>;
    /** Revoke an integration key. */
    revoke(keyId: string, version?: number): Promise<types.IntegrationKey>;
}
export interface EventsListQuery {
    /**
     * `next_cursor` of the previous page, the id of the last event processed, or `earliest`. Default: the newest
     * events, newest first.
     */
    cursor?: string;
    /** Only events of these properties. Comma-separated, repeated, or both. */
    property_id?: readonly string[];
    /** Only events of these kinds. Comma-separated, repeated, or both. */
    kind?: readonly types.EventKind[];
    /** `true`: only events that passed the invalid-traffic filter. `false`: only events that did not. */
    valid?: boolean;
    /** `true`: only the test environment. `false`: only live. */
    is_test?: boolean;
    /** `live` or `test`. A key always uses its own environment. None: both. */
    environment?: types.Environment;
    /** Only events at or after this time. */
    since?: string;
    /** Only events before this time. */
    until?: string;
    /** Maximum number of items on the page. */
    limit?: number;
}
export declare class EventsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Read the events feed: the items of all pages, each page requested when it is needed. */
    list(query?: EventsListQuery): AsyncGenerator<types.Event, void, undefined>;
    /** Read the events feed: one page. */
    listPage(query?: EventsListQuery): Promise<types.EventPage>;
}
export interface ReportsDeliveryQuery {
    /** Start of the range: a date, or a time on a full hour. Without an offset it is in `tz`. */
    from: string;
    /** End of the range, exclusive. Default: the end of the current hour. */
    to?: string;
    /** One row per period of this length, or one for the whole range. */
    granularity?: types.ReportGranularity;
    /** One row for each combination of these dimensions. Comma-separated, repeated, or both. */
    group_by?: readonly types.ReportDimension[];
    /**
     * The metrics of each row, in this order. Left out: `impressions`, `clicks`, `ctr`, `conversions`, `spend_cents`.
     * Comma-separated, repeated, or both.
     */
    metrics?: readonly types.ReportMetric[];
    /**
     * Time zone of dates, days, weeks and months. Default: the property's if the report is about one property, else
     * UTC.
     */
    tz?: string;
    /** Only these campaigns. Comma-separated, repeated, or both. */
    campaign_id?: readonly string[];
    /** Only these ads. Comma-separated, repeated, or both. */
    ad_id?: readonly string[];
    /** Only these properties. Comma-separated, repeated, or both. */
    property_id?: readonly string[];
    /** Only these slots. Comma-separated, repeated, or both. */
    slot_id?: readonly string[];
    /** Only these countries. Comma-separated, repeated, or both. */
    country?: readonly string[];
    /** Only these types of device. Comma-separated, repeated, or both. */
    device?: readonly types.DeviceType[];
    /** Only these formats. Comma-separated, repeated, or both. */
    format?: readonly types.AdFormat[];
    /** Only these sources. Comma-separated, repeated, or both. */
    source?: readonly types.AdSource[];
    /** Only these surfaces. Comma-separated, repeated, or both. */
    surface?: readonly types.Surface[];
    /** Only events with these reasons. Comma-separated, repeated, or both. */
    reason?: readonly types.EventReason[];
    /** `live` or `test`. Required for signed-in users; a key uses its own environment. */
    environment?: types.Environment;
    /**
     * Sorts the rows by one of `metrics`, largest first with a leading minus, nulls last. Default: by period, then by
     * `group_by`.
     */
    sort?: string;
    /** Maximum number of rows, in their order. `totals` covers all rows. */
    limit?: number;
}
export interface ReportsHoursQuery {
    /** Start of the range: a date, or a time on a full hour. Without an offset it is in `tz`. */
    from: string;
    /** End of the range, exclusive. Default: the end of the current hour. */
    to?: string;
    /**
     * The metrics of each row, in this order. Left out: `impressions`, `clicks`, `ctr`, `conversions`, `spend_cents`.
     * Comma-separated, repeated, or both.
     */
    metrics?: readonly types.ReportMetric[];
    /** Time zone of dates, weekdays and hours. Default: the property's if the report is about one property, else UTC. */
    tz?: string;
    /** `live` or `test`. Required for signed-in users; a key uses its own environment. */
    environment?: types.Environment;
    /** Only these campaigns. Comma-separated, repeated, or both. */
    campaign_id?: readonly string[];
    /** Only these ads. Comma-separated, repeated, or both. */
    ad_id?: readonly string[];
    /** Only these properties. Comma-separated, repeated, or both. */
    property_id?: readonly string[];
    /** Only these slots. Comma-separated, repeated, or both. */
    slot_id?: readonly string[];
    /** Only these countries. Comma-separated, repeated, or both. */
    country?: readonly string[];
    /** Only these types of device. Comma-separated, repeated, or both. */
    device?: readonly types.DeviceType[];
    /** Only these formats. Comma-separated, repeated, or both. */
    format?: readonly types.AdFormat[];
    /** Only these sources. Comma-separated, repeated, or both. */
    source?: readonly types.AdSource[];
    /** Only these surfaces. Comma-separated, repeated, or both. */
    surface?: readonly types.Surface[];
    /** Only events with these reasons. Comma-separated, repeated, or both. */
    reason?: readonly types.EventReason[];
}
export interface ReportsCreateExportQuery {
    /** `live` or `test`. A key always uses its own environment. */
    environment?: types.Environment;
}
export interface ReportsListExportsQuery {
    /** `next_cursor` of the previous page. */
    cursor?: string;
    /** Maximum number of items on the page. */
    limit?: number;
    /** `live` or `test`. A key always uses its own environment. */
    environment?: types.Environment;
    /** Only items of this kind. */
    kind?: types.ExportKind;
    /** Only items with this status. */
    status?: types.ExportStatus;
}
export declare class ReportsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Read a delivery report. */
    delivery(query: ReportsDeliveryQuery): Promise<types.Report>;
    /** Read a report by hour of the week. */
    hours(query: ReportsHoursQuery): Promise<types.Hours>;
    /** Create an export. */
    createExport(body: types.ExportCreate, query?: ReportsCreateExportQuery, options?: Creation): Promise<types.Export>;
    /** List exports: the items of all pages, each page requested when it is needed. */
    listExports(query?: ReportsListExportsQuery): AsyncGenerator<types.Export, void, undefined>;
    /** List exports: one page. */
    listExportsPage(query?: ReportsListExportsQuery): Promise<types.ExportPage>;
    /** Read an export. */
    getExport(exportId: string): Promise<types.Export>;
    /** Delete an export. */
    deleteExport(exportId: string): Promise<void>;
}
export declare class DecisionsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Explain a decision. */
    explain(body: types.DecisionQuestion): Promise<types.DecisionExplanation>;
}
export declare class EmbedSessionsOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Create an embed session. */
    create(body: types.EmbedSessionCreate, options?: Creation): Promise<types.EmbedSessionCreated>;
}
export interface CallerStatusQuery {
    /** Required for signed-in users whose account has several properties. */
    property_id?: string;
    /** `live` or `test`. A key always uses its own environment. None: `live`. */
    environment?: types.Environment;
}
export declare class CallerOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Identify the caller. */
    get(): Promise<types.Caller>;
    /** Read the integration status. */
    status(query?: CallerStatusQuery): Promise<types.IntegrationStatus>;
}
export declare class EdgeOperations {
    protected readonly transport: Transport;
    constructor(transport: Transport);
    /** Report a conversion from your server. */
    reportConversion(body: types.ConversionBody, options?: Creation): Promise<types.ConversionAccepted>;
    /** Prepare the ads of a mailing. */
    prepareEmail(body: types.EmailPrepareBody): Promise<types.EmailPrepared>;
    /** Put ads into audio content. */
    stitchAudio(body: types.StitchBody): Promise<types.Stitched>;
    /** Verify a click id. */
    verifyClick(body: types.ClickVerification): Promise<types.ClickVerified>;
}
export declare class ManagementOperations {
    readonly campaigns: CampaignsOperations;
    readonly ads: AdsOperations;
    readonly assets: AssetsOperations;
    readonly properties: PropertiesOperations;
    readonly slots: SlotsOperations;
    readonly sdkKeys: SdkKeysOperations;
    readonly integrationKeys: IntegrationKeysOperations;
    readonly reports: ReportsOperations;
    readonly decisions: DecisionsOperations;
    readonly embedSessions: EmbedSessionsOperations;
    readonly caller: CallerOperations;
    constructor(transport: Transport);
}
