import type { KeyTable } from '../../playbook/language/key-table.ts'

/** Every key of a test file. A test keeps it equal to `schemas/playbook-test.schema.json`. */
export const testGrammar = {
  file: {
    what: 'a file of tests',
    keys: ['playbook', 'fixtures', 'mocks', 'tests', 'unreachable'],
    required: ['playbook', 'tests'],
  },
  fixtures: {
    what: '`fixtures`',
    keys: ['now', 'run', 'case', 'alert', 'trigger', 'organization', 'inputs', 'state'],
  },
  run: { what: '`run`', keys: ['id', 'url'] },
  ownCase: { what: '`case`', keys: ['id'] },
  alert: {
    what: 'an alert',
    keys: ['type', 'provider', 'content', 'data', 'id', 'uuid', 'created_at', 'created_at_source'],
  },
  organization: { what: '`organization`', keys: ['code', 'name'] },
  test: {
    what: 'a test',
    keys: ['name', 'now', 'alert', 'trigger', 'organization', 'inputs', 'state', 'mocks', 'expect'],
    required: ['name', 'expect'],
  },
  reply: {
    what: 'a mock',
    keys: [
      'with',
      'delay',
      'output',
      'example',
      'error',
      'timeout',
      'answer',
      'event',
      'by',
      'by_kind',
      'by_name',
      'text',
    ],
  },
  event: { what: 'an event', keys: ['type', 'provider', 'data'] },
  change: { what: 'a change of a case', keys: ['events', 'actor', 'case', 'before'] },
  error: {
    what: 'the error of a mock',
    keys: ['code', 'message', 'hint', 'details', 'retryable', 'retry_after'],
    required: ['code'],
  },
  expect: {
    what: '`expect`',
    keys: [
      'status',
      'path',
      'skipped',
      'calls',
      'case',
      'outputs',
      'state',
      'error',
      'duration',
      'next_runs',
      'correlation',
      'containments',
    ],
  },
  containment: { what: 'an expected containment', keys: ['step', 'skill', 'expires', 'at_expiry'] },
  call: { what: 'an expected call', keys: ['skill', 'step', 'times', 'attempts', 'with', 'at'] },
  case: {
    what: 'an expected case',
    keys: [
      'title',
      'summary',
      'status',
      'severity',
      'verdict',
      'assignee',
      'closing_reason',
      'resolution',
      'notes',
    ],
  },
  expectedError: { what: 'an expected error', keys: ['code', 'message', 'hint', 'details'] },
  range: { what: 'a range of time', keys: ['min', 'max'] },
} as const satisfies Readonly<Record<string, KeyTable>>

/** Maximum number of tests in a file. */
export const maxTests = 500

/** Maximum number of `next_runs`. */
export const maxNextRuns = 100
