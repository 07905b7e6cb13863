/**
 * A process that completes the unfinished runs of a data directory and then exits: `child.ts <data directory>
 * <sandbox> <fault>`. With the fault `no_intent` no intent is recorded before a call: a planted bug that the
 * audit must find. TOCSIN_TEST_WORKERS is the number of threads that call skills.
 */
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { SkillCall } from '../../core/engine/skills/skill-caller.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import type { JournalBegin, JournalStore } from '../../core/ports/runs/journal-store.ts'
import type { Log } from '../../core/ports/log.ts'
import type { CaseAccess } from '../../core/plugin/index.ts'
import { systemClock } from '../../server/clock.ts'
import { createSkillPool, type SkillPool } from '../../server/workers/skill-pool.ts'
import { storedConnection } from '../skill/fixture.ts'
import { openStoresIn } from '../support/stores.ts'
import { playbook, policies } from './playbook.ts'
import { unfinishedRuns } from '../support/unfinished-runs.ts'

const [dataDir = '', sandboxUrl = '', fault = 'none'] = process.argv.slice(2)

const stores = await openStoresIn(dataDir)
const unfinished = new Set((await unfinishedRuns(stores)).map((run) => run.uuid))
const quiet = () => {}
const complain = (fields: object, message: string) =>
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: complain }

const runner = createRunner({
  stores: { ...stores, journal: fault === 'no_intent' ? withoutIntent(stores.journal) : stores.journal },
  clock: systemClock,
  log,
  loadPlaybook: async () => playbook,
  skills: { call: callSkill, interrupted: (skill) => policies[skill]! },
  onRunEnded: (run) => {
    unfinished.delete(run.uuid)
    if (unfinished.size === 0) void runner.drain(1_000).then(close)
  },
})
const threads = Number(process.env['TOCSIN_TEST_WORKERS'] ?? 0)
const pool = threads === 0 ? undefined : makePool()
await pool?.start()
process.stdout.write('ready\n')
if (unfinished.size === 0) await close()
else await runner.recover()

async function close(): Promise<void> {
  await pool?.close()
  await stores.close()
}

function makePool(): SkillPool {
  return createSkillPool({
    threads,
    data: {
      plugins: {
        pluginsDir: '/nowhere',
        packages: [fileURLToPath(new URL('effects-plugin.ts', import.meta.url))],
      },
      allowPrivate: { everyone: ['127.0.0.1'], organizations: new Map() },
    },
    memoryMb: 256,
    changes: () => true,
    codeOf: async () => undefined,
    onSecret: quiet,
    onRequest: quiet,
    onLost: (reason) => complain({ reason }, 'a thread ended'),
  })
}

async function callSkill(call: SkillCall): Promise<unknown> {
  return pool === undefined ? await callHere(call) : await callInThread(call, pool)
}

async function callInThread({ purpose, skill, run, attempt }: SkillCall, pool: SkillPool): Promise<unknown> {
  const { idempotencyKey, deadlineMs, signal, onEffect } = attempt
  const base_url = sandboxUrl
  const connection = storedConnection('sandbox', {
    uuid: '00000000',
    plugin: 'effects',
    settings: { base_url },
  })
  const task = {
    purpose,
    skill: `effects.${skill}`,
    input: {},
    asked: undefined,
    connection: { connection, secrets: {} },
    run: { id: run.uuid, organization: run.organizationUuid },
    idempotencyKey,
    deadlineMs,
  }
  return await pool.performTask(task, {
    signal,
    onEffect,
    onSecret: undefined,
    // The skills have no connection.
    cases: {} as CaseAccess,
    log: { info: quiet, warn: quiet },
  })
}

async function callHere({ purpose, skill, attempt }: SkillCall): Promise<unknown> {
  const method = purpose === 'verify' ? 'GET' : 'POST'
  const answer = await send(method, `/${skill}`, attempt.idempotencyKey)
  return purpose === 'verify' && answer.times === 0 ? undefined : { done: true }
}

function send(method: string, path: string, key: string): Promise<{ times: number }> {
  return new Promise((resolve, reject) => {
    const headers = { 'idempotency-key': key, connection: 'close' }
    const call = request(`${sandboxUrl}${path}`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(JSON.parse(text) as { times: number }))
    })
    call.on('error', reject)
    call.end()
  })
}

function withoutIntent(journal: JournalStore): JournalStore {
  const begun = new Map<string, JournalBegin>()
  return {
    begin: async (run, entry) => void begun.set(`${run}/${entry.path}`, entry),
    reserve: (run, uses) => journal.reserve(run, uses),
    release: (run, paths) => journal.release(run, paths),
    admit: (run, path, start, waits) => journal.admit(run, path, start, waits),
    withdraw: (run, path) => journal.withdraw(run, path),
    end: (run, path, end) => journal.record(run, begun.get(`${run}/${path}`)!, end),
    record: (run, entry, end) => journal.record(run, entry, end),
    recordState: (run, entry, request) => journal.recordState(run, entry, request),
    attemptFailed: (run, attempt) => journal.attemptFailed(run, attempt),
    entries: (run) => journal.entries(run),
    excerpt: (run, limits) => journal.excerpt(run, limits),
    failedAttempts: (run) => journal.failedAttempts(run),
    entry: (run, path) => journal.entry(run, path),
    park: (...given) => journal.park(...given),
    resolve: (run, path, resolution) => journal.resolve(run, path, resolution),
  }
}
