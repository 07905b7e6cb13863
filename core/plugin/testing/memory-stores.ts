import { createHash } from 'node:crypto'
import { authorOf, theServer, type Actor } from '../../domain/audit.ts'
import { NotFoundError } from '../../errors/errors.ts'
import { apiChanges, newCaseFields, withClosing } from '../../transitions/case.ts'
import { acceptedFile, defaultFileLimits } from '../../transitions/case-files.ts'
import type { Case, CaseEdit, CaseEntry } from '../../domain/case.ts'
import type { Connection } from '../../domain/connection.ts'
import type { ConnectionDefinition, NewCase, Secret } from '../index.ts'
import type { CaseFileStore, OpenFile } from '../../ports/case-file-store.ts'
import type { CaseStore } from '../../ports/case-store.ts'
import type { ConnectionStore } from '../../ports/connection-store.ts'
import { checkSettings } from '../../skill/connection/settings.ts'

const organizationUuid = 'test-organization'

/** The cases of a test, for assertions. */
export interface TestCases extends CaseStore {
  readonly all: readonly Case[]
  readonly entries: readonly (CaseEntry & { readonly caseId: string })[]
}

/**
 * Cases in memory: `DEMO-1`, `DEMO-2`, …; `DEMO-1` exists from the start and is the run's case.
 *
 * @param prefix instead of `DEMO`: the code of an organization
 * @param title of the run's case
 * @param id of the run's case; others follow
 */
export function testCases(prefix = 'DEMO', title = 'The case of the run', id = `${prefix}-1`): TestCases {
  const firstNumber = Number(/-(\d{1,9})$/.exec(id)?.[1] ?? 1)
  const byId = new Map<string, Case>()
  const entries: (CaseEntry & { readonly caseId: string })[] = []
  const done = new Map<string, Case>()
  const once = (key: string, work: () => Case): Case => {
    const result = done.get(key) ?? work()
    done.set(key, result)
    return result
  }
  const existing = (id: string): Case => {
    const found = byId.get(id)
    if (found === undefined) throw new NotFoundError('case_not_found', `there is no case '${id}'`)
    return found
  }
  const write = (
    found: Case,
    changes: CaseEdit,
    entry: Omit<CaseEntry, 'at' | 'action' | 'mentions'>,
  ): Case => {
    const given = Object.entries(withClosing(found, changes)).filter(([, value]) => value !== undefined)
    const next: Case = { ...found, ...Object.fromEntries(given) }
    byId.set(next.id, next)
    entries.push({ ...entry, action: null, mentions: [], at: 0, caseId: next.id })
    return next
  }
  const open = (changes: NewCase, by: Actor): Case =>
    write(newCase(byId.size === 0 ? id : `${prefix}-${firstNumber + byId.size}`), changes, {
      ...author(by),
      kind: 'opened',
      text: changes.title,
      changes: null,
    })
  open({ title }, theServer)
  return {
    files: testFiles(existing),
    get all() {
      return [...byId.values()]
    },
    entries,
    find: async (_scope, id) => byId.get(id),
    findByKey: async (_organization, key) => byId.get(done.get(key)?.id ?? ''),
    list: async () => ({ data: [...byId.values()], nextCursor: null, total: byId.size }),
    timeline: async (_scope, id) => {
      const data = entries.filter((entry) => entry.caseId === id).toReversed()
      return { data, nextCursor: null, total: data.length }
    },
    actions: async () => ({ data: [], total: 0 }),
    changedBy: async (requestId, ids) => new Set(ids.filter((of) => isChangedBy(requestId, of, entries))),
    create: async (_organization, changes, by, key) => once(key, () => open(changes, by)),
    update: async (_organization, id, changes, by, key) =>
      once(key, () =>
        write(existing(id), changes, {
          ...author(by),
          kind: 'changed',
          text: 'changed',
          changes: apiChanges(changes),
        }),
      ),
    edit: async (_organization, id, edit, by) =>
      write(existing(id), edit, {
        ...author(by),
        kind: 'changed',
        text: 'changed',
        changes: apiChanges(edit),
      }),
    comment: async (_organization, id, text, by, key) => {
      const entry = { ...author(by), kind: 'note', text, changes: null } as const
      once(key, () => write(existing(id), {}, entry))
      return { ...entry, action: null, mentions: [], at: 0 }
    },
  }
}

/** Files in memory. */
function testFiles(existing: (id: string) => Case): CaseFileStore {
  const files: (OpenFile & { readonly caseId: string })[] = []
  const inCase = (id: string) => files.filter(({ caseId }) => caseId === id)
  return {
    async attach(_organization, id, given, by) {
      const { bytes } = given
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const earlier = inCase(existing(id).id).find((file) => file.sha256 === sha256)
      if (earlier !== undefined) return earlier
      const origin = { addedAt: 0, addedBy: authorOf(by) }
      const kept = { detectedType: null, deletedAt: null, deletedBy: null, deletedReason: null }
      const content = async function* () {
        yield bytes
      }
      const file = {
        caseId: id,
        ...acceptedFile(given),
        sha256,
        size: bytes.length,
        ...origin,
        ...kept,
        content,
      }
      files.push(file)
      return file
    },
    limits: defaultFileLimits,
    upload: () => Promise.reject(new Error('people upload files, skills attach them')),
    withdraw: () => Promise.reject(new Error('people withdraw files')),
    list: async (_scope, id) => inCase(id),
    open: async (_scope, id, sha256) => inCase(id).find((file) => file.sha256 === sha256),
  }
}

const isChangedBy = (
  requestId: string,
  id: string,
  entries: readonly (CaseEntry & { readonly caseId: string })[],
): boolean =>
  entries.some((entry) => entry.caseId === id && entry.kind === 'changed' && entry.request_id === requestId)

const author = ({ requestId: request_id, ...actor }: Actor) => ({ actor, request_id })

function newCase(id: string): Case {
  return {
    id,
    organizationUuid,
    ...newCaseFields({ title: '' }),
    assigneeState: null,
    revision: 1,
    mergedInto: null,
    splitFrom: null,
    alertsDeleted: 0,
    runsDeleted: 0,
    createdAt: 0,
    modifiedAt: 0,
    closedAt: null,
    respondedAt: null,
    respondDueAt: null,
    resolveDueAt: null,
  }
}

export interface TestConnection {
  readonly connection: Connection
  readonly secrets: Readonly<Record<string, Secret>>
}

/** A connection with `settings` as entered by an operator; validates them as the runtime does. */
export function testConnection(
  definition: ConnectionDefinition,
  plugin: string,
  typed: unknown,
): TestConnection {
  const { settings, secrets } = checkSettings(definition, typed)
  const connection: Connection = {
    uuid: 'test-connection',
    organizationUuid,
    name: 'test',
    plugin,
    settings,
    secretReferences: {},
    enabled: true,
    revision: 1,
    secretsAt: null,
    broken: null,
    lastFailure: null,
    warning: null,
    signIn: null,
    createdAt: 0,
    modifiedAt: 0,
  }
  return { connection, secrets }
}

/** The only connection of a test, or none. */
export function testConnections(
  open: TestConnection | undefined,
): Pick<ConnectionStore, 'create' | 'list' | 'open'> {
  return {
    create: async () => {
      throw new Error('a test makes its connection from settings')
    },
    list: async () => (open === undefined ? [] : [open.connection]),
    open: async (_organization, name) => (open?.connection.name === name ? open : undefined),
  }
}
