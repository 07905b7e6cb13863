import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { hashEntry, verifyChain, type StoredAuditEntry } from '../../core/audit/audit-chain.ts'
import { canonicalJson } from '../../core/audit/canonical-json.ts'

/** A recorded log of this many entries. */
function logOf(length: number, what = 'done'): StoredAuditEntry[] {
  const log: StoredAuditEntry[] = []
  for (let sequence = 1; sequence <= length; sequence++) {
    const entry = canonicalJson({ what, sequence })
    log.push({ sequence, entry, hash: hashEntry(log.at(-1)?.hash, entry) })
  }
  return log
}

const brokenAt = (log: readonly StoredAuditEntry[], kept?: { sequence: number; hash: string }) =>
  verifyChain(log, kept).broken?.sequence

describe('the audit chain', () => {
  it('verifies as recorded', () => {
    const log = logOf(5)
    const { sequence, hash } = log[4]!
    expect(verifyChain(log)).to.deep.equal({ entries: 5, head: { sequence, hash }, broken: null })
    expect(verifyChain([])).to.deep.equal({ entries: 0, head: null, broken: null })
  })

  it('can be computed from its documentation', () => {
    const [first, second] = logOf(2)
    const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')
    expect(first!.entry).to.equal('{"sequence":1,"what":"done"}')
    expect(first!.hash).to.equal(sha256(`${'0'.repeat(64)}\n${first!.entry}`))
    expect(second!.hash).to.equal(sha256(`${first!.hash}\n${second!.entry}`))
  })

  it('reports the first entry with a changed character', () => {
    const log = logOf(4)
    for (const [index, { entry }] of log.entries()) {
      for (let at = 0; at < entry.length; at++) {
        const changed = `${entry.slice(0, at)}~${entry.slice(at + 1)}`
        expect(brokenAt(log.with(index, { ...log[index]!, entry: changed }))).to.equal(index + 1)
      }
    }
  })

  it('reports the first missing, inserted or moved entry', () => {
    const log = logOf(4)
    expect(brokenAt(log.toSpliced(1, 1)), 'missing').to.equal(2)
    expect(brokenAt(log.slice(1)), 'the first is missing').to.equal(1)
    const [a, b, c] = log as [StoredAuditEntry, StoredAuditEntry, StoredAuditEntry]
    expect(brokenAt([a, { ...c, sequence: 2 }, { ...b, sequence: 3 }]), 'swapped').to.equal(2)
    const copy = { sequence: 2, entry: a.entry, hash: hashEntry(a.hash, a.entry) }
    expect(brokenAt([a, copy]), 'a copy, with a hash that fits').to.equal(2)
  })

  it('reports a changed hash at its entry, even if all later hashes are recomputed', () => {
    const log = logOf(3)
    expect(brokenAt(log.with(0, { ...log[0]!, hash: '0'.repeat(64) }))).to.equal(1)
  })

  it('detects a truncated or rewritten log only with a head kept elsewhere', () => {
    const log = logOf(4)
    const kept = { sequence: 3, hash: log[2]!.hash }
    expect(brokenAt(log, kept)).to.equal(undefined)
    expect(brokenAt(log.slice(0, 2)), 'a chain alone cannot see it').to.equal(undefined)
    expect(brokenAt(log.slice(0, 2), kept)).to.equal(3)
    expect(brokenAt([], kept)).to.equal(1)
    const anew = logOf(4, 'something else')
    expect(brokenAt(anew), 'a chain alone cannot see it').to.equal(undefined)
    expect(brokenAt(anew, kept)).to.equal(3)
  })
})

describe('canonical JSON', () => {
  it('does not depend on the order of fields', () => {
    const written = canonicalJson({ b: { d: 1, c: [{ z: null, a: 'é"\n' }] }, a: true, '': -0, u: undefined })
    expect(written).to.equal('{"":0,"a":true,"b":{"c":[{"a":"é\\"\\n","z":null}],"d":1}}')
  })
})
