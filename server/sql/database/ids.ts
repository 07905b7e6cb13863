import { ValidationError } from '../../../core/errors/errors.ts'
import { codePattern } from '../../../core/domain/ids.ts'

const code = new RegExp(codePattern)
const alertId = /^([A-Za-z0-9_]{1,32})-([A-Za-z0-9_]{1,32})-([1-9][0-9]{0,14})$/
const caseId = /^([A-Za-z0-9_]{1,32})-([1-9][0-9]{0,14})$/
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Throws ValidationError `invalid_code`: ids with another code could not be parsed. */
export function requireCode(text: string): void {
  if (code.test(text)) return
  const message = `'${text.slice(0, 64)}' is not a code: 1 to 32 letters, digits and underscores`
  throw new ValidationError('invalid_code', message, [{ pointer: '/code', message }])
}

export function parseAlertId(text: string) {
  const [, organization, provider, sequence] = alertId.exec(text) ?? []
  if (organization === undefined || provider === undefined || sequence === undefined) return undefined
  return { organization, provider, sequence: Number(sequence) }
}

export function parseCaseId(text: string) {
  const [, organization, number] = caseId.exec(text) ?? []
  return organization === undefined || number === undefined
    ? undefined
    : { organization, number: Number(number) }
}

/** Lower case, as stored; undefined if the text is no uuid. */
export function parseUuid(text: string): string | undefined {
  return uuid.test(text) ? text.toLowerCase() : undefined
}
