import type { Playbook } from '../language/playbook.ts'
import { severityOf, type ProblemCode } from '../language/problem-catalogue.ts'
import type { Problem } from '../language/problem.ts'

/** A playbook and the file it was read from. */
export interface CheckedFile {
  readonly file: string
  readonly playbook: Playbook
}

/** A conflict between valid playbooks, reported at the later file. */
export interface Rivalry extends Problem {
  readonly file: string
}

/**
 * Finds conflicting playbooks: two with the same name (E701), of which only the first is used, and two for
 * the same alerts (W701), of which only the first by name is used. In the order of the playbooks.
 */
export function findRivals(playbooks: readonly CheckedFile[]): readonly Rivalry[] {
  const byName = new Map<string, CheckedFile>()
  const byTrigger = new Map<string, CheckedFile>()
  return playbooks.flatMap((one) => {
    const { name } = one.playbook
    const namesake = byName.get(name)
    if (namesake !== undefined) {
      const message = `${namesake.file} and ${one.file} are both named '${name}'; only the first is used`
      return [rivalry('E701', one, 'name', message, 'give one of them another name')]
    }
    byName.set(name, one)
    const triggers = triggersOf(one.playbook)
    const shared = triggers.find(({ key }) => byTrigger.has(key))
    for (const { key } of triggers) if (!byTrigger.has(key)) byTrigger.set(key, one)
    if (shared === undefined) return []
    const twin = byTrigger.get(shared.key)!
    const used = name < twin.playbook.name ? name : twin.playbook.name
    const alerts = triggers.length === 1 ? 'the same alerts' : `the same alerts of ${shared.alerts}`
    const message = `${twin.file} and ${one.file} investigate ${alerts}; '${used}' is used, which comes first by name`
    return [rivalry('W701', one, 'on', message, 'tell them apart with `provider` or `where`, or remove one')]
  })
}

interface OneTrigger {
  /** Equal for equally specific triggers for the same alerts; `where` is compared as text. */
  readonly key: string
  readonly alerts: string
}

/**
 * A trigger for each type and provider. A trigger with fewer types is more specific, and one of an organization precedes shared ones.
 */
function triggersOf({ alertTrigger, shadow, organization }: Playbook): readonly OneTrigger[] {
  // A shadow investigates no alerts.
  if (alertTrigger === undefined || shadow !== undefined) return []
  const { types, providers, where } = alertTrigger
  const count = types?.length ?? null
  return (types ?? [null]).flatMap((type) =>
    (providers ?? [null]).map((provider) => ({
      key: JSON.stringify([
        organization?.toLowerCase() ?? null,
        type,
        count,
        provider?.toLowerCase() ?? null,
        where?.source ?? null,
      ]),
      alerts: [
        ...(type === null ? [] : [`type '${type}'`]),
        ...(provider === null ? [] : [`provider '${provider}'`]),
      ].join(' and '),
    })),
  )
}

/** At the line of a top-level key, or the first line in flow style. */
function rivalry(
  code: ProblemCode,
  { file, playbook }: CheckedFile,
  key: string,
  message: string,
  hint: string,
): Rivalry {
  const lines = playbook.source.split(/\r?\n/)
  const line = Math.max(
    lines.findIndex((text) => new RegExp(`^${key}\\s*:`).test(text)),
    0,
  )
  const length = (lines[line] ?? '').length
  const place = { line: line + 1, column: 1, endLine: line + 1, endColumn: Math.max(length, 1) + 1 }
  return { code, severity: severityOf(code), message, hint, file, ...place }
}
