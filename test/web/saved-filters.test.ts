import { expect } from 'chai'
import { seriousFaults } from './support/browser.ts'
import { openPage } from './support/open-page.ts'
import { isWithoutRoom, readSaved, withSaved } from '../../server/web/lists/saved/saved-filters.ts'
import { spanStart } from '../../server/web/lists/time-range.ts'

describe('saved filters', () => {
  it('are read from any stored text', () => {
    expect(readSaved(null)).to.deep.equal([])
    expect(readSaved('{not json')).to.deep.equal([])
    expect(readSaved('{"name":"a"}')).to.deep.equal([])
    expect(readSaved('[null,7,{"name":"a"},{"name":"b","search":"q=1"}]')).to.deep.equal([
      { name: 'b', search: 'q=1' },
    ])
  })

  it('are sorted and unique by name', () => {
    const saved = withSaved([{ name: 'b', search: 'q=1' }], { name: 'a', search: 'q=2' })
    expect(withSaved(saved, { name: 'b', search: 'q=3' })).to.deep.equal([
      { name: 'a', search: 'q=2' },
      { name: 'b', search: 'q=3' },
    ])
  })
})

describe('many saved filters', () => {
  const saved = Array.from({ length: 30 }, (_, n) => ({ name: `f${n}`, search: '' }))

  it('have a limit, except for the same name', () => {
    expect(isWithoutRoom(saved, 'one more')).to.equal(true)
    expect(isWithoutRoom(saved, 'f7')).to.equal(false)
    expect(isWithoutRoom(saved.slice(1), 'one more')).to.equal(false)
  })
})

describe('spans of time', () => {
  it('start at a full minute, and are undefined for unknown names', () => {
    expect(spanStart('24h', 100_000_000)).to.equal(13_560_000)
    expect(spanStart('toString', 1)).to.equal(undefined)
    expect(spanStart(undefined, 1)).to.equal(undefined)
  })
})

describe('shared filters in the page', function () {
  this.timeout(60_000)
  const house = openPage()

  it('are shared under a name, opened by others, and deleted', async () => {
    const { page, server } = house
    await house.visit('/cases?active=true&sort=queue')
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByLabel('Name for these filters').fill('<b>Night</b> shift')
    await page.getByRole('button', { name: 'Share with main' }).click()
    const link = page.getByRole('link', { name: '<b>Night</b> shift · main' })
    await link.waitFor()
    expect(await seriousFaults(page)).to.deep.equal([])
    const { data } = (await server.call('/shared-filters?view=cases')).body
    expect(data[0]).to.include({ name: '<b>Night</b> shift', search: 'active=true&sort=queue' })
    await house.visit('/cases')
    await page.getByRole('button', { name: 'Saved' }).click()
    await link.click()
    await page.getByRole('button', { name: 'Clear Not closed' }).waitFor()
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('button', { name: 'Delete shared <b>Night</b> shift' }).click()
    await link.waitFor({ state: 'detached' })
    expect((await server.call('/shared-filters?view=cases')).body.data).to.deep.equal([])
  })
})
