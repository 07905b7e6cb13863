/** Words of other automation languages, and of plain English, with what they are here. Only for hints. */

import { nearest } from '../../common/nearest.ts'
import type { Node } from '../yaml/document.ts'

interface Familiar {
  readonly hint: string
  /** The required keys that it stands for, whose absence needs no report of its own. */
  readonly standsFor?: readonly string[]
  /** The key as which it is read, so that what it holds is checked too. */
  readonly readAs?: string
}

const ofSkill: Familiar = { hint: 'the inputs of a skill stand under `with`', readAs: 'with' }
const isSkill: Familiar = { hint: 'a skill is called with `uses`', readAs: 'uses' }
const ownOutput = 'the output of a step is there by itself: steps.<id>.output'

const step: Readonly<Record<string, string | Familiar>> = {
  run: 'there is no shell here: call a skill with `uses`; `tocsin skills` lists them',
  script: 'there is no script here: call a skill with `uses`, or compute values with `set`',
  env: 'compute values with `set`, and read them as steps.<id>.output',
  needs: 'steps run in order; what may run at once goes under `parallel`',
  depends_on: 'steps run in order; what may run at once goes under `parallel`',
  'continue-on-error': 'write on_error: continue',
  continue_on_error: 'write on_error: continue',
  'timeout-minutes': 'write timeout: 5m',
  strategy: 'go through a list with `foreach`',
  matrix: 'go through a list with `foreach`',
  for: 'go through a list with `foreach`',
  for_each: "did you mean 'foreach'?",
  loop: 'go through a list with `foreach`, or ask again with `repeat`',
  while: 'ask again with `repeat`',
  when: 'the condition of a step is `if`',
  condition: 'the condition of a step is `if`',
  then: 'the steps of a condition stand under `steps`',
  elif: 'several conditions stand in a `switch`',
  elseif: 'several conditions stand in a `switch`',
  action: isSkill,
  skill: isSkill,
  type: 'a skill is called with `uses`',
  inputs: ofSkill,
  input: ofSkill,
  args: ofSkill,
  params: ofSkill,
  parameters: ofSkill,
  catch: 'write on_error: with steps below it',
  on: 'what a failure means is `on_error`; what starts a playbook stands under `on` at the top',
  rescue: 'write on_error: with steps below it',
  on_failure: 'write on_error: with steps below it',
  retries: 'write retry: { max: 3 }',
  delay: 'a pause is a step of its own: - wait: 5m',
  sleep: 'a pause is a step of its own: - wait: 5m',
  vars: 'compute values with `set`',
  assign: 'compute values with `set`',
  cases: 'the cases are the list of `switch`: - when: … with steps: below it',
  ...Object.fromEntries(
    ['output', 'outputs', 'register', 'save', 'save_as', 'store', 'result', 'results'].map((name) => [
      name,
      ownOutput,
    ]),
  ),
}

const stepsHere = 'write `steps` with a list of steps; what may run at once goes under `parallel`'
const metadata = '`name`, `description` and `tags` stand at the top themselves'

const playbook: Readonly<Record<string, string | Familiar>> = {
  jobs: { hint: `there are no jobs: ${stepsHere}`, standsFor: ['steps'] },
  tasks: { hint: stepsHere, standsFor: ['steps'] },
  actions: { hint: stepsHere, standsFor: ['steps'] },
  workflow: { hint: stepsHere, standsFor: ['steps'] },
  spec: { hint: '`on` and `steps` stand at the top themselves', standsFor: ['steps'] },
  metadata: { hint: metadata, standsFor: ['name'] },
  kind: 'leave it out: every file is a playbook',
  title: { hint: 'write name: in lower-case words joined by hyphens', standsFor: ['name'] },
  id: { hint: 'write name: in lower-case words joined by hyphens', standsFor: ['name'] },
  trigger: { hint: 'what starts a playbook is `on`', standsFor: ['on'] },
  triggers: { hint: 'what starts a playbook is `on`', standsFor: ['on'] },
  true: {
    hint: 'write "on" without quotes, or check the editor: YAML 1.1 reads it as true',
    standsFor: ['on'],
  },
  env: 'compute values with a `set` step, and read them as steps.<id>.output',
  vars: 'compute values with a `set` step, and read them as steps.<id>.output',
  permissions: 'leave it out: what a skill may do is decided by its connection',
  'runs-on': 'leave it out',
  retry: 'write defaults: { retry: { max: 3 } }',
  retries: 'write defaults: { retry: { max: 3 } }',
}

