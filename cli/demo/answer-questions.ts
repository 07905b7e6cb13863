import type { ApiClient } from '../api-client.ts'
import type { StartedSandbox } from '../sandbox/start-sandboxes.ts'
import { wordOf } from '../sandbox/usage.ts'
import type { Person } from './sample-alerts.ts'

interface Checkpoint {
  readonly checkpoint_id: string
  readonly input: { readonly user?: string; readonly message?: string }
  /** Identifies the message; null until it is sent. */
  readonly reference: { readonly ts: string } | null
}

/** People of the messaging sandbox. Each look answers the questions that have arrived since the last one. */
export function scriptedPeople(
  people: readonly Person[],
  messaging: StartedSandbox,
  api: ApiClient,
): { look(): Promise<void> } {
  const seen = new Set<string>()
  return {
    async look() {
      const { data } = await api.get<{ data: readonly Checkpoint[] }>('/checkpoints?limit=200')
      for (const { checkpoint_id: id, input, reference } of data) {
        const { user, message = '' } = input
        const person = people.find(({ email, about = '' }) => email === user && message.includes(about))
        if (seen.has(id) || reference === null || person === undefined) continue
        seen.add(id)
        if (person.presses !== null) await act(messaging, 'click', reference.ts, person.presses)
      }
    },
  }
}

/** Runs a command of a sandbox as if it were typed. */
export async function act(
  { plugin, running }: StartedSandbox,
  word: string,
  ...words: readonly string[]
): Promise<string> {
  const command = running.commands?.find(({ usage }) => wordOf(usage) === word)
  if (command === undefined) throw new Error(`the sandbox of ${plugin} has no command '${word}'`)
  return command.run(...words)
}
