/** A playbook with most of the language, for tests of reading, formatting and drawing. */
export const example = `# yaml-language-server: $schema=../schemas/playbook.schema.json
apiVersion: tocsin/v1
name: impossible-travel
version: 1.2.0
description: Verify an impossible-travel sign-in; contain on denial.
owner: secops
tags: [identity, travel]
on:
  alert: { type: impossible_travel, where: "alert.data.risk >= 50" }
  manual: true
defaults:
  retry: { max: 3, backoff: 2s, factor: 2 }
  timeout: 60s
timeout: 2h
steps:
  - id: signin
    set:
      user: \${{ alert.data.user.email.lowerAscii() }}
      ip: \${{ alert.data.ip }}
      at: \${{ timestamp(alert.data.at) }}
  - id: gather
    parallel:
      - id: intel
        uses: intel_provider.get_enrichment
        with: { kind: ip, value: "\${{ steps.signin.output.ip }}" }
        on_error: continue
        default: { risk: { score: 0 }, status: pending, tags: [], owner: null }
      - id: trips
        uses: travel.search_user_travel
        with: { email: "\${{ steps.signin.output.user }}" }
  - id: explained
    if: steps.trips.output.trips.exists(t, t.country == alert.data.country)
    steps:
      - uses: case.update
        with: { verdict: benign, severity: low, summary: "Travel is booked." }
      - return: { verdict: benign }
  - id: visits
    name: Every country of the trips
    foreach: \${{ steps.trips.output.trips }}
    as: trip
    concurrency: 2
    max_items: 50
    on_item_error: continue
    set: { country: "\${{ index }}: \${{ trip.country }}" }
  - wait: 30s
  - wait: { until: "\${{ steps.signin.output.at + duration('1h') }}" }
  - switch:
      - when: steps.intel.output.risk.score > 70
        steps:
          - uses: case.update
            with: { verdict: malicious, severity: critical }
            on_error:
              - fail: "The case could not be changed: \${{ error.message }}"
    else:
      - uses: case.update
        with: { verdict: suspicious, severity: medium }
finally:
  - uses: messaging.send_message
    with: { text: "Impossible travel for \${{ alert.data.user.email }}: \${{ run.status }}. \${{ run.url }}" }
outputs:
  countries: \${{ steps.visits.output.map(v, v.country) }}
`
