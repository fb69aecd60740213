<?php

// Runs the library as a program of its user would, for the tests of this repository: one JSON command a line on standard
// input, one JSON answer a line on standard output.

declare(strict_types=1);

use Placard\Consent;
use Placard\CursorFile;
use Placard\EdgeClient;
use Placard\Errors\ApiException;
use Placard\Errors\ConflictException;
use Placard\Errors\InvalidRequestException;
use Placard\Errors\PlacardException;
use Placard\ManagementClient;
use Placard\Options;
use Placard\Visitor;

require __DIR__ . '/autoload.php';

final class Driver
{
    /** @var list<int> */
    public array $pausesMs = [];
    private float $now = 0.0;
    private ?\Closure $duringPause = null;
    private EdgeClient $edge;
    private ManagementClient $management;

    public function answer(array $command): array
    {
        try {
            return $this->{$command['do']}($command);
        } catch (PlacardException $error) {
            $own = $error instanceof ApiException
                ? ['status' => $error->status, 'param' => $error->details[0]['param'] ?? null]
                : [];
            $kind = (new ReflectionClass($error))->getShortName();
            $fields = ['code' => $error->errorCode, 'kind' => $kind, 'message' => $error->getMessage(), ...$own];
            return ['status' => 'error', 'error' => $fields];
        }
    }

    /** `virtual`: pauses are noted, not slept, and chance is `random`; `timeout_ms` is real time. */
    public function open(array $command): array
    {
        $options = ($command['virtual'] ?? false) ? new Options(
            timeoutS: $command['timeout_ms'] / 1000,
            random: static fn (): float => (float) ($command['random'] ?? 0.5),
            sleep: function (float $seconds): void {
                $until = $this->now + $seconds;
                $this->pausesMs[] = (int) round($seconds * 1000);
                [$begin, $this->duringPause] = [$this->duringPause, null];
                if ($begin !== null) {
                    $begin();
                }
                $this->now = max($this->now, $until);
            },
            clock: fn (): float => $this->now,
        ) : new Options();
        if (isset($command['edge_url'])) {
            $this->edge = new EdgeClient($command['edge_key'], $command['edge_url'], $options);
        }
        if (isset($command['base_url'])) {
            $this->management = new ManagementClient($command['management_key'], $command['base_url'], $options);
        }
        return ['status' => 'ok'];
    }

    public function serve(array $command): array
    {
        $request = $command['request'];
        $given = $command['consent'] ?? [];
        $consent = new Consent(
            gdpr: $given['gdpr'] ?? null,
            gdprConsent: $given['gdpr_consent'] ?? null,
            gpp: $given['gpp'] ?? null,
            gppSid: $given['gpp_sid'] ?? null,
            usPrivacy: $given['us_privacy'] ?? null,
            coppa: $given['coppa'] ?? null,
            lgpd: $given['lgpd'] ?? null,
            npa: $given['npa'] ?? null,
        );
        $decision = $this->edge->serve(
            $request['slot'],
            new Visitor(
                ip: $request['ip'] ?? null,
                ua: $request['ua'] ?? null,
                uid: $request['uid'] ?? null,
                lang: $request['lang'] ?? null,
                consent: $consent,
            ),
            format: $request['format'] ?? null,
            width: $request['width'] ?? null,
            height: $request['height'] ?? null,
            keywords: $request['keywords'] ?? [],
            keyValues: $request['key_values'] ?? [],
            debug: $request['debug'] ?? false,
            testScenario: $request['test_scenario'] ?? null,
        );
        if ($decision->ad !== null) {
            return ['status' => 'filled', 'ad' => $decision->ad];
        }
        $reason = $decision->noFillReason;
        return ['status' => 'no_fill', 'reason' => $reason, 'decision_id' => $decision->decisionId];
    }

    /** Two calls of `serve`: the second begins in the first pause of the first, at its `at_ms`. */
    public function together(array $command): array
    {
        [$first, $second] = $command['calls'];
        $start = $this->now;
        $run = fn (array $call): array => [
            ...$this->answer(['do' => 'serve'] + $call),
            'ended_ms' => (int) round(($this->now - $start) * 1000),
        ];
        $other = null;
        $this->duringPause = function () use ($run, $second, &$other): void {
            $this->now += $second['at_ms'] / 1000;
            $other = $run($second);
        };
        $outcome = $run($first);
        return ['status' => 'ok', 'outcomes' => [$outcome, $other]];
    }

    public function serve_slots(array $command): array
    {
        return ['status' => 'ok', 'answers' => $this->edge->serveSlots($command['slots'])];
    }

