import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { personOf, theRun } from '../../core/domain/audit.ts'
import type { OpenFile } from '../../core/ports/case-file-store.ts'
import { expectRejection, timelineOf, type GetSubject } from './fixture.ts'
import { inPieces, ruleBy } from './retention-store.ts'

const run = theRun('run-1', 'triage')
const megabyte = 1_048_576
/** More than two pieces, each different. */
export const largeFile = Buffer.concat(
  ['a', 'b', 'c'].map((text) => Buffer.alloc(megabyte, `${text} 0123456789`)),
).subarray(0, 2.5 * megabyte)
export const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

export async function contentOf(file: OpenFile | undefined): Promise<Buffer> {
  if (file === undefined) return expect.fail('there is no such file')
  const pieces: Uint8Array[] = []
  for await (const piece of file.content()) pieces.push(piece)
  return Buffer.concat(pieces)
}

export function caseFileStoreContract(subject: GetSubject): void {
  describe('CaseFileStore', () => {
    const text = (content: string, name = 'a.txt') => ({ name, bytes: Buffer.from(content) })
    const files = () => subject().stores.cases.files
    const newCase = async (key = 'a', organization = subject().acme) =>
      (await subject().stores.cases.create(organization.uuid, { title: 'One' }, run, key)).id
    const attach = (id: string, file: Parameters<ReturnType<typeof files>['attach']>[2]) =>
      files().attach(subject().acme.uuid, id, file, run)

    it('keeps a file of any size byte by byte, with an entry in the timeline', async () => {
      const { stores, acme, clock } = subject()
      const id = await newCase()
      for (const bytes of [largeFile, largeFile.subarray(0, megabyte), Buffer.of()]) {
        const attached = await attach(id, { name: 'mail.eml', contentType: 'Message/RFC822; x=y', bytes })
        expect(attached).to.deep.equal({
          sha256: sha256(bytes),
          name: 'mail.eml',
          contentType: 'message/rfc822',
          size: bytes.length,
          addedAt: clock.nowMs,
          addedBy: { kind: 'run', id: 'run-1', name: 'triage' },
          deletedAt: null,
        })
        const read = await contentOf(await files().open([acme.uuid], id, attached.sha256))
        expect(read.equals(bytes)).to.equal(true)
      }
      expect((await files().list('all', id)).map(({ size }) => size)).to.deep.equal([
        2.5 * megabyte,
        megabyte,
        0,
      ])
      const entry = (await timelineOf(stores, id)).at(-1)
      expect(entry).to.include({ kind: 'file' })
      expect(entry?.text).to.equal(`mail.eml was attached (0 bytes, SHA-256 ${sha256('')}).`)
    })

    it('attaches a content once to a case, also at the same time', async () => {
      const { stores } = subject()
      const id = await newCase()
      const names = ['a', 'b', 'c'].map((name) => attach(id, { name, bytes: largeFile }))
      const attached = await Promise.all(names)
      const [first] = await files().list('all', id)
      for (const one of [...attached, await attach(id, { name: 'd', bytes: largeFile })])
        expect(one).to.deep.equal(first)
      expect((await timelineOf(stores, id)).filter(({ kind }) => kind === 'file')).to.have.length(1)
    })

    it('replaces parts of names that could be a path, and types that could break a header', async () => {
      const id = await newCase()
      const names = {
        '../../etc/passwd': '.._.._etc_passwd',
        'a\\b\r\n\u202efdp.exe': 'a_b___fdp.exe',
        '..': 'file',
      }
      for (const [name, kept] of Object.entries(names)) {
        const attached = await attach(id, {
          name,
          contentType: 'text/html\r\nx: y',
          bytes: Buffer.from(name),
        })
        expect(attached).to.include({ name: kept, contentType: 'application/octet-stream' })
      }
      expect((await attach(id, text('x', 'x'.repeat(300)))).name).to.have.length(255)
    })

    it('shows files within the scope only', async () => {
      const { acme, globex } = subject()
      const id = await newCase()
      const { sha256: hash } = await attach(id, text('x'))
      expect(await files().list([globex.uuid], id)).to.deep.equal([])
      expect(await files().open([globex.uuid], id, hash)).to.equal(undefined)
      expect(await files().open([acme.uuid], id, sha256('y'))).to.equal(undefined)
      expect(await files().open([acme.uuid], await newCase('b'), hash)).to.equal(undefined)
      const other = files().attach(globex.uuid, id, text('y'), run)
      await expectRejection(other, 'NotFoundError', 'case_not_found')
    })

    it('refuses a file that is too large, and the file after the 500th of a case', async () => {
      const id = await newCase()
      const large = attach(id, { name: 'large', bytes: new Uint8Array(32 * megabyte + 1) })
      await expectRejection(large, 'ConflictError', 'file_too_large')
      await Promise.all(Array.from({ length: 500 }, (_one, n) => attach(id, text(String(n)))))
      await expectRejection(attach(id, text('one more')), 'ConflictError', 'too_many_files')
    })

    describe('after the retention period', () => {
      const prune = () => {
        const { stores, clock } = subject()
        clock.nowMs += 10
        return inPieces((from) => stores.retention.pruneFiles(ruleBy(clock.nowMs - 5), from))
      }
      const close = (id: string) => {
        const { stores, acme } = subject()
        return stores.cases.edit(acme.uuid, id, { status: 'closed' }, personOf('anna'), undefined)
      }

      it('deletes contents of closed cases, and keeps names, hashes and the files of others', async () => {
        const { stores, acme, clock } = subject()
        const [closed, open] = [await newCase('a'), await newCase('b')]
        const [both, only] = [text('both'), { name: 'only', bytes: largeFile }]
        for (const file of [both, only]) await attach(closed, file)
        await attach(open, both)
        expect(await prune()).to.include({ files: 0 })
        await close(closed)
        expect(await prune()).to.include({ files: 2 })
        const deletedAt = clock.nowMs
        const listed = await files().list([acme.uuid], closed)
        expect(listed.map((file) => [file.name, file.deletedAt])).to.deep.equal([
          ['a.txt', deletedAt],
          ['only', deletedAt],
        ])
        for (const hash of [sha256('both'), sha256(largeFile)])
          expect(await files().open('all', closed, hash)).to.equal(undefined)
        expect(String(await contentOf(await files().open('all', open, sha256('both'))))).to.equal('both')
        const { data } = await stores.audit.list('all', {}, { limit: 5 })
        expect(data.find(({ action }) => action === 'data.pruned')?.details).to.include({ files: 2, runs: 0 })
      })

      it('deletes the content, ends a download of it, and accepts the same file again', async () => {
        const { stores, acme } = subject()
        const id = await newCase()
        await attach(id, { name: 'first', bytes: largeFile })
        await close(id)
        const file = await files().open('all', id, sha256(largeFile))
        await prune()
        while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })) continue
        await expectRejection(contentOf(file), 'NotFoundError', 'file_not_found')
        await attach(id, { name: 'again', bytes: largeFile })
        expect(await files().list([acme.uuid], id)).to.have.length(1)
        const again = await files().open('all', id, sha256(largeFile))
        expect(again).to.include({ name: 'again', deletedAt: null })
        expect((await contentOf(again)).equals(largeFile)).to.equal(true)
      })
    })
  })
}
