import { expect } from 'chai'
import {
  firstZoom,
  limitZoom,
  scrollAtZoom,
  scrollIntoView,
  wholeZoom,
} from '../../server/web/graph/picture-view.ts'

const room = { width: 600, height: 400 }

describe('zoom and scroll position of a graph', () => {
  it('starts as wide as fits while titles stay legible', () => {
    expect(firstZoom({ width: 300, height: 3_000 }, room)).to.equal(1)
    expect(firstZoom({ width: 660, height: 3_000 }, room)).to.be.closeTo(600 / 660, 1e-9)
    expect(firstZoom({ width: 6_000, height: 100 }, room)).to.equal(0.5)
  })

  it('starts with the whole graph if that is comfortable to read', () => {
    expect(firstZoom({ width: 500, height: 500 }, room)).to.be.closeTo(400 / 500, 1e-9)
    expect(firstZoom({ width: 500, height: 600 }, room)).to.equal(1)
  })

  it('can show a whole graph of any size', () => {
    const large = { width: 30_000, height: 9_000 }
    const zoom = wholeZoom(large, room)
    expect(large.width * zoom).to.be.at.most(room.width)
    expect(limitZoom(zoom, large, room)).to.equal(zoom)
    expect(limitZoom(zoom / 2, large, room)).to.equal(zoom)
    expect(wholeZoom({ width: 30, height: 90 }, room)).to.equal(1)
  })

  it('has limits in both directions', () => {
    expect(limitZoom(0.01, { width: 300, height: 300 }, room)).to.equal(0.4)
    expect(limitZoom(50, { width: 300, height: 300 }, room)).to.equal(1.6)
  })

  it('keeps the point under the pointer in place', () => {
    const scroll = scrollAtZoom(200, 100, 1, 1.5)
    expect((scroll + 100) / 1.5).to.equal(200 + 100)
  })

  it('scrolls only to nodes that are out of sight', () => {
    expect(scrollIntoView(100, 400, 300, 80)).to.equal(100)
    expect(scrollIntoView(100, 400, 480, 80)).to.equal(280)
    expect(scrollIntoView(100, 400, 60, 80)).to.equal(0)
  })
})
