/** Words of other automation languages and their equivalents here, for hints. */

import { nearest } from '../../common/nearest.ts'
import type { Node } from '../yaml/document.ts'

interface Familiar {
  readonly hint: string
  /** The required keys that it replaces, whose absence is then not reported. */
  readonly standsFor?: readonly string[]
  /** The key that it is read as, so that its value is checked too. */
  readonly readAs?: string
}

const ofSkill: Familiar = { hint: 'put the inputs of a skill under `with`', readAs: 'with' }
const isSkill: Familiar = { hint: 'call a skill with `uses`', readAs: 'uses' }
const ownOutput = 'read the output of a step as steps.<id>.output'

const step: Readonly<Record<string, string | Familiar>> = {
  run: 'shell commands are not supported: call a skill with `uses`; `tocsin skills` lists them',
  script: 'scripts are not supported: call a skill with `uses`, or compute values with `set`',
  env: 'compute values with `set`, and read them as steps.<id>.output',
  needs: 'steps run in order; put steps that can run at the same time under `parallel`',
  depends_on: 'steps run in order; put steps that can run at the same time under `parallel`',
  'continue-on-error': 'write on_error: continue',
  continue_on_error: 'write on_error: continue',
  'timeout-minutes': 'write timeout: 5m',
  strategy: 'loop over a list with `foreach`',
  matrix: 'loop over a list with `foreach`',
  for: 'loop over a list with `foreach`',
  for_each: "did you mean 'foreach'?",
  loop: 'loop over a list with `foreach`, or poll with `repeat`',
  while: 'poll with `repeat`',
  when: 'write the condition of a step as `if`',
  condition: 'write the condition of a step as `if`',
  then: 'put the steps of a condition under `steps`',
  elif: 'use a `switch` for several conditions',
  elseif: 'use a `switch` for several conditions',
  action: isSkill,
  skill: isSkill,
  type: 'call a skill with `uses`',
  inputs: ofSkill,
  input: ofSkill,
  args: ofSkill,
  params: ofSkill,
  parameters: ofSkill,
  catch: 'write on_error: with steps below it',
  on: 'handle failures with `on_error`; put triggers under `on` at the top of the playbook',
  rescue: 'write on_error: with steps below it',
  on_failure: 'write on_error: with steps below it',
  retries: 'write retry: { max: 3 }',
  delay: 'pause with a separate step: - wait: 5m',
  sleep: 'pause with a separate step: - wait: 5m',
  vars: 'compute values with `set`',
  assign: 'compute values with `set`',
  cases: 'the cases are the list of `switch`: - when: … with steps: below it',
  ...Object.fromEntries(
    ['outputs', 'register', 'save', 'save_as', 'store', 'result', 'results'].map((name) => [name, ownOutput]),
  ),
}

const stepsHere =
  'write `steps` with a list of steps; put steps that can run at the same time under `parallel`'
const metadata = 'put `name`, `description` and `tags` at the top'

const playbook: Readonly<Record<string, string | Familiar>> = {
  jobs: { hint: `jobs are not supported: ${stepsHere}`, standsFor: ['steps'] },
  tasks: { hint: stepsHere, standsFor: ['steps'] },
  actions: { hint: stepsHere, standsFor: ['steps'] },
  workflow: { hint: stepsHere, standsFor: ['steps'] },
  spec: { hint: 'put `on` and `steps` at the top', standsFor: ['steps'] },
  metadata: { hint: metadata, standsFor: ['name'] },
  kind: 'leave it out: every file is a playbook',
  title: { hint: 'write name: in lower-case words joined by hyphens', standsFor: ['name'] },
  id: { hint: 'write name: in lower-case words joined by hyphens', standsFor: ['name'] },
  trigger: { hint: 'put triggers under `on`', standsFor: ['on'] },
  triggers: { hint: 'put triggers under `on`', standsFor: ['on'] },
  true: {
    hint: 'write "on" without quotes, or check the editor: YAML 1.1 reads it as true',
    standsFor: ['on'],
  },
  env: 'compute values with a `set` step, and read them as steps.<id>.output',
  vars: 'compute values with a `set` step, and read them as steps.<id>.output',
  permissions: 'leave it out: the connection decides what a skill may do',
  'runs-on': 'leave it out',
  retry: 'write defaults: { retry: { max: 3 } }',
  retries: 'write defaults: { retry: { max: 3 } }',
}

