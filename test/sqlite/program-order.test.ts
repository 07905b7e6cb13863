import { expect } from 'chai'
import Sqlite from 'better-sqlite3'
import { orderedVersion, versionOfOrdered } from '../../server/sql/nodes/program-order.ts'

/** In their order, see semver.org. */
const versions = [
  '0.0.9',
  '0.1.0-alpha',
  '0.1.0-alpha.1',
  '0.1.0-alpha.1.2',
  '0.1.0-alpha.2',
  '0.1.0-alpha.10',
  '0.1.0-alpha.20261129',
  '0.1.0-alpha.beta',
  '0.1.0-alpha-1',
  '0.1.0-alpha0',
  '0.1.0-beta',
  '0.1.0-rc.1',
  '0.1.0-rc.11',
  '0.1.0',
  '0.1.1',
  '0.1.10',
  '0.2.0-rc.1',
  '0.2.0',
  '0.10.0',
  '1.0.0',
  '9.0.0',
  '10.0.0-0',
  '10.0.0',
  '2026.11.29',
]

describe('the order of versions', () => {
  it('is that of semantic versions, as text and in a database', () => {
    const ordered = versions.map(orderedVersion)
    for (const [n, text] of ordered.entries())
      for (const [m, other] of ordered.entries())
        expect(text < other, `${versions[n]} before ${versions[m]}`).to.equal(n < m)
    const database = new Sqlite(':memory:')
    const sorted = database
      .prepare('SELECT value FROM json_each(?) ORDER BY value')
      .pluck()
      .all(JSON.stringify(ordered.toReversed()))
    database.close()
    expect(sorted).to.deep.equal(ordered)
  })

  it('keeps the version readable, and an empty text is before all', () => {
    for (const version of versions) expect(versionOfOrdered(orderedVersion(version))).to.equal(version)
    expect(orderedVersion('1.2.3+build.5')).to.equal(orderedVersion('1.2.3'))
    expect('' < orderedVersion('0.0.0-0')).to.equal(true)
    expect(versionOfOrdered('')).to.equal(undefined)
  })

  it('refuses what is no version', () => {
    for (const text of ['', '1', '1.2', 'v1.2.3', '1.2.3 ', '1.2.x'])
      expect(() => orderedVersion(text), text).to.throw('no semantic version')
  })
})
