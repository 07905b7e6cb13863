type Map = Readonly<Record<string, unknown>>

/** The grammar keys that a playbook uses, each with its map: `retry.max`. */
export function keysUsed(playbook: Map): readonly string[] {
  return [
    ...of('playbook', playbook),
    ...of('on', playbook['on']),
    ...of('alertTrigger', own(playbook, 'on', 'alert')),
    ...of('group', inner(own(playbook, 'on', 'alert'), 'group')),
    ...rulesOf(inner(own(playbook, 'on', 'alert'), 'correlate')),
    ...of('caseTrigger', own(playbook, 'on', 'case')),
    ...of('entityTrigger', own(playbook, 'on', 'entity')),
    ...of('webhookTrigger', own(playbook, 'on', 'webhook')),
    ...of('questionTrigger', own(playbook, 'on', 'question')),
    ...of('runTrigger', own(playbook, 'on', 'run')),
    ...of('schedule', own(playbook, 'on', 'schedule')),
    ...of('concurrency', playbook['concurrency']),
    ...of('playbookRate', playbook['rate']),
    ...of('defaults', playbook['defaults']),
    ...of('retry', own(playbook, 'defaults', 'retry')),
    ...['steps', 'on_error', 'finally'].flatMap((name) => inSteps(playbook[name])),
  ]
}

const rulesOf = (correlate: unknown): readonly string[] =>
  [correlate].flat().flatMap((rule) => of('correlation', rule))

function inSteps(steps: unknown): readonly string[] {
  if (!Array.isArray(steps)) return []
  return (steps as readonly Map[]).flatMap((step) => {
    const cases = (Array.isArray(step['switch']) ? step['switch'] : []) as readonly Map[]
    const parts = ['rate', 'retry', 'repeat', 'undo', 'state', 'checkpoint', 'wait'].flatMap((name) =>
      of(name, step[name]),
    )
    const checkpoint = isMap(step['checkpoint']) ? step['checkpoint'] : {}
    const levels = (Array.isArray(checkpoint['escalate']) ? checkpoint['escalate'] : []) as readonly Map[]
    const nested = ['steps', 'parallel', 'else', 'on_error'].flatMap((name) => inSteps(step[name]))
    const chosen = cases.flatMap((each) => [...of('case', each), ...inSteps(each['steps'])])
    const wait = isMap(step['wait']) ? step['wait'] : {}
    const awaited = [
      ...of('awaitedEvent', wait['for']),
      ...of('awaitedAlert', own(wait, 'for', 'alert')),
      ...of('awaitedCase', own(wait, 'for', 'case')),
    ]
    const escalations = levels.flatMap((each) => of('escalation', each))
    return [...of('step', step), ...parts, ...escalations, ...awaited, ...nested, ...chosen]
  })
}

const isMap = (value: unknown): value is Map =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const of = (map: string, value: unknown): readonly string[] =>
  isMap(value) ? Object.keys(value).map((key) => `${map}.${key}`) : []

const inner = (value: unknown, name: string): unknown => (isMap(value) ? value[name] : undefined)

const own = (map: Map, first: string, second: string): unknown => inner(map[first], second)
