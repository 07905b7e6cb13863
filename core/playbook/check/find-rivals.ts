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
    const trigger = triggerOf(one.playbook)
    const twin = trigger === undefined ? undefined : byTrigger.get(trigger)
    if (twin === undefined) {
      if (trigger !== undefined) byTrigger.set(trigger, one)
      return []
    }
    const used = name < twin.playbook.name ? name : twin.playbook.name
    const message = `${twin.file} and ${one.file} investigate the same alerts; '${used}' is used, which comes first by name`
    return [rivalry('W701', one, 'on', message, 'tell them apart with `provider` or `where`, or remove one')]
  })
}

/** Equal for playbooks with the same trigger; `where` is compared as text. */
function triggerOf({ alertTrigger }: Playbook): string | undefined {
  if (alertTrigger === undefined) return undefined
  const { type, provider, where } = alertTrigger
  return JSON.stringify([type, provider?.toLowerCase() ?? null, where?.source ?? null])
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
