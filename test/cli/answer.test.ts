import { expect } from 'chai'
import { join } from 'node:path'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { startApi, type Api } from '../http/support/api.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin answer', () => {
  let api: Api

  before(async () => {
    api = await startApi()
  })
  after(() => api.close())

  /** An approval of five actions. */
  async function ask(needed = 1): Promise<string> {
    const queued = {
      organizationUuid: api.organizations['acme']!,
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: null,
    }
    const { uuid } = await api.stores.runs.queue(queued)
    await api.stores.runs.start(uuid, { title: 'A case' })
    const inputs = ['a', 'b', 'c', 'd', '\u001B[31me'].map((domain) => ({ domain }))
    const question = {
      via: 'operator',
      input: { message: 'Approve?', skill: 'tower.block', class: 'blocking', count: 5, inputs },
      answers: ['approve', 'refuse'],
      form: null,
      approval: {
        rule: { place: 1, name: 'Blocks' },
        needed,
        by: { roles: [], keys: [], accounts: [] },
        escalation: null,
        expiresMs: 60_000,
        inputHash: 'f'.repeat(64),
        connection: null,
      },
    }
    const asked = { path: 'i/@approval', stepId: 'i', question, timeoutAt: api.clock.time + 3_600_000 }
    return (await api.stores.checkpoints.open(uuid, asked)).id
  }
  const run = (...args: string[]) =>
    runTocsin(args, { env: { TOCSIN_KEY: api.adminKey, TOCSIN_URL: api.url } })

  it('approves the actions that are not refused by their numbers in the list', async () => {
    const id = await ask()
    const listed = (await run('checkpoints')).stdout
    expect(listed)
      .to.include('  2. {"domain":"b"}\n')
      .and.include('  approvals: 0 of 1, approval rule 1 (Blocks)\n')
    expect(listed).to.not.include('\u001B[31m')
    const { code, stdout } = await run('answer', id, 'approve', '--refuse', '2,4-5', '--text', 'seen')
    expect({ code, stdout }).to.deep.equal({
      code: 0,
      stdout: `ok ${id}: the answer counts, and the run continues\n`,
    })
    const { answer } = (await api.call('GET', `/api/checkpoints/${id}`)).json.checkpoint
    expect(answer).to.deep.include({ label: 'Approve 2 of 5', refused_items: [1, 3, 4], text: 'seen' })
    expect((await run('answer', id, 'refuse')).stdout).to.equal(`second ${id}: another answer came first\n`)
  })

  it('says how many approvals are missing', async () => {
    const id = await ask(2)
    expect((await run('answer', id, 'approve')).stdout).to.equal(
      `ok ${id}: the approval counts; 1 more approval missing\n`,
    )
  })

  it('accepts ids of earlier versions that begin with a dash', async () => {
    const database = new SqliteConnection(join(api.dataDir, 'tocsin.db'))
    // `-h` and `-V` are options of every command; two dashes begin a long option.
    const ids = [
      '-L-bHt3LuUg59mvTjHrfPk5rWo4a0h__',
      '-hbHt3LuUg59mvTjHrfPk5rWo4a0h__-',
      `-V${'a'.repeat(30)}`,
      `--${'b'.repeat(30)}`,
    ]
    try {
      for (const id of ids)
        database.run('UPDATE checkpoints SET public_id = ? WHERE public_id = ?', id, await ask())
    } finally {
      database.close()
    }
    const [id = '', ...others] = ids
    expect((await run('answer', '--text', id, id, 'approve')).stdout).to.match(/^ok -L-b/)
    expect((await api.call('GET', `/api/checkpoints/${id}`)).json.checkpoint.answer.text).to.equal(id)
    for (const other of others)
      expect(await run('answer', other, 'approve'), other).to.deep.include({
        code: 0,
        stdout: `ok ${other}: the answer counts, and the run continues\n`,
      })
    expect((await run('answer', '--', id, 'refuse')).stdout).to.equal(
      `second ${id}: another answer came first\n`,
    )
    expect((await run('answer', '-Labc', 'refuse')).stderr).to.include(
      'put -- in front of values that begin with -',
    )
    expect((await run('answer', '--', '-Labc', 'refuse')).stderr).to.include('/checkpoints/-Labc/')
  })

  it('explains wrong numbers and refused answers', async () => {
    const id = await ask()
    for (const numbers of ['0', '3-2', 'all', '1,,2', '-1', '99999'])
      expect((await run('answer', id, 'approve', `--refuse=${numbers}`)).code, numbers).to.equal(2)
    const { code, stderr } = await run('answer', id, 'approve', '--refuse', '6')
    expect(code).to.equal(1)
    expect(stderr).to.include('is not one of the 5 actions')
  })
})
