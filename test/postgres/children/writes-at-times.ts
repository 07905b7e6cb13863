import { createSecretKey } from 'node:crypto'
import type { NewGroup } from '../../../core/domain/alert-group.ts'
import type { NewAlert } from '../../../core/domain/alert.ts'
import type { NewRun } from '../../../core/domain/run.ts'
import { openPlaybookLibrary, type PlaybookLibrary } from '../../../core/investigation/playbook-library.ts'
import type { OnceRequest } from '../../../core/ports/access/request-store.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import { buildCatalogue } from '../../../core/registry/catalogue.ts'
import { playbookFilesIn } from '../../../server/playbooks-folder/folder-files.ts'
import { openPostgresStores } from '../../../server/postgres/stores.ts'
import { createSecretBox } from '../../../server/secrets/secret-box.ts'

/** A call of a store function, as `stores.runs.start`, or of the playbook library; functions in arguments are added here. */
export interface StoreCall {
  readonly store: string
  readonly method: string
  readonly args: readonly unknown[]
}

/** Calls to begin at the same moment. */
export interface CallRound {
  readonly round: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly calls: readonly StoreCall[]
}

export type CallOutcome = { readonly value: any } | { readonly code: string; readonly message: string }

const secrets = createSecretBox({
  origin: 'environment',
  key: createSecretKey(Buffer.from('0123456789abcdefghijklmnopqrstuv')),
  version: 1,
})
const { stores } = await openPostgresStores({
  address: process.argv[2] ?? '',
  secrets: () => secrets,
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  as: 'command',
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }
let library: PlaybookLibrary

/** Calls whose arguments contain functions. */
const special: Readonly<Record<string, (...args: any[]) => Promise<unknown>>> = {
  'runs.queueOrGroup': (run: NewRun & { alertUuid: string }, group: Omit<NewGroup, 'caseTitle'>) =>
    stores.runs.queueOrGroup(run, { ...group, caseTitle: (id) => `about ${id}` }),
  async 'library.open'(folder: string, isReader: boolean) {
    library = await openPlaybookLibrary({
      store: stores.playbooks,
      catalogue: buildCatalogue([]),
      log: silent,
      files: playbookFilesIn(folder),
      exclusive: { isShared: true, isMine: async () => isReader },
    })
  },
  'library.apply': async (...args: Parameters<PlaybookLibrary['apply']>) =>
    (await library.apply(...args)).length,
  'library.applySet': async (...args: Parameters<PlaybookLibrary['applySet']>) =>
    (await library.applySet(...args)).outcomes.length,
  'library.reload': async () => (await library.reload()).published,
  'library.follow': () => library.follow(),
  'requests.once': (request: OnceRequest, alert: NewAlert, isRecalled: boolean) =>
    stores.requests.once(
      request,
      async () => (await stores.alerts.create(alert)).id,
      isRecalled
        ? { keeps: (written: any) => written.id, answer: async (kept) => kept as string }
        : undefined,
    ),
}

function call({ store, method, args }: StoreCall): Promise<unknown> {
  const other = special[`${store}.${method}`]
  if (other !== undefined) return other(...args)
  const called = stores[store as keyof Stores] as unknown as Record<string, (...given: unknown[]) => any>
  return called[method]!(...args)
}

const outcomeOf = (done: PromiseSettledResult<unknown>): CallOutcome =>
  done.status === 'fulfilled'
    ? { value: done.value }
    : { code: String(done.reason.code), message: String(done.reason.stack) }

async function doRound({ round, at, calls }: CallRound): Promise<void> {
  while (Date.now() < at);
  const done = await Promise.allSettled(calls.map(call))
  process.send?.({ round, outcomes: done.map(outcomeOf) })
}

process.on('message', (given: CallRound) => void doRound(given))
process.on('disconnect', () => process.exit())
process.send?.('ready')
