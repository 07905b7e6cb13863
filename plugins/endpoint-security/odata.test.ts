import { expect } from 'chai'
import { odataFilter } from './lists/odata.ts'
import { parseFilter } from './sandbox/odata-filter.ts'

describe('odataFilter', () => {
  it('is empty without conditions', () => {
    expect(odataFilter({})).to.equal(undefined)
    expect(odataFilter({ severity: undefined })).to.equal(undefined)
  })

  it('joins fields with and, and values of one field with or', () => {
    const filter = odataFilter({
      severity: ['High', 'Medium'],
      status: ['New'],
      incidentId: 7,
      category: 'Malware',
    })
    expect(filter).to.equal(
      "(severity eq 'High' or severity eq 'Medium') and status eq 'New' and incidentId eq 7 and category eq 'Malware'",
    )
  })

  it('writes times unquoted, in UTC, with all digits', () => {
    const filter = odataFilter({
      lastSeen: { ge: '2026-01-12T08:00:00.1234567Z', lt: '2026-01-12T10:00:00+01:00' },
      cvssV3: { gt: 6.9 },
    })
    expect(filter).to.equal(
      'lastSeen ge 2026-01-12T08:00:00.1234567Z and lastSeen lt 2026-01-12T09:00:00.000Z and cvssV3 gt 6.9',
    )
  })

  it('matches fields that are lists', () => {
    expect(odataFilter({ machineTags: ['a', "b's"] })).to.equal(
      "(machineTags/any(item: item eq 'a') or machineTags/any(item: item eq 'b''s'))",
    )
  })

  const hostile = [
    "'",
    "''",
    "x' or 1 eq 1 or id eq 'x",
    "' or startswith(id,'') or '",
    'a) or (b',
    '%27 or 1 eq 1',
    '\u02bc or \uff07',
    'a\nb\u0000c',
    "\\' or 1 eq 1",
    '${{ secrets }}',
  ]
  for (const value of hostile) {
    it(`quotes ${JSON.stringify(value)} as a string`, () => {
      const test = parseFilter(odataFilter({ id: value }) ?? '', ['id'])
      expect([value, 'x', ''].map((id) => test({ id }))).to.deep.equal([true, false, value === ''])
    })
  }
})
