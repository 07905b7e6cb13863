import { createHash } from 'node:crypto'
import type { Organization } from '../domain/organization.ts'
import type { LeftOutSkill, Lookup } from './find-lookups.ts'

/** Observables of one kind looked up in one run, at most; an alert with more is said to be looked up in part. */
const maxPerKind = 50

/** Pairs of a kind and a connection in one playbook, at most: its expressions have a limited depth. */
const maxLookups = 30

/** Characters of a list of values in a summary, at most. */
const maxListed = 2_000

/** What could look something up, and is not used. */
export interface UnusedLookups {
  /** Names of connections. */
  readonly disabled?: readonly string[]
  readonly leftOut?: readonly LeftOutSkill[]
}

/**
 * Writes the playbook that investigates a type of alert for which nobody wrote one: find the observables, look each up with
 * every skill that declares to enrich its kind, say in the case what is known. The result is ordinary YAML for people to
 * read, edit and keep; the same arguments always give the same text.
 */
export function makeInvestigator(
  alertType: string,
  organization: Pick<Organization, 'code'>,
  possible: readonly Lookup[],
  { disabled = [], leftOut = [] }: UnusedLookups = {},
): string {
  const lookups = possible.slice(0, maxLookups)
  const ids = stepIds(lookups)
  const lines = [
    `# Made by Tocsin: no playbook investigated alerts of this type of organization ${organization.code}.`,
    '# Read it, edit it, and keep it by saving it in the playbooks folder; there it takes precedence over this one.',
    ...leftOut.slice(0, maxLookups).map(leftOutComment),
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
      ? nobodyToAsk(disabled)
      : [
          ...beyondTheLimit(possible),
          ...lookupSteps(lookups, ids),
          ...resultSteps(lookups, ids),
          ...caseSteps(),
        ]),
  ]
  return `${lines.join('\n')}\n`
}

/**
 * `investigate-<type>-<organization>`, so that it can be told again which these are: else with a digest of both at the end. No two have
 * the same name.
 */
export function investigatorName(alertType: string, organizationCode: string): string {
  const name = ['investigate', slug(alertType), slug(organizationCode)]
    .filter((part) => part !== '')
    .join('-')
  if (isPlain(alertType) && isPlain(organizationCode) && !/_|^[0-9a-f]{16}$/.test(organizationCode))
    return name
  const both = JSON.stringify([alertType, organizationCode])
  return `${name}-${createHash('sha256').update(both).digest('hex').slice(0, 16)}`
}

/** `_a`, `a__b` and `a-b` are not. */
const isPlain = (text: string): boolean => /^[a-z0-9]+(_[a-z0-9]+)*$/.test(text) && text.length <= 48

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-|-$/g, '')

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

/** An expression for each connection: its name where a look-up over it failed. */
function failingConnections(lookups: readonly Lookup[], ids: readonly string[]): string[] {
  const byConnection = Map.groupBy(ids, (_, index) => lookups[index]?.connection)
  return [...byConnection].flatMap(([connection, own]) => {
    if (connection === undefined) return []
    const items = own.map((id) => `steps.${id}.?items.orValue([])`).join(' + ')
    return [`((${items}).exists(l, l.status == 'failed') ? [${quote(connection)}] : [])`]
  })
}

/** The score is that of the output; the value is the one that was asked about, since an output need not repeat it. */
function knownFrom({ kind }: Lookup, id: string): string {
  const asked = `steps.observables.output.${kind}[int(l.index)]`
  return (
    `steps.${id}.?items.orValue([]).filter(l, l.status == 'completed')` +
    `.map(l, {'value': ${asked}, 'score': dyn(l.output.risk.score)})`
  )
}

