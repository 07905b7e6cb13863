import type { Actor } from '../api/types.ts'

/** Who did something: of a key its id stands beside the name, which anybody can choose. */
export function whoText({ kind, id, name }: Actor): string {
  return `${name} (${kind === 'api_key' ? `API key ${id}`.trimEnd() : kind})`
}
