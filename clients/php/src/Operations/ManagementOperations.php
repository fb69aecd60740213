<?php

// Written by `python -m clients.generate` from docs/openapi.json. Change the generator, not this file.

declare(strict_types=1);

namespace Placard\Operations;

use Placard\Internal\Transport;

class ManagementOperations
{
    public readonly CampaignsOperations $campaigns;
    public readonly AdsOperations $ads;
    public readonly AssetsOperations $assets;
    public readonly PropertiesOperations $properties;
    public readonly SlotsOperations $slots;
    public readonly SdkKeysOperations $sdkKeys;
    public readonly IntegrationKeysOperations $integrationKeys;
    public readonly ReportsOperations $reports;
    public readonly DecisionsOperations $decisions;
    public readonly EmbedSessionsOperations $embedSessions;
    public readonly CallerOperations $caller;

    public function __construct(Transport $transport)
    {
        $this->campaigns = new CampaignsOperations($transport);
        $this->ads = new AdsOperations($transport);
        $this->assets = new AssetsOperations($transport);
        $this->properties = new PropertiesOperations($transport);
        $this->slots = new SlotsOperations($transport);
        $this->sdkKeys = new SdkKeysOperations($transport);
        $this->integrationKeys = new IntegrationKeysOperations($transport);
        $this->reports = new ReportsOperations($transport);
        $this->decisions = new DecisionsOperations($transport);
        $this->embedSessions = new EmbedSessionsOperations($transport);
        $this->caller = new CallerOperations($transport);
    }
}
