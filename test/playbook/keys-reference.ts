import { defaultGroupWindowMs } from '../../core/domain/alert-group.ts'
import { writeDuration } from '../../core/playbook/language/durations.ts'
import {
  bounds,
  defaultForeach,
  defaultRetry,
  defaultSkillTimeoutMs,
  defaultTimeoutMs,
  grammar,
  interruptedChoices,
  passingErrors,
} from '../../core/playbook/language/grammar.ts'

type Grammar = typeof grammar
/** The meaning and the default. */
type Text = string | readonly [what: string, preset: string]
type Texts = { readonly [T in keyof Grammar]: Readonly<Record<Grammar[T]['keys'][number], Text>> }

const span = ([least, most]: readonly [number, number]): string =>
  `${least.toLocaleString('en')} to ${most.toLocaleString('en')}`
const duration = (ms: number): string => `\`${writeDuration(ms)}\``

/** The meaning of each key of the grammar. A key without a text does not compile. */
const texts: Texts = {
  playbook: {
    apiVersion: '`tocsin/v1`',
    name: 'words of lower-case letters and digits, joined by hyphens; unique in the folder',
    version: 'a label without effect',
    description: 'a description for people',
    owner: 'the person or team responsible',
    tags: 'a list of strings',
    on: 'the triggers',
    inputs: 'inputs besides the alert: name → `{ type, default, enum, sensitive }` or a JSON Schema',
    alert: 'a JSON Schema of the alert content; `validate` checks `alert.data` against it',
    defaults: 'defaults for all steps',
    timeout: ['timeout of the whole run', duration(defaultTimeoutMs)],
    concurrency: ['at most one run per key at a time', 'no limit'],
    steps: 'the steps, in order',
    on_error: 'steps that run after an unhandled failure; they see `error`',
    finally: 'steps that run after every end',
    outputs: 'the output of a completed run: a map of values',
  },
  on: {
    alert: 'starts for alerts of a type',
    schedule: 'starts at times in UTC: a cron expression or a map',
    call: '`true`: other playbooks may call it',
    manual: '`true`: people may run it manually',
  },
  alertTrigger: {
    type: 'the alert type',
    provider: ['only alerts of this provider', 'any'],
    where: ['only alerts for which this expression is true', 'all'],
    group: ['how to recognize repeats; `false`: never', 'identical content'],
  },
  group: {
    by: 'expressions over the alert; a repeat has the same value in each',
    within: ['time window after the first alert', duration(defaultGroupWindowMs)],
  },
  schedule: {
    cron: '`minute hour day month weekday`, optionally with `second` in front',
    organizations: ['organization codes', 'all'],
    inputs: 'inputs of the runs',
    overlap: ['`true`: start a run while the previous one is still running', '`false`'],
  },
  concurrency: {
    key: 'runs with the same value do not overlap; sees `alert`, `inputs`, `organization`',
    policy: ['`queue`: further runs wait; `drop`: they are cancelled', '`queue`'],
  },
  defaults: {
    timeout: 'default `timeout` of skill steps',
    retry: 'default `retry` of skill steps',
    connections: 'connection per plugin: plugin → name',
  },
  retry: {
    max: [`attempts after the first, ${span(bounds.retryMax)}`, String(defaultRetry.max)],
    backoff: ['wait before the second attempt', duration(defaultRetry.backoffMs)],
    factor: [`multiplier for each further wait, ${span(bounds.factor)}`, String(defaultRetry.factor)],
    max_backoff: ['longest wait', duration(defaultRetry.maxBackoffMs)],
    jitter: [
      `random spread of each wait, as a fraction, ${span(bounds.jitter)}`,
      String(defaultRetry.jitter),
    ],
    on: [
      `codes of the transient errors to retry: ${passingErrors.map((code) => `\`${code}\``).join(', ')} and the transient codes that skills declare`,
      'all transient errors',
    ],
  },
  step: {
    id: 'the name in `steps.<id>`: lower-case letters, digits and `_`, starting with a letter; unique',
    name: 'a title for people',
    if: ['an expression; the step is skipped unless it is true', '`true`'],
    timeout: [
      'limit for one attempt of a skill, or for a whole group or called playbook; applies to each item of `foreach` and each round of `repeat`',
      `${duration(defaultSkillTimeoutMs)} for a skill, none for a group`,
    ],
    retry: 'when and how often to retry; with `uses`',
    on_error: ['`fail`, `continue`, or steps that see `error`', '`fail`'],
    default: ['the output if the step is skipped or its failure is handled', 'no output'],
    foreach: 'a list; the step runs once per item, and its output is the list of outputs',
    as: ['the name of the item', `\`${defaultForeach.as}\``],
    concurrency: [
      `items or branches that run at the same time, ${span(bounds.concurrency)}`,
      `${defaultForeach.concurrency} item, all branches`,
    ],
    max_items: [
      `maximum number of items; more fail the step; ${span(bounds.maxItems)}`,
      String(defaultForeach.maxItems),
    ],
    on_item_error: ['`fail` or `continue`', '`fail`'],
    repeat: 'repeats the step until a condition is true; with `uses` or `steps`',
    on_interrupted: [
      `action after the server stopped during the call: ${interruptedChoices.map((choice) => `\`${choice}\``).join(', ')}`,
      'as the skill declares',
    ],
    uses: 'calls a skill, `<plugin>.<skill>`',
    set: 'a map of values; they are the output',
    steps: 'a group of steps, in order',
    parallel: 'a group of steps that run at the same time',
    switch: 'runs the first case whose condition is true',
    checkpoint: 'asks a person and waits for the answer',
    call: 'runs another playbook by name',
    wait: 'a duration, or `{ until: <time> }`',
    return: 'ends the run as completed, with this output',
    fail: 'ends the run as failed, with this message',
    with: 'the inputs of `uses` or `call`',
    connection: ['the connection name; with `uses`', 'the only connection of the plugin'],
    else: ['the steps of a `switch` if no case is true', 'none'],
  },
  repeat: {
    until: 'an expression; sees `output`',
    every: 'wait between two rounds',
    max: `maximum number of rounds, ${span(bounds.repeatMax)}; then the step fails`,
  },
  checkpoint: {
    via: 'a skill that sends the question, or `operator`: no message is sent, and an operator answers in the web page or API',
    with: 'the inputs of that skill; for `operator`: `message`, `labels`',
    connection: ['the connection name', 'the only connection of the plugin'],
    answers: 'the list of possible answers',
    form: 'a JSON Schema of the form to fill in, instead of `answers`',
    timeout: 'how long to wait',
    on_timeout: ['the answer to use when nobody answers, or `fail`', '`fail`'],
  },
  case: { when: 'an expression', steps: 'the steps to run if it is true' },
  wait: { until: 'a time; a past time does not wait' },
}

/**
 * A table of the reference in docs/playbooks.md, without its formatting.
 *
 * @param named `retry`, or `step` with some of its keys behind it: `step if timeout`
 */
export function keysTable(named: string): string {
  const [map = '', ...some] = named.split(' ')
  const table = grammar[map as keyof Grammar]
  const own: Readonly<Record<string, Text>> = texts[map as keyof Grammar]
  const required: readonly string[] = 'required' in table ? table.required : []
  const rows = (some.length === 0 ? table.keys : some).map((key) => {
    const text = own[key]!
    const [what, preset] = typeof text === 'string' ? [text, ''] : text
    return `| \`${key}\` | ${what} | ${required.includes(key) ? '**required**' : preset} |`
  })
  return `\n| key | meaning | default |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
}