const groupBy = 'group repeats with group: { by: [alert.data.user], within: 30m }'
const correlateBy = 'relate alerts with correlate: { by: { user: alert.data.user }, within: 24h }'
const inAlert = 'it belongs under `alert`: alert: { type: … }'

const on: Readonly<Record<string, string | Familiar>> = {
  type: inAlert,
  provider: inAlert,
  where: inAlert,
  alerts: 'write alert: { type: … }',
  workflow_dispatch: 'write manual: true',
  cron: 'it belongs under `schedule`',
}

const underWith = 'put the inputs of the question under `with`'
const elseBeside = 'put `else` beside `switch`, not among its cases'
const underSteps: Familiar = { hint: 'put the actions of a case under its `steps`', standsFor: ['steps'] }

const keys: Readonly<Record<string, Readonly<Record<string, string | Familiar>>>> = {
  'a playbook': playbook,
  '`on`': on,
  'a step': step,
  'a case of a switch': {
    ...Object.fromEntries(
      ['uses', 'set', 'state', 'return', 'fail', 'call', 'wait', 'checkpoint', 'parallel', 'switch'].map(
        (name) => [name, underSteps],
      ),
    ),
    if: { hint: 'write the condition of a case as `when`', standsFor: ['when'] },
    case: { hint: 'write the condition of a case as `when`', standsFor: ['when'] },
    then: { hint: 'write `steps`', standsFor: ['steps'] },
    default: { hint: elseBeside, standsFor: ['when', 'steps'] },
    else: { hint: elseBeside, standsFor: ['when', 'steps'] },
  },
  'an alert trigger': {
    alert_type: { hint: 'write type', standsFor: ['type'] },
    alert_provider: 'write provider',
    if: 'write where',
    condition: 'write where',
    ...Object.fromEntries(['group_by', 'groupBy', 'dedupe', 'throttle'].map((name) => [name, groupBy])),
    ...Object.fromEntries(['correlation', 'merge', 'related'].map((name) => [name, correlateBy])),
  },
  '`group`': { fields: { hint: 'write by', standsFor: ['by'] }, window: 'write within' },
  '`correlate`': { fields: { hint: 'write by', standsFor: ['by'] }, window: 'write within' },
  '`retry`': {
    attempts: 'write max, the number of attempts after the first',
    count: 'write max',
    delay: 'write backoff',
  },
  '`repeat`': {
    while: 'write until: the condition that ends it',
    times: 'write max',
    interval: 'write every',
    delay: 'write every',
  },
  '`undo`': { if: 'write unless: the condition under which the containment stays' },
  '`wait`': {
    alert: { hint: 'write for: { alert: { type: … } }', standsFor: ['for'] },
    duration: { hint: 'write wait: 5m', standsFor: ['until'] },
    seconds: { hint: 'write wait: 30s', standsFor: ['until'] },
    minutes: { hint: 'write wait: 5m', standsFor: ['until'] },
  },
  'a checkpoint': {
    ...Object.fromEntries(['message', 'question', 'text', 'title'].map((name) => [name, underWith])),
    ...Object.fromEntries(['user', 'to', 'channel', 'users', 'recipient'].map((name) => [name, underWith])),
    uses: { hint: 'name the skill that asks with `via`', standsFor: ['via'] },
    skill: { hint: 'name the skill that asks with `via`', standsFor: ['via'] },
    people: 'write ask: with a list of people',
    options: { hint: 'write answers', standsFor: ['answers'] },
    choices: { hint: 'write answers', standsFor: ['answers'] },
    default: 'use `on_timeout` for the answer after the timeout',
  },
  '`defaults`': { retries: 'write retry: { max: 3 }', connection: 'write connections: { <plugin>: <name> }' },
  'a schedule': {
    ...Object.fromEntries(['tz', 'zone', 'time_zone'].map((name) => [name, 'write timezone'])),
    every: { hint: 'write cron: "*/5 * * * *"', standsFor: ['cron'] },
  },
  'an expected call': {
    input: 'write with',
    inputs: 'write with',
    count: 'write times',
    uses: 'write skill',
  },
  '`expect`': {
    output: 'write outputs',
    result: 'write outputs, or status',
    steps: 'write path: the steps that run, in their order',
  },
  'a mock': {
    result: 'write output',
    outputs: 'write output',
    returns: 'write output',
    response: 'write output',
    fail: 'write error: { code: … }',
    fails: 'write error: { code: … }',
  },
  '`concurrency`': {
    group: { hint: 'write key', standsFor: ['key'] },
    'cancel-in-progress': 'write policy: drop, which cancels the new run',
    limit: 'one run per key is active at a time',
    max: 'one run per key is active at a time',
  },
}

