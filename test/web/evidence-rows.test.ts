import { expect } from 'chai'
import { evidenceRows, evidenceLabel } from '../../server/web/evidence/evidence-rows.ts'

describe('evidence for people', () => {
  it('starts with verdict, severity and score, and omits what is empty or raw', () => {
    const output = {
      found: true,
      tags: [],
      note: null,
      text: '',
      risk: { score: 92, reasons: ['miner'] },
      verdict: 'malicious',
      raw: { risk: 92 },
    }
    expect(evidenceRows(output)).to.deep.equal([
      { label: 'Verdict', value: { kind: 'verdict', text: 'malicious' } },
      {
        label: 'Risk',
        value: {
          kind: 'rows',
          rows: [
            { label: 'Score', value: { kind: 'text', text: '92' } },
            { label: 'Reasons', value: { kind: 'list', items: ['miner'], hidden: 0 } },
          ],
        },
      },
      { label: 'Found', value: { kind: 'text', text: 'Yes' } },
    ])
  })

  it('shows times, and numbers that are none', () => {
    const output = { last_login_at: 1_767_225_600_000, seen: '2026-01-22T02:47:55Z', port: 1_767_225_600_000 }
    expect(evidenceRows(output)?.map(({ value }) => value)).to.deep.equal([
      { kind: 'time', at: 1_767_225_600_000 },
      { kind: 'time', at: Date.parse('2026-01-22T02:47:55Z') },
      { kind: 'text', text: '1767225600000' },
    ])
  })

  it('shows the first five of many objects, and says how many are hidden', () => {
    const [row] = evidenceRows({ users: Array.from({ length: 7 }, (_, n) => ({ id: n })) }) ?? []
    expect(row?.value).to.include({ kind: 'records', hidden: 2 })
    expect(evidenceRows([{ id: 1 }])?.[0]?.label).to.equal('Results (1)')
  })

  it('is bounded for deep and large values', () => {
    let deep: unknown = 'x'
    for (let times = 0; times < 1_000; times++) deep = { deep }
    expect(JSON.stringify(evidenceRows(deep)).length).to.be.below(1_000)
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`key_${n}`, n]))
    expect(evidenceRows(wide)).to.have.length(40)
    let lists: unknown = [{}]
    for (let times = 0; times < 1_000; times++) lists = [lists, {}]
    expect(JSON.stringify(evidenceRows(lists)).length).to.be.below(1_000)
  })

  it('has no rows for plain values', () => {
    expect([null, 'text', 7, true].map(evidenceRows)).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('labels keys in words', () => {
    expect(['last_login', 'lastLogin', '<b>', '__proto__'].map(evidenceLabel)).to.deep.equal([
      'Last login',
      'Last login',
      '<b>',
      'Proto',
    ])
  })
})
