/**
 * A process that undoes the expired containments of a data directory and then exits: `child.ts <data directory> <vendor>`. Exits with
 * 1 if some are left after a while.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContainmentExpiry } from '../../../core/destructive/containment-expiry.ts'
import { skillsOf, type SkillCall } from '../../../core/engine/skills/skill-caller.ts'
import { createRunControl } from '../../../core/engine/turns/run-control.ts'
import { createRunner } from '../../../core/engine/turns/runner.ts'
import { playbookFilesIn } from '../../../server/playbooks-folder/folder-files.ts'
import { openPlaybookLibrary } from '../../../core/investigation/playbook-library.ts'
import type { Log } from '../../../core/ports/log.ts'
import { systemClock as clock } from '../../../server/clock.ts'
import { openStoresIn } from '../../support/stores.ts'
import { undoCatalogue as catalogue } from './plugin.ts'

const [dataDir = '', vendorUrl = ''] = process.argv.slice(2)

const quiet = () => {}
const complain = (fields: object, message: string) =>
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
const log: Log = { debug: quiet, info: quiet, warn: quiet, error: complain }

const stores = await openStoresIn(dataDir)
const library = await openPlaybookLibrary({
  store: stores.playbooks,
  catalogue,
  log,
  files: playbookFilesIn('/nowhere'),
  known: async () => ({ connections: [], providers: [] }),
})
const runner = createRunner({
  stores,
  clock,
  log,
  loadPlaybook: (hash) => library.byHash(hash),
  skills: skillsOf(catalogue, callVendor),
})
const control = createRunControl({ stores, runner, clock, schemas: () => undefined })
const expiry = createContainmentExpiry({ stores, catalogue, playbooks: library, control, clock, log })
process.stdout.write('ready\n')
await runner.recover()
expiry.start()

const patience = Date.now() + 45_000
while (!(await isDone()) && Date.now() < patience) await sleep(10)
if (!(await isDone())) {
  process.exitCode = 1
  complain(
    { work: await stores.runs.unfinishedWork(), due: await stores.containments.due(clock.now(), 5) },
    'left',
  )
}
await expiry.stop()
await runner.drain(1_000)
await stores.close()

/**
 * Runs whose undo has an unknown outcome wait for a person. A containment that is due becomes a run, so runs are counted afterwards: in another
 * order, one that changes meanwhile could be missed.
 */
async function isDone(): Promise<boolean> {
  if ((await stores.containments.due(clock.now(), 1)).length > 0) return false
  const { queued, running } = await stores.runs.unfinishedWork()
  return queued + running === 0
}

async function callVendor({ purpose, skill, input, attempt }: SkillCall): Promise<unknown> {
  const { target } = input as { readonly target: string }
  const path = `/${skill.replace('vendor.undo_', '')}/${target}`
  const { undone } = await send(purpose === 'verify' ? 'GET' : 'POST', path, attempt.idempotencyKey)
  return undone ? { target } : undefined
}

function send(method: string, path: string, key: string): Promise<{ readonly undone: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { 'idempotency-key': key, connection: 'close' }
    const call = request(`${vendorUrl}${path}`, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.on('end', () => resolve(JSON.parse(text) as { undone: boolean }))
    })
    call.on('error', reject)
    call.end()
  })
}