function resultSteps(lookups: readonly Lookup[], ids: readonly string[]): string[] {
  const failing = failingConnections(lookups, ids)
  return [
    '',
    '  - id: results',
    '    set:',
    '      known: >-',
    ...sumOf(lookups.map((lookup, index) => knownFrom(lookup, ids[index]!))),
    '      lookups: >-',
    ...sumOf(ids.map((id) => `steps.${id}.?items.orValue([])`)),
    '      failing: >-',
    ...sumOf(failing.length === 0 ? ['[]'] : failing),
    '  - id: rated',
    '    set:',
    '      bad: ${{ steps.results.output.known.filter(e, e.score != null && e.score >= 65) }}',
    '      doubtful: ${{ steps.results.output.known.filter(e, e.score != null && e.score >= 25) }}',
    "      failed: ${{ steps.results.output.lookups.filter(l, l.status == 'failed') }}",
  ]
}

function sumOf(lists: readonly string[]): string[] {
  return ['        ${{', `          ${lists.join(' +\n          ')}`, '        }}']
}

/** What is not known to be bad keeps the severity that the case was opened with: not knowing is no reason to lower it. */
function caseSteps(): string[] {
  const { bad, doubtful, failed, lookups } = {
    bad: 'steps.rated.output.bad',
    doubtful: 'steps.rated.output.doubtful',
    failed: 'steps.rated.output.failed',
    lookups: 'steps.results.output.lookups',
  }
  const named = (list: string) =>
    listed(`${list}.map(e, e.value + ' (risk ' + string(e.score) + ')').join(', ')`)
  const failing = 'steps.results.output.failing'
  const over = `\${{ size(${failing}) == 0 ? '' : ' (over ' + ${failing}.join(', ') + ')' }}`
  const reason = listed(`${failed}.map(l, l.?error.message.orValue('no reason given'))[0]`)
  return [
    '',
    '  - switch:',
    `      - when: size(${bad}) > 0`,
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: malicious',
    '              severity: high',
    `              summary: "Known to be bad: ${named(bad)}"`,
    `      - when: size(${doubtful}) > 0`,
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              verdict: suspicious',
    `              summary: "Of doubtful reputation: ${named(doubtful)}"`,
    `      - when: size(${failed}) > 0`,
    '        steps:',
    '          - uses: case.update',
    '            with:',
    `              summary: "Not assessed: \${{ size(${failed}) }} of \${{ size(${lookups}) }} look-ups failed${over}."`,
    `      - when: size(${lookups}) == 0`,
    '        steps:',
    '          - uses: case.update',
    '            with:',
    '              summary: "Not assessed: the alert names nothing that could be looked up."',
    '    else:',
    '      - uses: case.update',
    '        with:',
    `          summary: "Nothing bad is known of the \${{ size(${lookups}) }} observables that were looked up; that does not make them harmless."`,
    `  - if: size(${failed}) > 0`,
    '    uses: case.comment',
    '    with:',
    `      text: "\${{ size(${failed}) }} of \${{ size(${lookups}) }} look-ups failed${over}, the first one because: ${reason}"`,
    '  - if: steps.observables.output.truncated',
    '    uses: case.comment',
    '    with:',
    `      text: "The alert names more than was looked up: ${maxPerKind} of a kind at most."`,
  ]
}

function leftOutComment({ skill, reason }: LeftOutSkill): string {
  return `# Left out: ${skill} cannot be part of this (${reason.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')}).`
}

function nobodyToAsk(disabled: readonly string[]): string[] {
  const names = disabled.slice(0, maxLookups).join(', ')
  const nobody =
    disabled.length === 0
      ? 'no connection of this organization can look up what the alert names'
      : `the connections of this organization that can look up what the alert names are disabled (${names})`
  const all = 'steps.observables.output.all'
  return [
    '  - uses: case.update',
    '    with:',
    '      summary: >-',
    `        Not assessed: ${nobody}`,
    `        (\${{ size(${all}) }} observables): ${listed(`${all}.map(o, o.kind + ' ' + o.value).join(', ')`)}`,
  ]
}

function beyondTheLimit(possible: readonly Lookup[]): string[] {
  const count = possible.length - maxLookups
  return count > 0 ? [`  # ${count} further look-ups are possible; one playbook holds ${maxLookups}.`] : []
}

/** An expression for a text, cut to a length that a summary can take. */
function listed(text: string): string {
  return `\${{ ${text}.shorten(${maxListed}) }}`
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
