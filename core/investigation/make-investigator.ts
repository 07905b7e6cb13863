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
  organization: Pick<Organization, 'code'>,
  lookups: readonly Lookup[],
): string {
  const ids = stepIds(lookups)
  const lines = [
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
    ...(lookups.length === 0
      ? nothingToAsk()
      : [...lookupSteps(lookups, ids), ...resultSteps(ids), ...caseSteps()]),
  ]
  return `${lines.join('\n')}\n`
}

/** `investigate-<type>-<organization>`, with a digest where the type cannot be spelt in a playbook's name. */
export function investigatorName(alertType: string, organizationCode: string): string {
  return `investigate-${slug(alertType)}-${slug(organizationCode)}`
}

function slug(text: string): string {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-|-$/g, '')
  // Only what can be told from the name again: `_a`, `a__b` and `a-b` get a digest.
  if (/^[a-z0-9]+(_[a-z0-9]+)*$/.test(text) && text.length <= 48) return plain
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 6)
  return plain === '' ? digest : `${plain}-${digest}`
}

/** `<kind>_<connection>`, numbered where two are spelt alike. */
function stepIds(lookups: readonly Lookup[]): string[] {
  const used = new Set<string>()
  return lookups.map(({ kind, skill, connection }) => {
    const asked = (connection ?? skill.split('.')[0] ?? skill).toLowerCase().replace(/[^a-z0-9]+/g, '_')
    const plain = `${kind}_${asked}`
    let id = plain
    for (let n = 2; used.has(id); n++) id = `${plain}_${n}`
    used.add(id)
    return id
  })
}

function lookupSteps(lookups: readonly Lookup[], ids: readonly string[]): string[] {
  return [
    '',
    '  - id: lookups',
    '    parallel:',
    ...lookups.flatMap(({ skill, kind, connection }, index) => [
      `      - id: ${ids[index]}`,
      `        foreach: \${{ steps.observables.output.${kind} }}`,
      '        concurrency: 4',
      '        on_item_error: continue',
      `        uses: ${skill}`,
      ...(connection === undefined ? [] : [`        connection: ${quote(connection)}`]),
      `        with: { kind: ${kind}, value: "\${{ item }}" }`,
    ]),
  ]
}

function resultSteps(ids: readonly string[]): string[] {
  const lines = (views: readonly string[], filter: string) => [
    '        ${{',
    `          (${views.join(' +\n           ')})`,
    `          .filter(${filter})`,
    '        }}',
  ]
  return [
    '',
    '  - id: results',
    '    set:',
    '      known: >-',
    ...lines(
      ids.map((id) => `steps.${id}.output`),
      'e, e.risk.score != null',
    ),
    '      failed: >-',
    ...lines(
      ids.map((id) => `steps.${id}.?items.orValue([])`),
      "i, i.status == 'failed'",
    ),
    '  - id: rated',
    '    set:',
    '      bad: ${{ steps.results.output.known.filter(e, e.risk.score >= 65) }}',
    '      doubtful: ${{ steps.results.output.known.filter(e, e.risk.score >= 25 && e.risk.score < 65) }}',
  ]
}

function caseSteps(): string[] {
  const named = (list: string) =>
    `\${{ ${list}.map(e, e.value + ' (risk ' + string(e.risk.score) + ')').join(', ') }}`
  return [
    '',
    '  - switch:',
    '      - when: size(steps.rated.output.bad) > 0',
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: malicious',
    '              severity: high',
    `              summary: "Known bad: ${named('steps.rated.output.bad')}"`,
    '      - when: size(steps.rated.output.doubtful) > 0',
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: suspicious',
    '              severity: medium',
    `              summary: "Of doubtful reputation: ${named('steps.rated.output.doubtful')}"`,
    '    else:',
    '      - uses: case.update',
    '        with:',
    '          severity: low',
    '          summary: "Nothing bad is known of the ${{ size(steps.observables.output.all) }} observables of this alert."',
    '  - if: size(steps.results.output.failed) > 0',
    '    uses: case.comment',
    '    with:',
    '      text: "${{ size(steps.results.output.failed) }} look-ups failed; what is known may be incomplete."',
  ]
}

function nothingToAsk(): string[] {
  return [
    '  - uses: case.update',
    '    with:',
    '      summary: "Found ${{ size(steps.observables.output.all) }} observables; no connection of this organization can look them up."',
  ]
}

/** A YAML double-quoted scalar, and an expression's string literal, whatever it holds; never the beginning of an expression. */
function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll('${{', () => '$${{')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
}

/** What nobody can see, direction overrides among it, which playbooks may not hold. */
function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
