import { grammar } from '../../core/playbook/grammar.ts'

type Grammar = typeof grammar
type Texts = { readonly [T in keyof Grammar]: Readonly<Record<Grammar[T]['keys'][number], string>> }

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
    timeout: 'of the whole run; 24h',
    concurrency: 'at most one run of a key at a time',
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
    provider: 'only alerts of this provider',
    where: 'only alerts for which this expression is true',
  },
  schedule: {
    cron: 'minute hour day month weekday',
    organizations: 'codes; all when left out',
    inputs: 'what the runs are given',
    overlap: '`true`: a run starts although the one before has not ended',
  },
  concurrency: {
    key: 'runs with the same value do not overlap',
    policy: '`queue` (waits) or `drop` (is cancelled)',
  },
  defaults: {
    timeout: 'as of a step',
    retry: 'as of a step',
    connections: 'the connection of each plugin: plugin → name',
  },
  retry: {
    max: 'tries after the first, 0 to 20; 3',
    backoff: 'wait before the second try; 2s',
    factor: 'what each further wait is multiplied with, 1 to 10; 2',
    max_backoff: 'longest wait; 5m',
    jitter: 'how far each wait is spread, as a fraction of it, 0 to 1; 0.2',
    on: 'codes of the errors that are retried, such as `[http_429, network_error]`; all that pass',
  },
  step: {
    id: 'the name in `steps.<id>`: lower-case letters, digits and `_`, beginning with a letter; unique',
    name: 'for people',
    if: 'an expression; the step is skipped when it is not true',
    timeout: 'of one try of a skill, 60s; of all of a group',
    retry: 'with `uses`',
    on_error: '`fail` (also when left out), `continue`, or steps, which see `error`',
    default: 'the output when the step was skipped, or its failure handled',
    foreach: 'a list; the step runs for each item, and its output is the list of outputs',
    as: 'the name of the item; `item`',
    concurrency: 'how many items or branches at once; of items 1, of branches all',
    max_items: 'more items fail the step; 100',
    on_item_error: '`fail` (also when left out) or `continue`',
    repeat: 'again and again until something holds; with `uses` or `steps`',
    on_interrupted:
      'when the server stopped during the call: `repeat`, `skip`, `fail` or `ask`; as the skill says',
    uses: '**action**: calls a skill, `<plugin>.<skill>`',
    set: '**action**: a map of values, which are the output',
    steps: '**action**: a group of steps, in order',
    parallel: '**action**: a group of steps, at once',
    switch: '**action**: the first case that holds',
    checkpoint: '**action**: asks a person, and waits for the answer',
    call: '**action**: runs another playbook, by its name',
    wait: '**action**: a duration, or `{ until: <time> }`',
    return: '**action**: ends the run as completed, with this output',
    fail: '**action**: ends the run as failed, with this text',
    with: 'the inputs of `uses` or `call`',
    connection: 'the name of the connection; the only one of the plugin',
    else: 'the steps of a `switch` when no case holds',
  },
  repeat: {
    until: 'an expression; sees `output`',
    every: 'wait between two times',
    max: 'how often at most, 1 to 1000; the step then fails',
  },
  checkpoint: {
    via: 'a skill that asks, or `operator`',
    with: 'the inputs of that skill',
    connection: 'as of a step',
    answers: 'a list of words, one of which is the answer',
    form: 'a JSON Schema of what is to be filled in, instead of `answers`',
    timeout: 'how long to wait',
    on_timeout: 'the answer that stands for none; when left out, the step fails',
  },
  case: { when: 'an expression', steps: 'what happens when it is true' },
  wait: { until: 'a time' },
}

const headings: { readonly [T in keyof Grammar]: string } = {
  playbook: 'The playbook',
  on: '`on`',
  alertTrigger: '`on.alert`',
  schedule: '`on.schedule`',
  concurrency: '`concurrency`',
  defaults: '`defaults`',
  retry: '`retry`',
  step: 'A step: exactly one action, and what goes with it',
  repeat: '`repeat`',
  checkpoint: '`checkpoint`',
  case: 'A case of a `switch`',
  wait: '`wait`',
}

/** The reference of docs/playbooks.md, without its formatting. */
export function keysReference(): string {
  const tables = Object.entries(grammar).map(([name, table]) => {
    const own: Readonly<Record<string, string>> = texts[name as keyof Grammar]
    const required: readonly string[] = 'required' in table ? table.required : []
    const rows = table.keys.map(
      (key) => `| \`${key}\`${required.includes(key) ? ' (required)' : ''} | ${own[key]} |`,
    )
    return `### ${headings[name as keyof Grammar]}\n\n| key | what it is |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  return `\n${tables.join('\n')}\n`
}
