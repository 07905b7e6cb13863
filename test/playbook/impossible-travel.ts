import { defineConnection, definePlugin, defineSkill } from '../../core/plugin/index.ts'
import { buildCatalogue } from '../../core/registry/build-catalogue.ts'

/** The example of the language's design, whole. */
export const impossibleTravel = `# yaml-language-server: $schema=../schemas/playbook.schema.json
apiVersion: tocsin/v1
name: impossible-travel
version: 1.2.0
description: Verify an impossible-travel sign-in with the user; contain on denial.
on:
  alert: { type: impossible_travel, where: "alert.data.risk >= 50" }
inputs:
  reply_within: { type: duration, default: 30m }
defaults:
  retry: { max: 3, backoff: 2s, factor: 2 }
  timeout: 60s
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
        default: { risk: { score: 0 } }
      - id: trips
        uses: travel.search_user_travel
        with: { email: "\${{ steps.signin.output.user }}" }
  - id: explained
    if: steps.trips.output.trips.exists(t, t.country == alert.data.country)
    steps:
      - uses: case.update
        with: { verdict: benign, severity: low, summary: "Travel is booked." }
      - return: { verdict: benign }
  - id: confirm
    checkpoint:
      via: messaging.checkpoint
      with: { user: "\${{ steps.signin.output.user }}", message: "Sign-in from \${{ alert.data.country }}. Was this you?" }
      answers: [mine, not_mine]
      timeout: \${{ inputs.reply_within }}
      on_timeout: no_reply
  - switch:
      - when: steps.confirm.output.answer == "not_mine"
        steps:
          - uses: endpoint_security.isolate_machine
            with: { id: "\${{ alert.data.machine_id }}", comment: "Tocsin run \${{ run.id }}" }
          - uses: case.update
            with: { verdict: malicious, severity: critical }
    else:
      - uses: case.update
        with: { verdict: suspicious, severity: medium }
finally:
  - uses: messaging.send_message
    with: { text: "Impossible travel for \${{ steps.signin.?output.user.orValue('an unknown user') }}: \${{ run.status }}. \${{ run.url }}" }
`

const connection = defineConnection({
  title: 'Any',
  description: 'For tests.',
  settings: { type: 'object', additionalProperties: false, properties: {} },
  baseUrl: () => 'https://example.org',
  authenticate: async () => {},
})

const nothing = { type: 'object', additionalProperties: false, properties: {} } as const
const text = { type: 'string' } as const
const required = <const K extends string>(...names: readonly K[]) => names

const skills = {
  intel_provider: [
    defineSkill({
      name: 'get_enrichment',
      title: 'Get Enrichment',
      description: 'What is known about an indicator.',
      effect: 'read',
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        required: required('kind', 'value'),
        properties: { kind: { enum: ['ip', 'domain', 'url', 'hash'] }, value: text },
      },
      output: {
        type: 'object',
        required: required('risk'),
        properties: {
          risk: {
            type: 'object',
            required: required('score'),
            properties: { score: { type: ['number', 'null'] }, rules: { type: 'array', items: text } },
          },
        },
      },
      examples: [],
      run: async () => ({ risk: { score: 1 } }),
    }),
  ],
  travel: [
    defineSkill({
      name: 'search_user_travel',
      title: 'Search User Travel',
      description: 'Bookings of a person, by trip.',
      effect: 'read',
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        required: required('email'),
        properties: { email: text },
      },
      output: {
        type: 'object',
        required: required('trips'),
        properties: {
          trips: {
            type: 'array',
            items: {
              type: 'object',
              required: required('country', 'status'),
              properties: { country: text, status: { enum: ['confirmed', 'cancelled'] } },
            },
          },
        },
      },
      examples: [],
      run: async () => ({ trips: [] }),
    }),
  ],
  messaging: [
    defineSkill({
      name: 'checkpoint',
      title: 'Messaging Checkpoint',
      description: 'Asks a person.',
      effect: 'write',
      repeat: 'never',
      asks: true,
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        required: required('user', 'message', 'checkpoint_id', 'answers'),
        properties: {
          user: text,
          message: { type: 'string', 'x-message': true },
          checkpoint_id: text,
          answers: { type: 'array', items: text },
        },
      },
      output: {
        type: 'object',
        required: required('channel', 'ts'),
        properties: { channel: text, ts: text },
      },
      examples: [],
      run: async () => ({ channel: 'D1', ts: '1.1' }),
    }),
    defineSkill({
      name: 'send_message',
      title: 'Send Messaging Message',
      description: 'Posts to the channel.',
      effect: 'write',
      repeat: 'never',
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        required: required('text'),
        properties: { text: { type: 'string', 'x-message': true } },
      },
      output: nothing,
      examples: [],
      run: async () => ({}),
    }),
  ],
  endpoint_security: [
    defineSkill({
      name: 'isolate_machine',
      title: 'Isolate Machine',
      description: 'Takes a machine off the network.',
      effect: 'write',
      repeat: 'verify',
      connection,
      input: {
        type: 'object',
        additionalProperties: false,
        required: required('id', 'comment'),
        properties: { id: text, comment: text },
      },
      output: nothing,
      examples: [],
      run: async () => ({}),
      verify: async () => ({}),
    }),
  ],
  case: [
    defineSkill({
      name: 'update',
      title: 'Update Case',
      description: 'Changes the case.',
      effect: 'write',
      repeat: 'safe',
      input: {
        type: 'object',
        additionalProperties: false,
        properties: {
          verdict: { enum: ['benign', 'suspicious', 'malicious'] },
          severity: { enum: ['low', 'medium', 'high', 'critical'] },
          summary: text,
        },
      },
      output: nothing,
      examples: [],
      run: async () => ({}),
    }),
  ],
}

export const travelCatalogue = buildCatalogue(
  Object.entries(skills).map(([name, own]) =>
    definePlugin({ name, title: name, description: 'For tests.', connection, skills: own }),
  ),
)
