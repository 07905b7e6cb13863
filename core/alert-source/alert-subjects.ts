import type { ObservableKind } from '../plugin/index.ts'
import { noFacts, type AlertFacts, type NewAlert } from '../domain/alert.ts'
import type { AlertFields } from './alert-fields.ts'
import type { AlertSource } from './alert-source.ts'
import { describeFields, readFacts, recognize, shownLine, type Recognized } from './describe-alert.ts'
import { unknownSource } from './sources/index.ts'

/** What an alert is about, for people: who or which machine, and where from. At most this many. */
const maxSubjects = 2
/** Characters; longer values are no names. */
const maxLength = 80

/** Kinds of observables by what they tell; the first one found of each counts. */
const kinds: readonly (readonly ObservableKind[])[] = [
  ['user', 'email', 'host'],
  ['ip', 'domain', 'url', 'hash', 'vulnerability'],
]

/** Common names of fields, for alerts of no known product: a title may guess, an observable may not. */
const names: readonly (readonly string[])[] = [
  [
    'user.email',
    'user.name',
    'user',
    'username',
    'user_name',
    'userName',
    'email',
    'account',
    'host.name',
    'hostname',
    'host',
    'machine.name',
    'machine',
    'device.name',
    'device.hostname',
    'device_name',
    'device',
    'computer_name',
    'computer',
    'computerDnsName',
  ],
  ['source.ip', 'src_ip', 'source_ip', 'client_ip', 'ip', 'domain', 'url'],
]

/** Files, which name an alert with none of the above. */
const files = [
  'file.name',
  'file_name',
  'filename',
  'file.path',
  'file',
  'file.hash.sha256',
  'file.sha256',
  'sha256',
  'sha1',
  'md5',
  'hash',
  'file_hash',
]

/** What the content of an alert says, read once. */
export interface IdentifiedAlert {
  /** Null: the product is unknown. */
  readonly source: AlertSource | null
  readonly facts: AlertFacts
  /** See `subjectsOf`. */
  readonly subjects: () => readonly string[]
}

/** The stored details of an alert, its product and its subjects: like `describeAlert`, without observables. */
export function identifyAlert({ content }: Pick<NewAlert, 'content'>): IdentifiedAlert {
  const found = recognize(content)
  if (found === undefined) return { source: null, facts: noFacts, subjects: () => [] }
  const { source, fields } = found
  return { source, facts: readFacts(source ?? unknownSource, fields), subjects: () => subjectsIn(found) }
}

/** The subjects of an alert in one line each, without repeats; empty if there are none. Never throws, whatever the content is. */
export function subjectsOf({ content }: Pick<NewAlert, 'content'>): readonly string[] {
  const found = recognize(content)
  return found === undefined ? [] : subjectsIn(found)
}

function subjectsIn(found: Recognized): readonly string[] {
  const { observables } = describeFields(found)
  const known = kinds.map((group) => observables.find(({ kind }) => group.includes(kind))?.value)
  const isKnown = known.some((value) => value !== undefined)
  const texts = isKnown ? known : names.map((group) => firstText(group, found.fields))
  const isShort = (text: string | undefined) => text !== undefined && text.length <= maxLength
  const about = texts.some(isShort) ? texts : [firstText(files, found.fields)]
  const shown = about.filter(isShort) as readonly string[]
  return [...new Set(shown)].slice(0, maxSubjects)
}

function firstText(paths: readonly string[], fields: AlertFields): string | undefined {
  for (const path of paths) {
    const text = shownLine(fields.first(path))
    if (text !== undefined) return text
  }
  return undefined
}