/** Hints for missing required keys. */
const missing: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a playbook': {
    on: 'write on: { alert: { type: … } }, or on: { manual: true }',
    name: 'write name: in lower-case words joined by hyphens',
    steps: 'write steps: with a list of steps below it',
  },
  'an alert trigger': { type: 'write type: the type of the alerts' },
  'a file of tests': {
    playbook: 'write playbook: <name>.yaml, the file beside this one',
    tests: 'write tests: with a list of { name: …, expect: { … } } below it',
  },
  'a test': {
    name: 'write name: what the test shows',
    expect: 'write expect: { status: completed }',
  },
  '`repeat`': {
    until: 'write until: the condition that ends it',
    every: 'write every: 1m, the wait between two rounds',
    max: 'write max: 10, after which it fails',
  },
  '`undo`': { after: 'write after: 4h, how long the containment stays' },
  'a checkpoint': {
    via: 'write via: operator, or a skill that asks',
    timeout: 'write timeout: 1h, how long an answer may take',
  },
}

export function familiarMissing(what: string, name: string): string | undefined {
  const table = missing[what]
  return table && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Other words for choices, by key. */
const choices: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: {
    success: 'completed',
    succeeded: 'completed',
    ok: 'completed',
    done: 'completed',
    passed: 'completed',
    failure: 'failed',
    error: 'failed',
    skipped: 'not_started',
  },
  policy: { cancel: 'drop', skip: 'drop', wait: 'queue', block: 'queue', queue: 'wait', drop: 'fail' },
  on_interrupted: {
    retry: 'repeat',
    rerun: 'repeat',
    continue: 'skip',
    ignore: 'skip',
    abort: 'fail',
    wait: 'ask',
  },
  on_item_error: { ignore: 'continue', skip: 'continue', stop: 'fail', abort: 'fail', break: 'fail' },
}

/** The choice that a word means: a similar choice or a synonym, also misspelled. */
export function familiarChoice(key: string, word: string, own: readonly string[]): string | undefined {
  const table = choices[key] ?? {}
  const meant = (of: string) => [table[of], table[table[of] ?? '']].find((each) => each && own.includes(each))
  return Object.hasOwn(table, word)
    ? meant(word)
    : (nearest(word, own) ?? meant(nearest(word, Object.keys(table)) ?? ''))
}

/** Where unknown keys belong. */
export function placeOfOthers(what: string): string | undefined {
  return what === 'an alert' ? 'put its content under `data`' : undefined
}

/** The equivalent of a foreign key; `what` as in the key table. */
export function familiarKey(what: string, name: string): Familiar | undefined {
  const table = keys[what]
  const found = table && Object.hasOwn(table, name) ? table[name] : undefined
  return typeof found === 'string' ? { hint: found } : found
}

/** A hint for a shortened value such as `retry: 3`. */
export function familiarValue(what: string, node: Node): string | undefined {
  const value = node.kind === 'scalar' && node.value !== null ? String(node.value) : ''
  switch (what) {
    case '`on`':
      return node.kind === 'list' || /^manual$|dispatch/.test(value)
        ? 'write on: { manual: true }, or on: { alert: { type: … } }'
        : 'write on: { alert: { type: … } }'
    case 'an alert trigger':
      return value === '' ? undefined : `write alert: { type: ${value} }`
    case 'a case trigger':
      return value === '' ? undefined : `write case: { event: ${value} }`
    case '`retry`':
      return /^\d+$/.test(value) ? `write retry: { max: ${value} }` : undefined
    case '`undo`':
      return /^\d+[smhd]$/.test(value) ? `write undo: { after: ${value} }` : 'write undo: { after: 4h }'
    case '`concurrency`':
      return 'write concurrency: { key: "${{ … }}" }'
    case 'a schedule':
      return 'a playbook has one schedule: write schedule: { cron: 0 8 * * 1-5 }'
    case 'a step':
      if (/^[a-z_]+$/.test(value)) return `write - ${value}: followed by its value`
      return /^[a-z]\w*\.[a-z]\w*$/.test(value)
        ? `write - uses: ${value}`
        : 'write - uses: <plugin>.<skill>, or another action'
    default:
      return undefined
  }
}
