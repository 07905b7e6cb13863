import {
  createBacktests,
  type Backtest,
  type BacktestRequest,
  type Backtests,
} from '../../core/backtest/backtests.ts'
import type { RecordedAlert } from '../../core/backtest/recording.ts'
import { notInvestigated, type Alert } from '../../core/domain/alert.ts'
import type { Connection } from '../../core/domain/connection.ts'
import type { Run } from '../../core/domain/run.ts'
import { theServer } from '../../core/domain/audit.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import type {
  AlertFixture,
  PlaybookTest,
  PlaybookTests,
} from '../../core/playbook-test/read/playbook-test.ts'
import { createWorld, startProcess } from '../../core/playbook-test/run/run-test.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'

export const organization = { uuid: '00000000-0000-4000-8000-00000000000a', code: 'acme', name: 'Acme' }
const startMs = Date.UTC(2026, 3, 1)

/** A usable connection of each plugin, with its name. */
export const connectionsOf = ({ plugins }: Pick<Catalogue, 'plugins'>) => ({
  list: async () =>
    plugins.map(({ name }) => ({ name, plugin: name, enabled: true, broken: null }) as Connection),
})

/** A run of a playbook test as a server records it. */
export async function recordingOf(
  { playbook, called }: Pick<PlaybookTests, 'playbook' | 'called'>,
  { fixtures, mocks }: Pick<PlaybookTest, 'fixtures' | 'mocks'>,
  n: number,
  catalogue: Catalogue,
): Promise<RecordedAlert> {
  const uuid = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const alertId = `acme-custom-${n}`
  const caseId = `acme-${n}`
  const alert = { ...fixtures.alert!, id: alertId, uuid }
  const given = {
    ...fixtures,
    alert,
    caseId,
    nowMs: startMs + n * 60_000,
    organization: { code: organization.code, name: organization.name },
    run: { id: uuid, url: `http://tocsin/runs/${uuid}` },
  }
  const world = createWorld({ playbook, called, fixtures: given, mocks }, catalogue)
  const outcome = await startProcess(world, world.journal.store)
  const entries = world.journal.entries()
  const failed = entries.map(({ path }) => [path, world.journal.failedAttempts(path)] as const)
  const run: Run = {
    uuid,
    organizationUuid: organization.uuid,
    playbookName: playbook.name,
    playbookHash: playbook.hash,
    alertId,
    caseId,
    status: outcome.status,
    inputs: given.inputs,
    exclusive: false,
    cancellation: null,
    createdAt: given.nowMs,
    startedAt: given.nowMs,
    endedAt: world.clock.now(),
    output: outcome.output,
    error: outcome.error,
    retryOf: null,
    retriedBy: null,
    prunedAt: null,
  }
  return { run, alert: alertOf(alert), entries, failedAttempts: new Map(failed) }
}

const alertOf = ({ createdAtSource, ...alert }: AlertFixture): Alert => ({
  ...notInvestigated,
  ...alert,
  title: null,
  severity: null,
  occurredAt: null,
  sourceId: null,
  status: 15,
  createdAtSource: createdAtSource === null ? null : BigInt(createdAtSource),
  organizationUuid: organization.uuid,
  organizationCode: organization.code,
  createdBy: 'test',
  modifiedAt: alert.createdAt,
})

export interface Bench {
  readonly backtests: Backtests
  /** Starts a backtest of an edited source, and resolves when it has ended. */
  test(edited: string | Playbook, options?: Partial<BacktestRequest>): Promise<Backtest>
  readonly live: { calls: number }
}

export interface BenchOptions {
  readonly base: Pick<PlaybookTests, 'playbook' | 'called'>
  readonly catalogue: Catalogue
  readonly recordings: readonly RecordedAlert[]
  /** Versions of recorded runs besides the base. */
  readonly versions?: readonly Playbook[]
  readonly live?: SkillCaller
}

export function openBacktests({
  base,
  catalogue,
  recordings,
  versions = [],
  ...options
}: BenchOptions): Bench {
  const live = { calls: 0 }
  const byUuid = new Map(recordings.map((recording) => [recording.run.uuid, recording]))
  const newestFirst = recordings.map(({ run }) => run).toReversed()
  const known = [base.playbook, ...base.called.values(), ...versions]
  const stores = {
    runs: {
      list: async () => ({ data: newestFirst, nextCursor: null, total: newestFirst.length }),
      find: async (_scope: unknown, uuid: string) => byUuid.get(uuid)?.run,
    },
    alerts: {
      find: async (_scope: unknown, id: string) => recordings.find(({ alert }) => alert.id === id)?.alert,
    },
    journalReader: {
      readChunk: async (uuid: string) => {
        const { entries, failedAttempts } = byUuid.get(uuid)!
        const lines = entries.map((entry, row) => ({
          row,
          entry,
          failedAttempts: failedAttempts.get(entry.path) ?? [],
        }))
        return { lines, next: undefined }
      },
    },
    connections: connectionsOf(catalogue),
  }
  let ids = 0
  const backtests = createBacktests({
    stores: stores as never,
    catalogue,
    byHash: async (hash) =>
      known.find((playbook) => playbook.hash === hash) ?? Promise.reject(new Error('no such version')),
    callerOfSkills: () => async (call) => {
      live.calls++
      return await (options.live ?? (() => Promise.reject(new Error('a skill was called in earnest'))))(call)
    },
    runUrl: (uuid) => `http://tocsin/runs/${uuid}`,
    clock: { now: () => startMs, sleep: async () => {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    closing: new AbortController().signal,
    newId: () => `backtest-${++ids}`,
  })
  return {
    backtests,
    live,
    async test(edited, request = {}) {
      const playbook = typeof edited === 'string' ? checked(edited, catalogue) : edited
      const { id } = await backtests.start({
        organization,
        base,
        candidate: { playbook, called: base.called },
        since: 0,
        limit: 1_000,
        policy: 'fail',
        by: theServer,
        ...request,
      })
      await backtests.idle()
      return backtests.find('all', id)
    },
  }
}

function checked(source: string, catalogue: Catalogue): Playbook {
  const { playbook, problems } = parsePlaybook(source, { catalogue })
  if (playbook === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return playbook
}
