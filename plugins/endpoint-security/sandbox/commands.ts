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
      description: 'lists the machines and whether they are isolated',
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
      description: 'lists the queued actions; an action advances each time it is read',
      run: () => actions.queued.map(showAction).join('\n') || 'no actions yet',
    },
    {
      usage: 'finish',
      description: 'completes the queued actions, except on machines that are off',
      run: () =>
        `${actions.queued.filter(isOpenAction).filter(({ id }) => finish(actions, id)).length} actions are done`,
    },
    {
      usage: 'expire',
      description: 'invalidates all issued tokens',
      run() {
        controls.expireTokens()
        return 'the next request is refused and must get a new token'
      },
    },
    {
      usage: 'lose',
      description: 'queues the next action, but loses its response',
      run() {
        controls.loseNextAnswer()
        return 'a gateway answers 504 instead of the platform'
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