const groupBy = 'repeats of an alert are grouped by group: { by: [alert.data.user], within: 30m }'
const inAlert = 'it belongs under `alert`: alert: { type: … }'

const on: Readonly<Record<string, string | Familiar>> = {
  type: inAlert,
  provider: inAlert,
  where: inAlert,
  alerts: 'write alert: { type: … }',
  workflow_dispatch: 'write manual: true',
  cron: 'it belongs under `schedule`',
}

const underWith = 'the inputs of what asks stand under `with`'
const elseBeside = '`else` stands beside `switch`, not among its cases'
const underSteps: Familiar = { hint: 'what a case does stands under its `steps`', standsFor: ['steps'] }

const keys: Readonly<Record<string, Readonly<Record<string, string | Familiar>>>> = {
  'a playbook': playbook,
  '`on`': on,
  'a step': step,
  'a case of a switch': {
    ...Object.fromEntries(
      ['uses', 'set', 'return', 'fail', 'call', 'wait', 'checkpoint', 'parallel', 'switch'].map((name) => [
        name,
        underSteps,
      ]),
    ),
    if: { hint: 'the condition of a case is `when`', standsFor: ['when'] },
    case: { hint: 'the condition of a case is `when`', standsFor: ['when'] },
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
  },
  '`group`': { fields: { hint: 'write by', standsFor: ['by'] }, window: 'write within' },
  '`retry`': {
    attempts: 'write max, which counts the tries after the first',
    count: 'write max',
    delay: 'write backoff',
  },
  '`repeat`': {
    while: 'write until: the condition that ends it',
    times: 'write max',
    interval: 'write every',
    delay: 'write every',
  },
  '`wait`': {
    for: { hint: 'write wait: 5m', standsFor: ['until'] },
    duration: { hint: 'write wait: 5m', standsFor: ['until'] },
    seconds: { hint: 'write wait: 30s', standsFor: ['until'] },
    minutes: { hint: 'write wait: 5m', standsFor: ['until'] },
  },
  'a checkpoint': {
    ...Object.fromEntries(['message', 'question', 'text', 'title'].map((name) => [name, underWith])),
    ...Object.fromEntries(['user', 'to', 'channel', 'users', 'recipient'].map((name) => [name, underWith])),
    uses: { hint: 'what asks is `via`', standsFor: ['via'] },
    skill: { hint: 'what asks is `via`', standsFor: ['via'] },
    options: { hint: 'write answers', standsFor: ['answers'] },
    choices: { hint: 'write answers', standsFor: ['answers'] },
    default: 'the answer that stands for none in time is `on_timeout`',
  },
  '`defaults`': { retries: 'write retry: { max: 3 }', connection: 'write connections: { <plugin>: <name> }' },
  'a schedule': {
    timezone: 'times are in UTC',
    tz: 'times are in UTC',
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
    'cancel-in-progress': 'write policy: drop, which leaves out the new run',
    limit: 'one run of a key goes on at a time',
    max: 'one run of a key goes on at a time',
  },
}

/** How to write a required key that is missing. */
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
    name: 'write name: what is to be shown',
    expect: 'write expect: { status: completed }',
  },
  '`repeat`': {
    until: 'write until: the condition that ends it',
    every: 'write every: 1m, the time between two tries',
    max: 'write max: 10, after which it fails',
  },
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
  policy: { cancel: 'drop', skip: 'drop', ignore: 'drop', wait: 'queue', block: 'queue' },
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

