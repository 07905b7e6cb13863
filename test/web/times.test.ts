import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  learnTime,
  serverTime,
  exactTime,
  relativeTime,
  zonedTime,
  zoneName,
} from '../../server/web/parts/time.ts'

const hour = 3_600_000

describe('web: the time at the server', () => {
  afterEach(() => learnTime(new Date().toUTCString()))

  it('follows its answers if the local clock is wrong', () => {
    for (const off of [-5 * hour, 5 * hour, 60_000]) {
      learnTime(new Date(Date.now() + off).toUTCString())
      expect(serverTime() - Date.now()).to.be.closeTo(off, 2_000)
    }
  })

  it('is the local time if both agree', () => {
    learnTime(new Date(Date.now() - 2_000).toUTCString())
    expect(serverTime() - Date.now()).to.be.closeTo(0, 5)
  })

  it('ignores answers without a date', () => {
    learnTime(new Date(Date.now() + hour).toUTCString())
    for (const none of [null, '', 'yesterday']) learnTime(none)
    expect(serverTime() - Date.now()).to.be.closeTo(hour, 2_000)
  })
})

describe('web: times', () => {
  it('are shown in UTC on request, with the year if it differs', () => {
    const year = new Date().getUTCFullYear()
    expect(exactTime(Date.UTC(year, 5, 2, 18, 22, 36), 'utc')).to.equal('06-02 18:22:36')
    expect(exactTime(Date.UTC(year - 1, 11, 31, 23, 59, 59), 'utc')).to.equal(`${year - 1}-12-31 23:59:59`)
  })

  it('are written in one place only', async () => {
    const root = join(import.meta.dirname, '../../server/web')
    const found: string[] = []
    for await (const path of glob('**/*.{ts,tsx}', { cwd: root, exclude: ['dist'] })) {
      const source = await readFile(join(root, path), 'utf8')
      const writes =
        /toLocale(Date|Time)String|Intl\.|to(ISO|UTC|Date|Time)String|new Date\([^)]*\)\.to/.test(source)
      if (writes) found.push(path)
    }
    // The second writes the value of an input field.
    expect(found.toSorted()).to.deep.equal(['lists/time-range.ts', 'parts/time.ts'])
  })

  it('name their zone', () => {
    expect(zoneName('utc', 0)).to.equal('UTC')
    expect(zonedTime(Date.UTC(2026, 10, 21, 18, 22, 36), 'utc')).to.equal('2026-11-21 18:22:36 UTC')
    expect(zoneName('local', Date.UTC(2026, 0, 1))).to.match(/^UTC([+-]\d{1,2}(:\d\d)?)?$/)
  })

  it('are shown relative to now', () => {
    expect(relativeTime(0, 5 * 60_000)).to.equal('5m ago')
    expect(relativeTime(2 * 24 * hour, 0)).to.equal('in 2d')
    expect(relativeTime(0, 999)).to.equal('now')
    expect(relativeTime(0, 23 * hour)).to.equal('23h ago')
  })
})
