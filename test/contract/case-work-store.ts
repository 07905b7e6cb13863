import { expect } from 'chai'
import { theRun } from '../../core/domain/audit.ts'
import { workBounds } from '../../core/case/case-work.ts'
import { somebody } from '../support/somebody.ts'
import { expectRejection, timelineOf, type GetSubject } from './fixture.ts'

const run = theRun('run-1', 'triage')

export function caseWorkStoreContract(subject: GetSubject): void {
  describe('CaseWorkStore', () => {
    let made = 0
    const open = async (of: 'acme' | 'globex' = 'acme') => {
      const { stores, ...organizations } = subject()
      const title = `Case ${made + 1}`
      return (await stores.cases.create(organizations[of].uuid, { title }, run, `work/${made++}`)).id
    }
    const texts = async (id: string) =>
      (await timelineOf(subject().stores, id)).filter(({ kind }) => kind !== 'opened').map(({ text }) => text)

    describe('tasks', () => {
      const add = async (id: string, title = 'Call Kim') =>
        await subject().stores.caseWork.addTask(subject().acme.uuid, id, { title }, somebody())

      it('have an owner and a due time, and are listed in the order of their creation', async () => {
        const { stores, acme, globex, clock } = subject()
        const id = await open()
        const dueAt = Date.parse('2026-03-01T14:05:00Z')
        const first = await stores.caseWork.addTask(
          acme.uuid,
          id,
          { title: 'Call Kim', owner: 'bo', dueAt },
          somebody(),
        )
        const second = await add(id, 'Block it')
        expect(first).to.deep.include({
          title: 'Call Kim',
          owner: 'bo',
          dueAt,
          revision: 1,
          createdAt: clock.nowMs,
          doneAt: null,
          doneBy: null,
        })
        expect(await stores.caseWork.tasks('all', id.toUpperCase())).to.deep.equal([first, second])
        expect(await stores.caseWork.tasks([globex.uuid], id)).to.deep.equal([])
        expect(await texts(id)).to.deep.equal([
          'added the task “Call Kim”, for bo, due 2026-03-01 14:05 UTC',
          'added the task “Block it”',
        ])
        expect((await stores.cases.find('all', id))?.respondedAt).to.equal(clock.nowMs)
      })

      it('are changed, finished and reopened, once for each difference', async () => {
        const { stores, acme, clock } = subject()
        const id = await open()
        const { uuid } = await add(id)
        const change = (changes: object, revision?: number) =>
          stores.caseWork.changeTask(acme.uuid, id, uuid, changes, revision, somebody())
        expect(await change({ owner: 'kim', dueAt: null })).to.include({ owner: 'kim', revision: 2 })
        clock.nowMs += 5
        const done = await change({ done: true }, 2)
        expect(done).to.include({ doneAt: clock.nowMs, revision: 3, owner: 'kim' })
        expect(done.doneBy?.name).to.equal(somebody().name)
        expect(await change({ done: true })).to.include({ revision: 3, doneAt: clock.nowMs })
        expect(await change({ done: false })).to.include({ doneAt: null, doneBy: null, revision: 4 })
        await expectRejection(change({ title: 'x' }, 3), 'ConflictError', 'revision_changed')
        expect(await texts(id)).to.deep.equal([
          'added the task “Call Kim”',
          'changed the task “Call Kim” to “Call Kim”, for kim',
          'finished the task “Call Kim”',
          'reopened the task “Call Kim”',
        ])
      })

      it('are refused for a missing or merged case, and beyond their number', async () => {
        const { stores, acme, globex } = subject()
        const [id, other] = [await open(), await open()]
        await expectRejection(add('Acme-99'), 'NotFoundError', 'case_not_found')
        await expectRejection(
          stores.caseWork.addTask(globex.uuid, id, { title: 'x' }, somebody()),
          'NotFoundError',
          'case_not_found',
        )
        const { uuid } = await add(id)
        await expectRejection(
          stores.caseWork.changeTask(acme.uuid, other, uuid, { done: true }, undefined, somebody()),
          'NotFoundError',
          'task_not_found',
        )
        for (let n = 1; n < workBounds.tasks; n++) await add(id)
        await expectRejection(add(id), 'ConflictError', 'too_many_tasks')
        await stores.caseMoves.merge(
          acme.uuid,
          { id: other, revision: undefined },
          [{ id, revision: undefined }],
          somebody(),
        )
        await expectRejection(add(id), 'ConflictError', 'case_merged')
        expect(await stores.caseWork.tasks('all', other)).to.have.length(workBounds.tasks)
      })
    })

    describe('links', () => {
      const link = (id: string, other: string, kind: 'related' | 'duplicate_of' = 'related') =>
        subject().stores.caseWork.link(subject().acme.uuid, id, other, kind, somebody())
      const linksOf = async (id: string) =>
        (await subject().stores.caseWork.links('all', id)).map(({ case_id, kind }) => [case_id, kind])

      it('are shown in both cases, each with its direction, and audited', async () => {
        const { stores, globex } = subject()
        const [a, b] = [await open(), await open()]
        expect(await link(a, b.toLowerCase(), 'duplicate_of')).to.deep.include({
          case_id: b,
          kind: 'duplicate_of',
        })
        expect(await linksOf(a)).to.deep.equal([[b, 'duplicate_of']])
        expect(await linksOf(b)).to.deep.equal([[a, 'duplicated_by']])
        expect(await stores.caseWork.links([globex.uuid], a)).to.deep.equal([])
        expect((await texts(a)).at(-1)).to.match(/^marked as a duplicate of Acme-/)
        expect((await texts(b)).at(-1)).to.match(/was marked as a duplicate of this case$/)
        const { data } = await stores.audit.list('all', { action: 'case.linked' }, { limit: 5 })
        expect(data.map(({ subject: of, details }) => [of.id, details])).to.deep.equal([
          [a, { with: b, kind: 'duplicate_of' }],
        ])
      })

      it('are made once, and replaced by one of another kind', async () => {
        const [a, b] = [await open(), await open()]
        await link(a, b)
        await link(a, b)
        await link(b, a)
        expect(await linksOf(b)).to.deep.equal([[a, 'related']])
        expect(await texts(a)).to.have.length(1)
        await link(b, a, 'duplicate_of')
        expect(await linksOf(a)).to.deep.equal([[b, 'duplicated_by']])
      })

      it('are removed from either case', async () => {
        const { stores, acme } = subject()
        const [a, b] = [await open(), await open()]
        await link(a, b)
        await stores.caseWork.unlink(acme.uuid, b, a, somebody())
        expect([await linksOf(a), await linksOf(b)]).to.deep.equal([[], []])
        await expectRejection(
          stores.caseWork.unlink(acme.uuid, a, b, somebody()),
          'NotFoundError',
          'link_not_found',
        )
      })

      it('are refused to the case itself, to other organizations, and beyond their number', async () => {
        const [a, foreign] = [await open(), await open('globex')]
        await expectRejection(link(a, a.toUpperCase()), 'ValidationError', 'same_case')
        await expectRejection(link(a, foreign), 'NotFoundError', 'case_not_found')
        await expectRejection(link(a, 'x'), 'NotFoundError', 'case_not_found')
        for (let n = 0; n < workBounds.links; n++) await link(await open(), a)
        await expectRejection(link(a, await open()), 'ConflictError', 'too_many_links')
      })

      it('move with a merge, without a link to itself and without repeats', async () => {
        const { stores, acme } = subject()
        const [a, b, c, d] = [await open(), await open(), await open(), await open()]
        await link(a, b)
        await link(a, c)
        await link(c, b)
        await link(d, b, 'duplicate_of')
        const sources = [{ id: b, revision: undefined }]
        await stores.caseMoves.merge(acme.uuid, { id: a, revision: undefined }, sources, somebody())
        expect(await linksOf(a)).to.have.deep.members([
          [c, 'related'],
          [d, 'duplicated_by'],
        ])
        expect(await linksOf(b)).to.deep.equal([])
        expect(await linksOf(c)).to.deep.equal([[a, 'related']])
      })
    })
  })
}
