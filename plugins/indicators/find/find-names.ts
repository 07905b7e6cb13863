import { contextOf, type TextContext } from '../field-context.ts'
import { readKeyLines } from '../formats/key-lines.ts'
import { meaningOf } from '../key-meaning.ts'
import { hostOfMachineAccount, parseHost, parseNamedDomain, parseUser } from './names.ts'
import type { Report } from '../observables.ts'
import { refang } from './refang.ts'

/** Reads users and machines from labelled fields only, never from prose. */
export function reportNames(text: string, context: TextContext, report: Report): void {
  const { meaning } = context
  if (text.length > 512) return
  if (context.user !== undefined) {
    const user = parseUser(text)
    if (user !== undefined && (context.user === 'account' || user.includes('@'))) report('user', user)
    const machine = hostOfMachineAccount(text)
    if (machine !== undefined) report('host', machine)
  }
  if (context.host !== undefined) {
    const host = parseHost(text)
    if (host !== undefined) report('host', host)
  }
  if (meaning.domain || context.host === 'either') {
    const domain = parseNamedDomain(refang(text))
    if (domain !== undefined) report('domain', domain)
  }
}

const assignments = [
  // `suser=ana shost=ws-7`, `user="ana"`
  /(?<![\w.-])([A-Za-z][\w.]{1,40})=(?:"([^"\n]{1,128})"|'([^'\n]{1,128})'|([^\s,;|"'&<>()[\]{}]{1,128}))/g,
  // `Group = staff, Username = ana, IP = …`
  /(?:^|, )([A-Za-z]\w{1,40}) = ([^\s,;|"&]{1,128})(?=,|$)/gm,
]

/** Log lines have keys too. */
export function reportAssignedNames(text: string, report: Report): void {
  for (const assignment of assignments) {
    for (const [, key = '', ...values] of text.matchAll(assignment)) {
      const { user, host, id } = meaningOf(key)
      // CEF doubles the backslash of `ACME\\bob`.
      const value = (values.find((one) => one !== undefined) ?? '').replace('\\\\', '\\')
      const name = user === 'account' && !id ? parseUser(value) : undefined
      if (name !== undefined) report('user', name)
      const machine = host === undefined || key === 'src' || key === 'dest' ? undefined : parseHost(value)
      if (machine !== undefined) report('host', machine)
    }
  }
}

/** `User: ana` on a separate line; not an HTTP request's `Host:`, which is rarely an internal machine. */
export function reportKeyLines(text: string, report: Report): void {
  const records = readKeyLines(text)
  const isRequest = records.length > 0 && /\bHTTP\/\d/.test(text)
  for (const record of records) {
    const members = Object.fromEntries(record.map(({ key, value }) => [key, value]))
    for (const { key, parentKey, value } of record) {
      if (isRequest && key.toLowerCase() === 'host') continue
      reportNames(value, contextOf({ key, parentKey, members, inLinks: false }), report)
    }
  }
}
