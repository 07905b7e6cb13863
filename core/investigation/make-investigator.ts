import { createHash } from 'node:crypto'
import type { Organization } from '../domain/organization.ts'
import type { ObservableKind } from '../plugin/index.ts'

/** A skill that can look something up for the organization, and through which connection. */
export interface Lookup {
  /** `<plugin>.<skill>`. */
  readonly skill: string
  readonly kind: ObservableKind
  /** Undefined for a skill that needs none. */
  readonly connection: string | undefined
}

/** Observables of one kind looked up in one run, at most. */
const maxPerKind = 20

/**
 * Writes the playbook that investigates a type of alert for which nobody wrote one: find the observables, look each up with
 * every skill that declares to enrich its kind, say in the case what is known. The result is ordinary YAML for people to
 * read, edit and keep; the same arguments always give the same text.
 */
export function makeInvestigator(
  alertType: string,
  organization: Organization,
  lookups: readonly Lookup[],
): string {
  const steps = lookups.map((lookup) => ({ lookup, id: stepId(lookup) }))
  return [
    `# Made by Tocsin: no playbook investigated alerts of this type of organization ${organization.code}.`,
    '# Read it, edit it, and keep it by saving it in the playbooks folder; there it takes precedence over this one.',
    'apiVersion: tocsin/v1',
    `name: ${investigatorName(alertType, organization.code)}`,
    'description: Looks up what the alert names and says in the case what is known.',
    'on:',
    '  alert:',
    `    type: ${quote(alertType)}`,
    `    where: organization.code == ${quote(organization.code)}`,
    'steps:',
    '  - id: observables',
    '    uses: indicators.extract',
    `    with: { text: "\${{ alert.content }}", max_per_kind: ${maxPerKind} }`,
    ...steps.flatMap(({ lookup, id }) => lookupStep(lookup, id)),
    ...(steps.length > 0 ? assessment(steps.map((step) => step.id)) : nothingInstalled()),
  ]
    .join('\n')
    .concat('\n')
}

/** `investigate-<type>-<organization>`, with a digest where the type cannot be spelt in a playbook's name. */
export function investigatorName(alertType: string, organizationCode: string): string {
  return `investigate-${slug(alertType)}-${slug(organizationCode)}`
}

function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 48)
  if (/^[a-z0-9_]+$/.test(text) && text.length <= 48) return plain
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 6)
  return plain === '' ? digest : `${plain}-${digest}`
}

function stepId({ kind, skill, connection }: Lookup): string {
  const name = `${kind}_${skill.split('.')[0]}`
  return connection === undefined ? name : `${name}_${connection.toLowerCase().replace(/[^a-z0-9]+/g, '_')}`
}

function lookupStep({ skill, kind, connection }: Lookup, id: string): string[] {
  return [
    `  - id: ${id}`,
    `    foreach: \${{ steps.observables.output.${kind} }}`,
    '    concurrency: 4',
    `    max_items: ${maxPerKind}`,
    '    on_item_error: continue',
    `    uses: ${skill}`,
    ...(connection === undefined ? [] : [`    connection: ${quote(connection)}`]),
    `    with: { kind: ${kind}, value: "\${{ item }}" }`,
  ]
}

function assessment(ids: readonly string[]): string[] {
  const all = ids.map((id) => `steps.${id}.output`).join(' + ')
  return [
    '  - id: known',
    '    set:',
    `      all: \${{ (${all}).filter(e, e.risk.score != null) }}`,
    '  - id: rated',
    '    set:',
    '      malicious: ${{ steps.known.output.all.filter(e, e.risk.score >= 65) }}',
    '      suspicious: ${{ steps.known.output.all.filter(e, e.risk.score >= 25 && e.risk.score < 65) }}',
    '  - switch:',
    '      - when: size(steps.rated.output.malicious) > 0',
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: malicious',
    '              severity: high',
    "              summary: \"Known bad: ${{ steps.rated.output.malicious.map(e, e.value + ' (risk ' + string(e.risk.score) + ')').join(', ') }}\"",
    '      - when: size(steps.rated.output.suspicious) > 0',
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: suspicious',
    '              severity: medium',
    "              summary: \"Of doubtful reputation: ${{ steps.rated.output.suspicious.map(e, e.value + ' (risk ' + string(e.risk.score) + ')').join(', ') }}\"",
    '    else:',
    '      - uses: case.update',
    '        with:',
    '          verdict: unknown',
    '          severity: low',
    '          summary: "Nothing bad is known of what the alert names (${{ size(steps.observables.output.all) }} observables)."',
  ]
}

function nothingInstalled(): string[] {
  return [
    '  - uses: case.update',
    '    with:',
    '      summary: "Found ${{ size(steps.observables.output.all) }} observables; no connection of this organization can look them up."',
  ]
}

/** JSON strings are YAML double-quoted scalars, and CEL string literals, whatever they hold. */
function quote(text: string): string {
  return JSON.stringify(text)
}
