import { defineSkill, textAt, valueAt, type InterfaceInput } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { checkIndicator } from '../lists/indicator-value.ts'
import { permissions } from '../permissions.ts'
import {
  decodeIndicator,
  indicatorActions,
  indicatorSchema,
  indicatorSeverities,
  indicatorTypes,
} from '../records/indicator.ts'
import { refusal, vendorRefusals } from '../vendor-error.ts'

const path = '/api/indicators'
const text = { type: 'string', minLength: 1, maxLength: 2000 } as const
const message = { ...text, 'x-message': true } as const

export const createIndicator = defineSkill({
  name: 'create_indicator',
  title: 'Create Indicator',
  description:
    'Makes all machines of the tenant block, allow or monitor a file, address, domain or URL. An existing indicator with the same ' +
    'value and type is changed, even if someone else created it.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/post-ti-indicator',
  permissions: [permissions.create_indicator[0]],
  effect: 'write',
  destructive: 'blocking',
  undoneBy: { skill: 'delete_indicator', input: (_, { id }) => ({ id }) },
  stateBy: {
    skill: 'list_indicators',
    input: ({ indicatorValue, indicatorType }) => ({ indicatorValue, indicatorType: [indicatorType] }),
    contained: (state, _, { id }) => indicatorIds(state).includes(id),
    released: (state, _, { id }) =>
      valueAt(state, 'truncated') === false &&
      valueAt(state, 'unreadable') === 0 &&
      !indicatorIds(state).includes(id),
  },
  // An upsert by value and type, so a repeated call has no further effect.
  repeat: 'safe',
  connection,
  input: {
    type: 'object',
    required: ['indicatorValue', 'indicatorType', 'action', 'title', 'description'],
    additionalProperties: false,
    properties: {
      indicatorValue: { ...text, description: 'A single value, not a range of addresses.' },
      indicatorType: { type: 'string', enum: indicatorTypes },
      action: {
        type: 'string',
        enum: indicatorActions,
        description: 'Alert and AlertAndBlock are older names. Audit needs generateAlert.',
      },
      title: { ...message, maxLength: 500, description: 'Title of the alerts it raises.' },
      description: message,
      severity: {
        type: 'string',
        enum: indicatorSeverities,
        description: 'Severity of the alerts it raises.',
      },
      expirationTime: {
        type: 'string',
        format: 'date-time',
        maxLength: 40,
        description: 'Expiry, not in the past. Default: never.',
      },
      recommendedActions: { ...message, description: 'Recommended actions for its alerts.' },
      rbacGroupNames: {
        type: 'array',
        maxItems: 100,
        items: { type: 'string', minLength: 1, maxLength: 200 },
        description: 'Machine groups it applies to. Default: all machines.',
      },
      application: {
        ...text,
        maxLength: 200,
        description: 'Source of the indicator; kept when it is changed.',
      },
      educateUrl: {
        type: 'string',
        format: 'uri',
        maxLength: 2000,
        description: 'Web page for the users it warns.',
      },
      generateAlert: { type: 'boolean', description: 'Whether it raises alerts. Must be true with Audit.' },
    },
  },
  output: indicatorSchema,
  implements: {
    block_indicator: {
      input: ({ kind, value, comment }) =>
        ({
          indicatorValue: value,
          indicatorType: typeOf(kind, value),
          action: 'Block',
          title: `Blocked: ${comment}`.slice(0, 500),
          description: comment,
        }) as const,
      output: ({ id }, { kind, value }) => ({ status: 'done', block: { id, kind, value } }),
    },
  },
  examples: [
    {
      title: 'A file is blocked',
      input: {
        indicatorValue: '488e74e2026d03f21b33f470c23b3de2f466643186c2e06ae7b4883cc2e59377',
        indicatorType: 'FileSha256',
        action: 'BlockAndRemediate',
        title: 'Credential dumping tool',
        description: 'Found in case ACME-7',
        severity: 'High',
        generateAlert: true,
      },
      output: {
        id: '1001',
        indicatorValue: '488e74e2026d03f21b33f470c23b3de2f466643186c2e06ae7b4883cc2e59377',
        indicatorType: 'FileSha256',
        action: 'BlockAndRemediate',
        application: null,
        source: 'Tocsin sandbox',
        sourceType: 'AadApp',
        title: 'Credential dumping tool',
        description: 'Found in case ACME-7',
        severity: 'High',
        recommendedActions: null,
        creationTimeDateTimeUtc: '2026-01-12T08:01:00.0000000Z',
        createdBy: '11111111-2222-4333-8444-555555555555',
        expirationTime: null,
        lastUpdateTime: '2026-01-12T08:01:00.0000000Z',
        lastUpdatedBy: null,
        rbacGroupNames: [],
        generateAlert: true,
        educateUrl: null,
      },
    },
  ],
  async run(input, { http, nowMs }) {
    checkIndicator(input, nowMs)
    const response = await http.post(path, { json: input, accept: vendorRefusals })
    if (response.status >= 400) throw refusal(`POST ${path}`, response, permissions.create_indicator)
    return decodeIndicator(response.json())
  },
})

function indicatorIds(state: unknown): readonly (string | null)[] {
  const indicators = valueAt(state, 'indicators')
  return Array.isArray(indicators) ? indicators.map((one: unknown) => textAt(one, 'id')) : []
}

function typeOf(kind: InterfaceInput<'block_indicator'>['kind'], value: string) {
  if (kind === 'hash')
    return value.length === 64 ? 'FileSha256' : value.length === 40 ? 'FileSha1' : 'FileMd5'
  return ({ ip: 'IpAddress', domain: 'DomainName', url: 'Url' } as const)[kind]
}
