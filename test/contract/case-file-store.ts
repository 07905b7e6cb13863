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
          detectedType: null,
          size: bytes.length,
          addedAt: clock.nowMs,
          addedBy: { kind: 'run', id: 'run-1', name: 'triage' },
          deletedAt: null,
          deletedBy: null,
          deletedReason: null,
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

    describe('an upload by a person', () => {
      const anna = personOf('anna')
      const inChunks = async function* (bytes: Uint8Array, size: number) {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      }
      const upload = (id: string, name: string, bytes: Uint8Array, chunk = 100_000, size?: number) =>
        files().upload(subject().acme.uuid, id, { name, content: inChunks(bytes, chunk), size }, anna)

      it('stores chunks of any size byte by byte, tells the type, and is the response and in the audit log', async () => {
        const { stores, acme } = subject()
        const id = await newCase()
        const program = Buffer.concat([Buffer.from('MZ'), largeFile])
        for (const [chunk, bytes] of [
          [100_000, program],
          [megabyte, largeFile],
          [3 * megabyte, largeFile.subarray(1)],
          [1, Buffer.of()],
          [1, Buffer.from('#!/bin/sh')],
        ] as const) {
          const { file, isNew } = await upload(id, 'x', bytes, chunk)
          expect([isNew, file.sha256, file.size]).to.deep.equal([true, sha256(bytes), bytes.length])
          const read = await contentOf(await files().open([acme.uuid], id, file.sha256))
          expect(read.equals(bytes)).to.equal(true)
        }
        const types = (await files().list('all', id)).map(({ detectedType }) => detectedType)
        const program1 = 'application/vnd.microsoft.portable-executable'
        expect(types).to.deep.equal([program1, null, null, null, 'text/x-shellscript'])
        expect((await stores.cases.find('all', id))?.respondedAt).not.to.equal(null)
        const { data } = await stores.audit.list('all', { action: 'case.file_uploaded' }, { limit: 9 })
        expect(data).to.have.length(5)
        expect(data[0]?.details).to.deep.equal({ file: 'x', sha256: sha256('#!/bin/sh'), size: '9 bytes' })
      })

      it('attaches a content once, under its first name', async () => {
        const id = await newCase()
        const both = await Promise.all([upload(id, 'a', largeFile), upload(id, 'b', largeFile)])
        const again = await upload(id, 'c', largeFile)
        expect([...both, again].filter(({ isNew }) => isNew)).to.have.length(1)
        expect(await files().list('all', id)).to.deep.equal([again.file])
      })

      it('attaches nothing if the content breaks off or is too large, and frees the quota', async () => {
        const { acme } = subject()
        const id = await newCase()
        const broken = async function* () {
          yield largeFile
          throw new Error('cut')
        }
        const cut = files().upload(acme.uuid, id, { name: 'x', content: broken(), size: undefined }, anna)
        expect(await cut.catch(({ message }: Error) => message)).to.equal('cut')
        const large = new Uint8Array(32 * megabyte + 1)
        await expectRejection(upload(id, 'x', large), 'ConflictError', 'file_too_large')
        await expectRejection(
          upload(id, 'x', large, megabyte, large.length),
          'ConflictError',
          'file_too_large',
        )
        expect(await files().list('all', id)).to.deep.equal([])
        expect((await timelineOf(subject().stores, id)).map(({ kind }) => kind)).to.deep.equal(['opened'])
      })

      it('can be withdrawn with a reason, which stays with its name and hash', async () => {
        const { stores, acme, globex, clock } = subject()
        const [id, other] = [await newCase(), await newCase('b')]
        for (const each of [id, other]) await upload(each, 'pay.pdf', largeFile)
        const withdraw = (organization = acme.uuid, hash = sha256(largeFile)) =>
          files().withdraw(organization, id, hash, 'personal data', anna)
        await expectRejection(withdraw(globex.uuid), 'NotFoundError', 'case_not_found')
        await expectRejection(withdraw(acme.uuid, sha256('y')), 'NotFoundError', 'file_not_found')
        const withdrawn = await withdraw()
        expect(withdrawn).to.include({
          deletedAt: clock.nowMs,
          deletedReason: 'personal data',
          name: 'pay.pdf',
        })
        expect(withdrawn.deletedBy).to.deep.equal({ kind: 'person', id: 'anna', name: 'anna' })
        clock.nowMs += 1
        expect(await withdraw(), 'twice').to.deep.equal(withdrawn)
        expect(await files().open('all', id, sha256(largeFile))).to.equal(undefined)
        const kept = await contentOf(await files().open('all', other, sha256(largeFile)))
        expect(kept.equals(largeFile), 'the same content of another case').to.equal(true)
        const entries = (await timelineOf(stores, id)).filter(({ kind }) => kind === 'file')
        expect(entries.at(-1)?.text).to.equal(
          `pay.pdf was withdrawn, and its content deleted (SHA-256 ${sha256(largeFile)}): personal data`,
        )
        expect(entries).to.have.length(2)
        const { data } = await stores.audit.list('all', { action: 'case.file_withdrawn' }, { limit: 9 })
        expect(data.map(({ details }) => details['reason'])).to.deep.equal(['personal data'])
        const { file } = await upload(id, 'again.pdf', largeFile)
        expect(file).to.include({ name: 'again.pdf', deletedAt: null, deletedBy: null, deletedReason: null })
      })

      it('moves with its case when it is merged', async () => {
        const { stores, acme } = subject()
        const [id, other] = [await newCase(), await newCase('b')]
        await upload(id, 'a', Buffer.from('a'))
        const merged = await stores.caseMoves.merge(
          acme.uuid,
          { id: other, revision: undefined },
          [{ id, revision: undefined }],
          anna,
        )
        expect(merged).to.be.an('object')
        for (const each of [id, other])
          expect((await files().list('all', each)).map(({ name }) => name)).to.deep.equal(['a'])
        await files().withdraw(acme.uuid, id, sha256('a'), 'x', anna)
        expect((await files().list('all', other))[0]?.deletedReason).to.equal('x')
      })
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
