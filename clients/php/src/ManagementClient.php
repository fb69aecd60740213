<?php

declare(strict_types=1);

namespace Placard;

use Placard\Internal\Transport;
use Placard\Operations\ManagementOperations;

/** Campaigns, ads, properties, keys, reports and events. */
final class ManagementClient extends ManagementOperations
{
    public readonly Events $events;

    /**
     * @param string $key an integration key (`ak_`) or an access token (`at_`); a secret key (`sk_`) reaches `caller` alone
     */
    public function __construct(#[\SensitiveParameter] string $key, string $baseUrl, Options $options = new Options())
    {
        $transport = new Transport($baseUrl, $key, ['ak_', 'at_', 'sk_'], 30.0, $options);
        parent::__construct($transport);
        $this->events = new Events($transport);
    }
}
