import { textAt, type SandboxCommand } from 'tocsin/plugin'
import { isOpenAction, showAction, type ActionStore } from './data/action-store.ts'
import { machines } from './data/machines.ts'

/** Controls for tests of a running sandbox. */
export interface Controls {
  /** Invalidates all issued tokens. */
  expireTokens(): void
  /** Queues the next action but answers with a gateway timeout. */
  loseNextAnswer(): void
}

/** Actions of a person in the platform's portal. */
export function endpointCommands(actions: ActionStore, controls: Controls): readonly SandboxCommand[] {
  const stateOf = (id: string): string => {
    const last = actions.queued.findLast(({ machineId, type }) => machineId === id && /isolate$/i.test(type))
    if (last === undefined) return 'reachable'
    const isDone = last.status === 'Succeeded'
    if (last.type === 'Isolate') return isDone ? 'isolated' : 'being isolated'
    return isDone ? 'reachable' : 'being released'
  }
  return [
    {
      usage: 'machines',
      description: 'every machine, and whether it is isolated',
      run: () =>
        machines
          .map((machine) => {
            const [id = '-', name = '-', health = '-'] = ['id', 'computerDnsName', 'healthStatus'].map(
              (field) => textAt(machine, field) ?? '-',
            )
            return `${id}  ${stateOf(id).padEnd(14)}  ${health.padEnd(8)}  ${name}`
          })
          .join('\n'),
    },
    {
      usage: 'actions',
      description: 'what was queued for machines; an action goes on each time somebody asks for it',
      run: () => actions.queued.map(showAction).join('\n') || 'nothing was queued yet',
    },
    {
      usage: 'finish',
      description: 'what was queued is done, except on machines that are off',
      run: () =>
        `${actions.queued.filter(isOpenAction).filter(({ id }) => finish(actions, id)).length} actions are done`,
    },
    {
      usage: 'expire',
      description: 'no token handed out so far is good any more',
      run() {
        controls.expireTokens()
        return 'the next request is refused, and has to get a new token'
      },
    },
    {
      usage: 'lose',
      description: 'the next action is queued, but its answer is lost on the way',
      run() {
        controls.loseNextAnswer()
        return 'a gateway will answer 504 in the place of the platform'
      },
    },
  ]
}

/** Polls an action until it no longer changes; returns whether it ended. */
function finish(actions: ActionStore, id: string): boolean {
  for (let before: string | undefined; ;) {
    const action = actions.look(id)
    if (action === undefined || !isOpenAction(action)) return true
    if (action.status === before) return false
    before = action.status
  }
}
