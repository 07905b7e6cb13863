import { codePattern } from '../../domain/ids.ts'
import { suggest } from '../language/did-you-mean.ts'
import { quote } from '../language/problem.ts'
import type { ReadContext } from '../scope/context.ts'
import { readWord } from '../template/fields.ts'
import type { Entry } from '../yaml/document.ts'

type CodeContext = Pick<ReadContext, 'problems' | 'known'>

/** Reads the code of a provider. An unknown one sends no alerts. */
export function readProvider({ problems, known }: CodeContext, entry: Entry): string | undefined {
  const code = readCode({ problems }, entry)
  if (code !== undefined && known !== undefined && !isAmong(known.providers, code)) {
    const hint = suggest(code, known.providers) ?? 'create it'
    problems.add('E322', `unknown provider ${quote(code)}`, entry.value, hint, {
      kind: 'provider',
      name: code,
    })
  }
  return code
}

/** Reads the code of an organization. An unknown one gets no runs. */
export function readOrganization(context: CodeContext, entry: Entry): string | undefined {
  const code = readCode(context, entry)
  const codes = context.known?.organizations
  if (code !== undefined && codes !== undefined && !isAmong(codes, code)) {
    const hint = suggest(code, codes) ?? 'create it'
    context.problems.add('E323', `unknown organization ${quote(code)}`, entry.value, hint, {
      kind: 'organization',
      name: code,
    })
  }
  return code
}

/** Reads an organization for which a playbook has runs. A shared playbook may name one that is not known here. */
export function readServedOrganization(
  context: CodeContext & Pick<ReadContext, 'organization'>,
  entry: Entry,
): string | undefined {
  const { problems, known, organization: owner } = context
  if (owner === undefined && known?.otherOrganizations === true) return readCode(context, entry)
  if (owner === undefined) return readOrganization(context, entry)
  const code = readCode(context, entry)
  if (code === undefined || isAmong([owner], code)) return code
  const message = `the playbook belongs to the organization ${quote(owner)} and does not run for ${quote(code)}`
  problems.add('E325', message, entry.value, `leave out \`${entry.name}\``)
  return code
}

const readCode = ({ problems }: Pick<ReadContext, 'problems'>, entry: Entry): string | undefined =>
  readWord(problems, entry, codePattern, 'use letters, digits and _')

const isAmong = (codes: readonly string[], code: string): boolean =>
  codes.some((each) => each.toLowerCase() === code.toLowerCase())
