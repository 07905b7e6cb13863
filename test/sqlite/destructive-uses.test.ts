import { serverLimits } from '../../core/destructive/policy.ts'
import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const hour = 3_600_000

describe('uses of destructive skills in SQLite', () => {
  let folder: TemporaryFolder
  let stores: Stores
  let organizationUuid: string
  const clock = {
    setTo: 0,
    passed: 0,
    now() {
      return Math.floor(this.setTo + this.passed)
    },
    monotonic() {
      return this.passed
    },
  }

  const open = async () => {
    stores = await openStoresIn(folder.path, { clock })
  }
  beforeEach(async () => {
    Object.assign(clock, { setTo: 1_800_000_000_000, passed: 0 })
    folder = await makeTemporaryFolder()
    await makeDataDir(folder.path)
    await open()
    organizationUuid = (await stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())).uuid
  })
  afterEach(async () => {
    await stores.close()
    await folder.remove()
  })

  async function startRun(): Promise<string> {
    const given = { organizationUuid, playbookName: 'p', playbookHash: 'h', alertUuid: null }
    const { uuid } = await stores.runs.queue(given)
    await stores.runs.start(uuid, { title: 'x' })
    return uuid
  }
  const use = (run: string, attempt = 1) =>
    stores.journal.begin(run, {
      path: 'isolate',
      stepId: 'isolate',
      kind: 'edr.isolate',
      input: {},
      attempt,
      startedAt: clock.now(),
      destructive: {
        class: 'containment',
        input: {},
        checks: attempt === 1 ? { limits: serverLimits({ containment: 1 }) } : undefined,
      },
    })

  const held = { class: 'containment', uses: 1, wanted: 1, limit: 1, isExceeded: true, rule: null }

  it('survive a restart and expire after an hour, even if the clock is set back meanwhile', async () => {
    expect(await use(await startRun())).to.equal(undefined)
    await stores.close()
    clock.setTo -= 100 * hour
    await open()
    expect(await use(await startRun()), 'after the restart').to.deep.equal(held)
    clock.passed += hour
    expect(await use(await startRun()), 'an hour later').to.equal(undefined)
  })

  it('are counted with a sub-millisecond clock', async () => {
    clock.passed = 0.3
    expect(await use(await startRun())).to.equal(undefined)
    clock.passed += hour - 0.5
    expect(await use(await startRun()), 'just before the hour').to.deep.equal(held)
    clock.passed += 1
    expect(await use(await startRun()), 'just after it').to.equal(undefined)
  })

  it('count from the first attempt of a step', async () => {
    const run = await startRun()
    await use(run)
    clock.passed += hour / 2
    await use(run, 2)
    clock.passed += hour / 2
    expect(await use(await startRun())).to.equal(undefined)
  })

  it('leave no step in the journal while held back', async () => {
    await use(await startRun())
    const run = await startRun()
    await use(run)
    expect(await stores.journal.entries(run)).to.deep.equal([])
    const { data } = await stores.audit.list('all', { action: 'skill.held' }, { limit: 5 })
    expect(
      data.map(({ subject, details }) => [subject.id, details['skill'], details['limit']]),
    ).to.deep.equal([[run, 'edr.isolate', 1]])
  })

  it('are shown to readers of the organization', async () => {
    await use(await startRun())
    const uses = [{ organizationUuid, class: 'containment', uses: 1, held: 0 }]
    expect(await stores.destructiveUses.list([organizationUuid])).to.deep.equal(uses)
    expect(await stores.destructiveUses.list([])).to.deep.equal([])
    clock.passed += hour
    expect(await stores.destructiveUses.list('all')).to.deep.equal([])
  })
})
