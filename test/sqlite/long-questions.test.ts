import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryStores } from '../support/stores.ts'

describe('a long question in SQLite', () => {
  let stores: Stores
  let dispose: () => Promise<void>
  beforeEach(async () => ({ stores, dispose } = await openTemporaryStores({})))
  afterEach(() => dispose())

  const inputs = (end: string) => Array.from({ length: 1_000 }, (_, item) => ({ domain: `${item}.${end}` }))

  async function open(list: readonly unknown[]): Promise<string> {
    const { uuid: organizationUuid } = (await stores.organizations.list('all'))[0]!
    const { uuid } = await stores.runs.queue({
      organizationUuid,
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: null,
    })
    await stores.runs.start(uuid, { title: 'A case' })
    const question = { via: 'operator', input: { inputs: list }, answers: ['approve'], form: null }
    return (
      await stores.checkpoints.open(uuid, { path: 'i/@approval', stepId: 'i', question, timeoutAt: 9e12 })
    ).id
  }
  const questionOf = async (id: string) => (await stores.checkpoints.find('all', id))?.question

  it('is parsed once while it is read again and again, and is never taken for another one', async () => {
    await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
    const [first, second] = [await open(inputs('a.example')), await open(inputs('b.example'))]
    expect(await questionOf(first)).to.equal(await questionOf(first))
    for (const [id, end] of [
      [second, 'b.example'],
      [first, 'a.example'],
    ] as const)
      expect((await questionOf(id))?.input).to.deep.equal({ inputs: inputs(end) })
  })
})
