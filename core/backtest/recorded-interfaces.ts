import { createInterfaceCalls, type InterfaceCalls } from '../interface/interface-calls.ts'
import { ConnectionError, SkillError } from '../plugin/index.ts'
import type { ConnectionStore } from '../ports/connection-store.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { RecordedReplies } from './recorded-replies.ts'
import type { ReplayNotes } from './replay-notes.ts'

export interface RecordedInterfacesOptions {
  readonly catalogue: Catalogue
  readonly connections: Pick<ConnectionStore, 'list'>
  readonly replies: RecordedReplies
  readonly notes: ReplayNotes
}

/** Interfaces that choose the recorded connections; a new use chooses from those of today. */
export function recordedInterfaces({
  catalogue,
  connections,
  replies,
  notes,
}: RecordedInterfacesOptions): InterfaceCalls {
  const today = createInterfaceCalls(catalogue, connections)
  return {
    ...today,
    async choose(wanted) {
      const { of, path } = wanted
      const recorded = replies.choice(path, of)
      if (recorded?.error) throw new SkillError(recorded.error.code, recorded.error.message)
      const calls = recorded?.calls
      const missing = calls?.find(({ skill }) => catalogue.skill(skill) === undefined)
      if (missing !== undefined)
        notes.cannotJudge({
          code: 'skill_not_found',
          message: `the skill '${missing.skill}' of step '${path}' is not installed`,
        })
      if (calls !== undefined) return calls
      try {
        return await today.choose(wanted)
      } catch (error) {
        if (error instanceof ConnectionError)
          notes.cannotJudge({
            code: 'connection_missing',
            message: `step '${path}' cannot use interface.${of}: ${error.message}`,
          })
        throw error
      }
    },
  }
}
