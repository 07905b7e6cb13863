import type { ApiStoredError, EditorProblem } from '../api/types.ts'

/** A view that mends the cause of an error. */
export interface FixLink {
  readonly href: string
  readonly text: string
}

/** Links for one error. */
const maxLinks = 4

/** Errors of a connection that exists. */
const ofConnections: ReadonlySet<string> = new Set([
  'connection_disabled',
  'connection_broken',
  'connection_ambiguous',
  'connection_invalid',
  'sign_in_needed',
])

/**
 * Where people mend the cause of a stored error, if it says enough.
 *
 * @param organization code of the organization whose run failed
 */
export function fixLinks({ code, details }: ApiStoredError, organization?: string): readonly FixLink[] {
  const { plugin, plugins, connection } = (details ?? {}) as Readonly<Record<string, unknown>>
  const known = [plugin, ...(Array.isArray(plugins) ? plugins : [])].filter(
    (each) => typeof each === 'string',
  )
  const of = organization === undefined ? {} : { organization }
  const named = typeof connection === 'string' ? { name: connection } : {}
  if (code === 'connection_missing')
    return known.slice(0, maxLinks).map((each) => ({
      href: `/connections/new?${new URLSearchParams({ plugin: each, ...named, ...of }).toString()}`,
      text: `Create a connection of ${each}`,
    }))
  if (!ofConnections.has(code)) return []
  if (typeof connection === 'string')
    return [
      { href: `/connections/${encodeURIComponent(connection)}`, text: `Go to connection ${connection}` },
    ]
  const wanted = new URLSearchParams({
    ...of,
    ...(known[0] !== undefined && { plugin: known[0] }),
  }).toString()
  return [{ href: `/connections${wanted === '' ? '' : `?${wanted}`}`, text: 'View connections' }]
}

export type Missing = NonNullable<EditorProblem['missing']>

const directories = {
  provider: { href: '/providers', text: 'Go to providers' },
  organization: { href: '/organizations', text: 'Go to organizations' },
}

/**
 * Where people create what a problem of a playbook says is missing.
 *
 * @param organization code of the organization to which the playbook belongs
 */
export function missingLinks(
  { kind, name, plugins = [] }: Missing,
  organization?: string,
): readonly FixLink[] {
  if (kind !== 'connection') return [directories[kind]]
  const details = { plugins, ...(name !== undefined && { connection: name }) }
  return fixLinks({ code: 'connection_missing', message: '', details }, organization)
}
