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
/** What it is, and what holds where it is left out. */
type Text = string | readonly [what: string, preset: string]
type Texts = { readonly [T in keyof Grammar]: Readonly<Record<Grammar[T]['keys'][number], Text>> }

const span = ([least, most]: readonly [number, number]): string =>
  `${least.toLocaleString('en')} to ${most.toLocaleString('en')}`
const duration = (ms: number): string => `\`${writeDuration(ms)}\``

/** What each key of the grammar is for. A key without a text does not compile. */
const texts: Texts = {
  playbook: {
    apiVersion: '`tocsin/v1`',
    name: 'lower-case letters and digits, in words joined by hyphens; unique in the folder',
    version: 'a label; what counts is the content',
    description: 'for people',
    owner: 'who looks after it',
    tags: 'a list of texts',
    on: 'what starts it',
    inputs: 'what it is given besides an alert: name → `{ type, default, enum, sensitive }` or a JSON Schema',
    alert: 'a JSON Schema of what the alerts hold, so that `alert.data` is checked',
    defaults: 'for all steps that do not say otherwise',
    timeout: ['of the whole run', duration(defaultTimeoutMs)],
    concurrency: ['at most one run of a key at a time', 'as many as come'],
    steps: 'what it does, in order',
    on_error: 'steps for a failure that nothing else handled; they see `error`',
    finally: 'steps that run whatever the end was',
    outputs: 'what a completed run leaves behind: a map of values',
  },
  on: {
    alert: 'alerts',
    schedule: 'times, in UTC: a cron expression, or a map',
    call: '`true`: other playbooks may call it',
    manual: '`true`: people may start it',
  },
  alertTrigger: {
    type: 'the type of the alerts',
    provider: ['only alerts of this provider', 'any'],
    where: ['only alerts for which this expression is true', 'all'],
    group: ['what makes an alert the repeat of an earlier one; `false`: nothing', 'the same content'],
  },
  group: {
    by: 'expressions over the alert, in all of which a repeat agrees with the first one',
    within: ['how long after the first one', duration(defaultGroupWindowMs)],
  },
  schedule: {
    cron: 'minute hour day month weekday, or second minute hour day month weekday',
    organizations: ['codes', 'all'],
    inputs: 'what the runs are given',
    overlap: ['`true`: a run starts although the one before has not ended', '`false`'],
  },
  concurrency: {
    key: 'runs with the same value do not overlap; sees `alert`, `inputs`, `organization`',
    policy: ['`queue` (waits) or `drop` (is cancelled)', '`queue`'],
  },
  defaults: {
    timeout: 'as of a step',
    retry: 'as of a step',
    connections: 'the connection of each plugin: plugin → name',
  },
  retry: {
    max: [`tries after the first, ${span(bounds.retryMax)}`, String(defaultRetry.max)],
    backoff: ['wait before the second try', duration(defaultRetry.backoffMs)],
    factor: [
      `what each further wait is multiplied with, ${span(bounds.factor)}`,
      String(defaultRetry.factor),
    ],
    max_backoff: ['longest wait', duration(defaultRetry.maxBackoffMs)],
    jitter: [
      `how far each wait is spread, as a fraction of it, ${span(bounds.jitter)}`,
      String(defaultRetry.jitter),
    ],
    on: [
      `codes of the errors that are retried, of those that pass: ${passingErrors.map((code) => `\`${code}\``).join(', ')} and what skills add`,
      'all that pass',
    ],
  },
  step: {
    id: 'the name in `steps.<id>`: lower-case letters, digits and `_`, beginning with a letter; unique',
    name: 'for people',
    if: ['an expression; the step is skipped when it is not true', '`true`'],
    timeout: [
      'of one try of a skill; of all of a group or a called playbook, for each item of `foreach` and each time of `repeat`',
      `${duration(defaultSkillTimeoutMs)} for a skill, none for a group`,
    ],
    retry: 'when and how often a skill is tried again; with `uses`',
    on_error: ['`fail`, `continue`, or steps, which see `error`', '`fail`'],
    default: ['the output when the step was skipped, or its failure handled', 'no output'],
    foreach: 'a list; the step runs for each item, and its output is the list of outputs',
    as: ['the name of the item', `\`${defaultForeach.as}\``],
    concurrency: [
      `how many items or branches at once, ${span(bounds.concurrency)}`,
      `${defaultForeach.concurrency} item, all branches`,
    ],
    max_items: [`more items fail the step; ${span(bounds.maxItems)}`, String(defaultForeach.maxItems)],
    on_item_error: ['`fail` or `continue`', '`fail`'],
    repeat: 'again and again until something holds; with `uses` or `steps`',
    on_interrupted: [
      `when the server stopped during the call: ${interruptedChoices.map((choice) => `\`${choice}\``).join(', ')}`,
      'as the skill says',
    ],
    uses: 'calls a skill, `<plugin>.<skill>`',
    set: 'a map of values, which are the output',
    steps: 'a group of steps, in order',
    parallel: 'a group of steps, at once',
    switch: 'the first case that holds',
    checkpoint: 'asks a person, and waits for the answer',
    call: 'runs another playbook, by its name',
    wait: 'a duration, or `{ until: <time> }`',
    return: 'ends the run as completed, with this output',
    fail: 'ends the run as failed, with this text',
    with: 'the inputs of `uses` or `call`',
    connection: ['the name of the connection; with `uses`', 'the only one of the plugin'],
    else: ['the steps of a `switch` when no case holds', 'none'],
  },
  repeat: {
    until: 'an expression; sees `output`',
    every: 'wait between two times',
    max: `how often at most, ${span(bounds.repeatMax)}; the step then fails`,
  },
  checkpoint: {
    via: 'a skill that asks, or `operator`: nobody is told, somebody answers over the API',
    with: 'the inputs of that skill; of `operator`: `message`, `labels`',
    connection: ['as of a step', 'the only one of the plugin'],
    answers: 'a list of words, one of which is the answer',
    form: 'a JSON Schema of what is to be filled in, instead of `answers`',
    timeout: 'how long to wait',
    on_timeout: ['the answer that stands for none, or `fail`', '`fail`'],
  },
  case: { when: 'an expression', steps: 'what happens when it is true' },
  wait: { until: 'a time; what has passed does not wait' },
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
  return `\n| key | what it is | when left out |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
}
