import { expect } from 'chai'
import { queuedRun, unknownUuid, type GetSubject } from './fixture.ts'

export function journalReaderContract(subject: GetSubject): void {
  describe('JournalReader', () => {
    let run: string
    let other: string
    beforeEach(async () => {
      run = (await queuedRun(subject(), null)).uuid
      other = (await queuedRun(subject(), null)).uuid
      for (let n = 0; n < 10; n++) {
        await record(run, n, 'x'.repeat(100))
        await record(other, n, 'other')
      }
    })

    const begun = (n: number) => ({
      path: `s${n}`,
      stepId: null,
      kind: n % 2 === 0 ? 'even' : 'odd',
      input: null,
      attempt: 1,
      startedAt: n,
    })
    const record = (of: string, n: number, output: unknown) =>
      subject().stores.journal.record(of, begun(n), {
        state: 'completed',
        output,
        error: null,
        attempt: 1,
        endedAt: n,
      })
    const everything = { after: undefined, lines: 1_000, bytes: 1_000_000 }
    const chunk = (request: Partial<Parameters<typeof read>[1]> = {}, of = run) =>
      read(of, { ...everything, ...request })
    const read = (...args: Parameters<ReturnType<GetSubject>['stores']['journalReader']['readChunk']>) =>
      subject().stores.journalReader.readChunk(...args)
    const paths = (lines: readonly { readonly entry: { readonly path: string } }[]) =>
      lines.map(({ entry }) => entry.path).join(' ')

    it('reads a journal in chunks, in order, each entry once', async () => {
      const pieces: string[] = []
      let after: number | undefined
      do {
        const { lines, next } = await chunk({ after, lines: 4 })
        pieces.push(paths(lines))
        after = next
      } while (after !== undefined)
      expect(pieces).to.deep.equal(['s0 s1 s2 s3', 's4 s5 s6 s7', 's8 s9'])
      expect((await chunk()).lines.map(({ entry }) => entry)).to.deep.equal(
        await subject().stores.journal.entries(run),
      )
      expect(await chunk({}, unknownUuid)).to.deep.equal({ lines: [], next: undefined })
    })

    it('limits a chunk by bytes, except for a single larger entry', async () => {
      await record(run, 10, 'x'.repeat(1_000))
      await record(run, 11, null)
      const first = await chunk({ bytes: 350 })
      expect(paths(first.lines)).to.equal('s0 s1 s2')
      const large = await chunk({ bytes: 350, after: (await chunk({ lines: 10 })).next })
      expect(paths(large.lines)).to.equal('s10')
      expect(paths((await chunk({ bytes: 350, after: large.next })).lines)).to.equal('s11')
    })

    it('skips entries of other kinds and oversized entries', async () => {
      await record(run, 12, 'x'.repeat(1_000))
      const some = { kinds: ['even', 'none'], lines: 4 }
      const first = await chunk(some)
      expect(paths(first.lines)).to.equal('s0 s2')
      const whole = { ...some, lines: 1_000 }
      expect(paths((await chunk(whole)).lines)).to.equal('s0 s2 s4 s6 s8 s12')
      expect(paths((await chunk({ ...whole, bytes: 250, maxBytes: 500 })).lines)).to.equal('s0 s2')
      expect(paths((await chunk({ ...whole, maxBytes: 500 })).lines)).to.equal('s0 s2 s4 s6 s8')
      expect(await chunk({ kinds: [] })).to.deep.equal({ lines: [], next: undefined })
    })

    it('returns pages in both orders, which end early if large', async () => {
      const page = (request: object) =>
        subject().stores.journalReader.page(run, {
          limit: 4,
          bytes: 1_000_000,
          oldestFirst: true,
          ...request,
        })
      const first = await page({})
      expect(paths(first.data)).to.equal('s0 s1 s2 s3')
      expect(first.total).to.equal(10)
      expect(paths((await page({ cursor: first.nextCursor })).data)).to.equal('s4 s5 s6 s7')
      expect(paths((await page({ oldestFirst: false })).data)).to.equal('s9 s8 s7 s6')
      const short = await page({ bytes: 250 })
      expect(paths(short.data)).to.equal('s0 s1')
      expect(paths((await page({ cursor: short.nextCursor, bytes: 1 })).data)).to.equal('s2')
      const none = await subject().stores.journalReader.page(unknownUuid, { limit: 4, bytes: 1 })
      expect(none).to.deep.equal({ data: [], nextCursor: null, total: 0 })
    })

    it('returns the states of unfinished entries, and the rows of given paths', async () => {
      const { journal, journalReader } = subject().stores
      await journal.begin(run, begun(10))
      const error = { code: 'x', message: 'x' }
      await journal.attemptFailed(run, {
        path: 's10',
        attempt: 1,
        error,
        startedAt: 1,
        endedAt: 2,
        retryAt: 3,
      })
      const rows = await journalReader.rowsAt(run, [0, 10, 11])
      expect([...rows.keys()]).to.have.members([0, 10])
      const row = rows.get(10)!
      const move = { row, state: 'started', attempt: 1, resolvedAt: undefined, failedAttempts: 1 }
      expect(await journalReader.states([row, row + 1_000])).to.deep.equal([move])
      const line = await journalReader.line(row)
      expect(line?.entry).to.deep.include({ path: 's10', state: 'started' })
      expect(line?.failedAttempts).to.deep.equal(await journal.failedAttempts(run))
      expect(await journalReader.line(row + 1_000)).to.equal(undefined)
      expect((await journalReader.rowsAt(unknownUuid, [0])).size).to.equal(0)
    })
  })
}
