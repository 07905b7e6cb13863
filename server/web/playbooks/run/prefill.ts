import type { FormField, FormValues } from '../../forms/form-fields.ts'

/** What a playbook is run about. */
export interface RunSubject {
  readonly observables?: readonly { readonly kind: string; readonly value: string }[]
  readonly caseId?: string | null
  readonly alertId?: string
}

/** Names of inputs that stand for a kind of observable, besides the kind itself. */
const names: Readonly<Record<string, readonly string[]>> = {
  ip: ['address', 'ip_address', 'source_ip', 'src_ip'],
  domain: ['domain_name', 'fqdn'],
  url: ['link'],
  hash: ['sha256', 'file_hash', 'md5', 'sha1'],
  email: ['mail', 'email_address', 'sender', 'recipient', 'mailbox'],
  host: ['hostname', 'machine', 'device', 'computer', 'endpoint'],
  user: ['username', 'user_name', 'account', 'upn', 'login'],
  vulnerability: ['cve'],
  company: ['vendor'],
}
/** Inputs for the value of any kind, beside an input `kind`. */
const anyValue = ['value', 'observable', 'indicator']

/** Values of the inputs that obviously stand for the subject: it has one value of the kind that the name of the input says. */
export function prefilled(fields: readonly FormField[], subject: RunSubject): FormValues {
  const { observables = [], caseId, alertId } = subject
  const values: Record<string, string> = {}
  const fill = (wanted: readonly string[], value: string): void => {
    const field = fields.find(({ name, kind }) => kind === 'text' && wanted.includes(name.toLowerCase()))
    if (field !== undefined) values[field.name] = value
  }
  for (const [kind, others] of Object.entries(names)) {
    const [only, another] = observables.filter((each) => each.kind === kind)
    if (only !== undefined && another === undefined) fill([kind, ...others], only.value)
  }
  const [only, another] = observables
  const kindField = fields.find(({ name }) => name.toLowerCase() === 'kind')
  if (only !== undefined && another === undefined && kindField?.choices.includes(only.kind) === true) {
    values[kindField.name] = only.kind
    fill(anyValue, only.value)
  }
  if (typeof caseId === 'string') fill(['case', 'case_id'], caseId)
  if (alertId !== undefined) fill(['alert', 'alert_id'], alertId)
  return values
}

/** Why nothing was filled in, for people; undefined if something was, or if there is nothing to fill in. */
export function notPrefilledText(
  fields: readonly FormField[],
  { observables, caseId, alertId }: RunSubject,
  values: FormValues,
): string | undefined {
  const subject = alertId !== undefined ? 'alert' : typeof caseId === 'string' ? 'case' : undefined
  const isFilled = Object.keys(values).length > 0
  if (fields.length === 0 || isFilled || observables === undefined || subject === undefined) return undefined
  return observables.length === 0
    ? `No input is filled in: the ${subject} has no observables.`
    : `No input is filled in: none is named after a kind of observable of which the ${subject} has exactly one.`
}
