import { TocsinError } from '../plugin/index.ts'
import type { Scope } from './scope.ts'
import { messageTexts } from './sensitive.ts'
import type { Walk } from './walk.ts'

/** The last line of defence: what the checks before the run could not see, such as fields that are computed. */
export function refuseSensitive(walk: Walk, skill: string, input: unknown, { thread }: Scope): unknown {
  const schemas = thread.sensitive.size === 0 ? undefined : walk.skills.schemas?.(skill)
  const messages = schemas ? messageTexts(schemas.input, input) : []
  for (const secret of thread.sensitive) {
    if (!messages.some((text) => text.includes(secret))) continue
    throw new TocsinError(
      'sensitive_in_message',
      `a sensitive value would stand in a message of '${skill}'`,
      {
        hint: 'leave it out, or say where it can be looked up',
      },
    )
  }
  return input
}
