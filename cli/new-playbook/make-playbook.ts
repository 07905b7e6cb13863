import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codePattern } from '../../core/domain/ids.ts'
import { ConflictError, ValidationError } from '../../core/errors/errors.ts'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { namePattern } from '../../core/playbook/language/constants.ts'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import { printable } from '../output/printable.ts'

export interface PlaybookTemplate {
  readonly name: string
  /** The type of alerts that start it; undefined: started manually. */
  readonly alertType: string | undefined
  /** Code of the organization that it belongs to. Default: it is a shared one. */
  readonly organization?: string | undefined
}

const maxName = 100

/**
 * Writes a valid playbook and a passing test file; overwrites nothing.
 *
 * @returns their paths
 * @throws ConflictError `playbook_exists`, ValidationError `playbook_name_invalid`, `alert_type_invalid`, `organization_invalid`
 */
export async function makePlaybook(folder: string, playbook: PlaybookTemplate): Promise<readonly string[]> {
  const { name, alertType } = playbook
  checkName(name)
  checkOrganization(playbook)
  const texts = [
    { path: join(folder, `${name}.yaml`), text: playbookText(playbook) },
    { path: join(folder, `${name}.test.yaml`), text: testsText(playbook) },
  ]
  if (parsePlaybook(texts[0]!.text).playbook === undefined) {
    throw new ValidationError(
      'alert_type_invalid',
      `'${printable(alertType ?? '')}' is not a valid alert type`,
      [],
      { hint: 'give a type on one line, such as brute_force' },
    )
  }
  await refuseTaken(
    folder,
    name,
    texts.map(({ path }) => path),
  )
  await mkdir(folder, { recursive: true })
  const written: string[] = []
  try {
    for (const { path, text } of texts) {
      await writeFile(path, text, { flag: 'wx' })
      written.push(path)
    }
  } catch (error) {
    // A leftover playbook without a test would make the next attempt fail.
    await Promise.all(written.map((path) => rm(path, { force: true })))
    throw error
  }
  return written
}

function checkName(name: string): void {
  const refuse = (message: string, hint: string) =>
    new ValidationError('playbook_name_invalid', message, [], { hint })
  if (!new RegExp(namePattern).test(name) || name.length > maxName) {
    const better = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, maxName)
      .replace(/-$/, '')
    const hint = 'use lower-case letters and digits, in words joined by hyphens'
    throw refuse(
      `'${printable(name)}' cannot name a playbook`,
      better === '' ? hint : `${hint}, e.g. ${better}`,
    )
  }
  if (isReservedOnWindows(name))
    throw refuse(
      `'${name}' cannot name a playbook: Windows reserves it`,
      `choose another name, e.g. ${name}-alerts`,
    )
}

function checkOrganization({ organization }: PlaybookTemplate): void {
  if (organization === undefined || new RegExp(codePattern).test(organization)) return
  const message = `'${printable(organization)}' is not a code of an organization`
  throw new ValidationError('organization_invalid', message, [], {
    hint: 'use letters, digits and _, at most 32',
  })
}

/** Also searches subfolders: two playbooks with one name cannot both be live. */
async function refuseTaken(folder: string, name: string, paths: readonly string[]): Promise<void> {
  const files = await findPlaybookFiles(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const taken =
    files.find((path) => [`${name}.yaml`, `${name}.yml`].includes(basename(path))) ??
    paths.find((path) => existsSync(path))
  if (taken === undefined) return
  throw new ConflictError('playbook_exists', `${taken} exists`, {
    hint: 'choose another name, or remove it first',
  })
}

/** Quotes text so that it never begins an expression. */
const quote = (text: string): string => JSON.stringify(text).replaceAll('${{', () => '$${{')

/** YAML would read a code such as 007 as a number. */
const quoteWord = (code: string): string =>
  /^[A-Za-z_]\w*$/.test(code) && !/^(?:true|false|null)$/i.test(code) ? code : `'${code}'`

function playbookText({ name, alertType, organization }: PlaybookTemplate): string {
  const isManual = alertType === undefined
  const text = isManual ? 'inputs.text' : 'alert.content'
  const head = isManual
    ? [
        'description: Finds the observables in a text.',
        'on: { manual: true }',
        'inputs:',
        '  text: { type: string }',
      ]
    : ['description: Investigates one type of alert.', 'on:', `  alert: { type: ${quote(alertType)} }`]
  return `apiVersion: tocsin/v1
name: ${name}
${organization === undefined ? '' : `organization: ${quoteWord(organization)}\n`}${head.join('\n')}
steps:
  # The observables of the ${isManual ? 'text' : 'alert'}: addresses, domains, hashes, users, … \`tocsin skills\` lists all skills.
  - id: observables
    uses: indicators.extract
    with: { text: '\${{ ${text} }}' }
  - id: outcome
    switch:
      - when: size(steps.observables.output.all) > 0
        steps:
          - uses: case.update
            with:
              summary: 'Observables: \${{ steps.observables.output.all.map(o, o.value).join(", ").shorten(500) }}'
    else:
      - uses: case.update
        with: { severity: low, summary: Nothing to look up. }
`
}

function testsText({ name, alertType }: PlaybookTemplate): string {
  const given = (text: string) =>
    alertType === undefined
      ? `inputs: { text: ${JSON.stringify(text)} }`
      : `alert: { data: { message: ${JSON.stringify(text)} } }`
  return `playbook: ${name}.yaml
tests:
  - name: lists observables in the case
    ${given('Connection to 198.51.100.7')}
    expect:
      path: [observables, outcome]
      case: { summary: 'Observables: 198.51.100.7' }
  - name: sets low severity without observables
    ${given('Nothing happened')}
    expect:
      case: { severity: low, summary: Nothing to look up. }
`
}