    public function track(array $command): array
    {
        $conversion = $command['conversion'] ?? [];
        $this->edge->track(
            $command['token'],
            $command['event'],
            new Visitor(ip: $command['ip'] ?? null, ua: $command['ua'] ?? null),
            valueCents: $conversion['value_cents'] ?? null,
            currency: $conversion['currency'] ?? null,
            orderId: $conversion['order_id'] ?? null,
        );
        return ['status' => 'counted'];
    }

    public function track_batch(array $command): array
    {
        return ['status' => 'ok', 'results' => $this->edge->trackBatch($command['events'])];
    }

    public function convert(array $command): array
    {
        $made = $this->edge->reportConversion($command['body'], $command['idempotency_key'] ?? null);
        return ['status' => 'ok', ...$made];
    }

    public function verify(array $command): array
    {
        return ['status' => 'ok', ...$this->edge->verifyClick(['click_id' => $command['click_id']])];
    }

    public function email(array $command): array
    {
        return ['status' => 'ok', ...$this->edge->prepareEmail($command['email'])];
    }

    public function stitch(array $command): array
    {
        return ['status' => 'ok', ...$this->edge->stitchAudio($command['stitch'])];
    }

    public function rotate(array $command): array
    {
        return ['status' => 'ok', 'key' => $this->management->sdkKeys->rotate($command['key_id'])['key']];
    }

    public function pause(array $command): array
    {
        return ['status' => 'ok', 'campaign' => $this->management->campaigns->pause($command['campaign_id'])];
    }

    /** The ids of the next `count` events, and one more so that their page is handled. */
    public function events(array $command): array
    {
        $ids = [];
        $cursors = new CursorFile($command['cursor_file']);
        $filters = ['kind' => 'impression'];
        foreach ($this->management->events->follow($cursors, $filters, pollS: 0.05, limit: 1) as $event) {
            if (count($ids) === $command['count']) {
                break;
            }
            $ids[] = $event['id'];
        }
        return ['status' => 'ok', 'ids' => $ids];
    }

    public function manage(array $command): array
    {
        $campaigns = $this->management->campaigns;
        $ads = $this->management->ads;
        $title = $command['title'];
        $body = ['name' => $title, 'objective' => 'awareness', 'pricing_model' => 'cpm', 'bid_cents' => 250];
        $made = $campaigns->create($body, idempotencyKey: $title);
        $again = $campaigns->create($body, idempotencyKey: $title);
        $image = ['image_url' => 'https://advertiser.example/b.png', 'width' => 300, 'height' => 250, 'alt' => 'Ad'];
        $ad = $ads->create([
            'campaign_id' => $made['id'],
            'name' => 'Banner',
            'format' => 'banner',
            'click_url' => 'https://advertiser.example/',
            'content' => $image,
        ]);
        $ads->activate($ad['id']);
        $active = $campaigns->activate($made['id']);
        $renamed = $campaigns->update($made['id'], ['name' => 'Renamed', 'end_at' => null], $active['version']);
        try {
            $campaigns->update($made['id'], ['name' => 'Late'], $active['version']);
        } catch (ConflictException $error) {
            $conflict = $error->errorCode;
        }
        try {
            $campaigns->create([...$body, 'bid_cents' => 0]);
        } catch (InvalidRequestException $error) {
            $invalid = [
                'code' => $error->errorCode,
                'status' => $error->status,
                'param' => $error->details[0]['param'],
                'request_id' => $error->requestId !== null,
            ];
        }
        $ids = [];
        foreach ($campaigns->list(['limit' => 1]) as $one) {
            $ids[$one['id']] = true;
            if (count($ids) === 3) {
                break;
            }
        }
        $report = $this->management->reports->delivery(['from' => '2026-01-01', 'metrics' => ['impressions', 'clicks']]);
        $paused = $campaigns->pause($made['id']);
        return [
            'status' => 'ok',
            'replayed' => $made['id'] === $again['id'],
            'name' => $renamed['name'],
            'conflict' => $conflict ?? null,
            'invalid' => $invalid ?? null,
            'listed' => count($ids),
            'reported' => isset($report['totals']['impressions']),
            'state' => $paused['status'],
        ];
    }
}

$driver = new Driver();
while (($line = fgets(STDIN)) !== false) {
    $command = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $driver->pausesMs = [];
    $found = $driver->answer($command);
    echo json_encode([...$found, 'pauses_ms' => $driver->pausesMs], JSON_THROW_ON_ERROR), "\n";
}
