<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Call;
use Placard\Internal\Transport;

/**
 * @phpstan-import-type AdFormat from \Placard\Types
 * @phpstan-import-type AdSource from \Placard\Types
 * @phpstan-import-type DeviceType from \Placard\Types
 * @phpstan-import-type Environment from \Placard\Types
 * @phpstan-import-type EventReason from \Placard\Types
 * @phpstan-import-type Export from \Placard\Types
 * @phpstan-import-type ExportCreate from \Placard\Types
 * @phpstan-import-type ExportKind from \Placard\Types
 * @phpstan-import-type ExportPage from \Placard\Types
 * @phpstan-import-type ExportStatus from \Placard\Types
 * @phpstan-import-type Hours from \Placard\Types
 * @phpstan-import-type Report from \Placard\Types
 * @phpstan-import-type ReportDimension from \Placard\Types
 * @phpstan-import-type ReportGranularity from \Placard\Types
 * @phpstan-import-type ReportMetric from \Placard\Types
 * @phpstan-import-type Surface from \Placard\Types
 */
class ReportsOperations
{
    public function __construct(protected readonly Transport $transport)
    {
    }

    /**
     * Read a delivery report.
     *
     * @param array{from: string, to?: string, granularity?: ReportGranularity, group_by?: list<ReportDimension>, metrics?: list<ReportMetric>, tz?: string, campaign_id?: list<string>, ad_id?: list<string>, property_id?: list<string>, slot_id?: list<string>, country?: list<string>, device?: list<DeviceType>, format?: list<AdFormat>, source?: list<AdSource>, surface?: list<Surface>, reason?: list<EventReason>, environment?: Environment, sort?: string, limit?: int} $query
     * @return Report
     */
    public function delivery(array $query): array
    {
        return $this->transport->request(new Call('GET', '/v1/reports/delivery', query: $query, repeatable: true));
    }

    /**
     * Read a report by hour of the week.
     *
     * @param array{from: string, to?: string, metrics?: list<ReportMetric>, tz?: string, environment?: Environment, campaign_id?: list<string>, ad_id?: list<string>, property_id?: list<string>, slot_id?: list<string>, country?: list<string>, device?: list<DeviceType>, format?: list<AdFormat>, source?: list<AdSource>, surface?: list<Surface>, reason?: list<EventReason>} $query
     * @return Hours
     */
    public function hours(array $query): array
    {
        return $this->transport->request(new Call('GET', '/v1/reports/hours', query: $query, repeatable: true));
    }

    /**
     * Create an export.
     *
     * @param ExportCreate $body
     * @param array{environment?: Environment} $query
     * @return Export
     */
    public function createExport(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->transport->request(new Call('POST', '/v1/reports/exports', query: $query, body: $body, creates: true, idempotencyKey: $idempotencyKey, repeatable: true));
    }

    /**
     * List exports: the items of all pages, each page requested when it is needed.
     *
     * @param array{cursor?: string, limit?: int, environment?: Environment, kind?: ExportKind, status?: ExportStatus} $query
     * @return \Generator<int, Export>
     */
    public function listExports(array $query = []): \Generator
    {
        return $this->transport->items('/v1/reports/exports', $query);
    }

    /**
     * List exports: one page.
     *
     * @param array{cursor?: string, limit?: int, environment?: Environment, kind?: ExportKind, status?: ExportStatus} $query
     * @return ExportPage
     */
    public function listExportsPage(array $query = []): array
    {
        return $this->transport->request(new Call('GET', '/v1/reports/exports', query: $query, repeatable: true));
    }

    /**
     * Read an export.
     *
     * @return Export
     */
    public function getExport(string $exportId): array
    {
        return $this->transport->request(new Call('GET', '/v1/reports/exports/' . rawurlencode($exportId), repeatable: true));
    }

    /**
     * Delete an export.
     */
    public function deleteExport(string $exportId): void
    {
        $this->transport->request(new Call('DELETE', '/v1/reports/exports/' . rawurlencode($exportId), repeatable: true));
    }
}
