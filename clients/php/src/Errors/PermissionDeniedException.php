<?php

declare(strict_types=1);

namespace Placard\Errors;

final class PermissionDeniedException extends ApiException
{
}