/** The choice that a word stands for: one of the choices themselves, or one of their other words, also misspelt. */
export function familiarChoice(key: string, word: string, own: readonly string[]): string | undefined {
  const table = choices[key] ?? {}
  if (Object.hasOwn(table, word)) return table[word]
  const near = nearest(word, own)
  if (near !== undefined) return near
  const other = nearest(word, Object.keys(table))
  return other === undefined ? undefined : table[other]
}

/** Where what is not a key of its own belongs. */
export function placeOfOthers(what: string): string | undefined {
  return what === 'an alert' ? 'what its sender put in stands under `data`' : undefined
}

/** What a foreign key is here; `what` as in the grammar. */
export function familiarKey(what: string, name: string): Familiar | undefined {
  const table = keys[what]
  const found = table && Object.hasOwn(table, name) ? table[name] : undefined
  return typeof found === 'string' ? { hint: found } : found
}

const inData = 'the alert is `alert`; what its sender put in is alert.data'
const noSecrets = 'expressions see no secrets: skills take them from connections'

/** Names that other languages have. */
export const familiarNames: ReadonlyMap<string, string> = new Map([
  ...['github', 'event', 'trigger', 'payload', 'incident', 'data', 'body'].map(
    (name) => [name, inData] as const,
  ),
  ...['secrets', 'env', 'credentials'].map((name) => [name, noSecrets] as const),
  ...['yes', 'on'].map((name) => [name, 'write true'] as const),
  ...['no', 'off'].map((name) => [name, 'write false'] as const),
  ['needs', 'the results of earlier steps are steps.<id>.output'],
  ['jobs', 'the results of earlier steps are steps.<id>.output'],
  ['vars', 'values of a `set` step are steps.<id>.output'],
  ['matrix', 'the item of a foreach is `item`'],
])

/** Functions that other languages have. */
export const familiarFunctions: ReadonlyMap<string, string> = new Map([
  ['always', 'what always runs stands under `finally`'],
  ['success', 'leave it out: after a failure the next steps do not run'],
  ['failure', 'handle a failure with on_error, or ask steps.<id>.ok'],
  ['cancelled', "in `finally`, write run.status == 'cancelled'"],
  ['toJSON', 'write json(…)'],
  ['fromJSON', 'write parseJson(…)'],
  ['lower', 'write text.lowerAscii()'],
  ['toLowerCase', 'write text.lowerAscii()'],
  ['upper', 'write text.upperAscii()'],
  ['toUpperCase', 'write text.upperAscii()'],
  ['str', 'write string(…)'],
  ['default', 'write x.?field.orValue(…)'],
])

/** How to write a value of which only the essence is given: `retry: 3`. */
export function familiarValue(what: string, node: Node): string | undefined {
  const value = node.kind === 'scalar' && node.value !== null ? String(node.value) : ''
  switch (what) {
    case '`on`':
      return node.kind === 'list' || /^manual$|dispatch/.test(value)
        ? 'write on: { manual: true }, or alert: { type: … } in it'
        : 'write on: { alert: { type: … } }'
    case 'an alert trigger':
      return value === '' ? undefined : `write alert: { type: ${value} }`
    case '`retry`':
      return /^\d+$/.test(value) ? `write retry: { max: ${value} }` : undefined
    case '`concurrency`':
      return 'write concurrency: { key: "${{ … }}" }'
    case 'a schedule':
      return 'a playbook has one schedule: write schedule: { cron: 0 8 * * 1-5 }'
    case 'a step':
      if (/^[a-z_]+$/.test(value)) return `write - ${value}: with what belongs to it`
      return /^[a-z]\w*\.[a-z]\w*$/.test(value)
        ? `write - uses: ${value}`
        : 'write - uses: <plugin>.<skill>, or another action'
    default:
      return undefined
  }
}
