import { expect } from 'chai'
import { notShownText } from '../../server/web/runs/run/not-shown-text.ts'

describe('steps that the page of a run leaves out', () => {
  it('are counted, and nothing is said where there are none', () => {
    expect(notShownText(903, 903)).to.equal(undefined)
    expect(notShownText(5_000, 191_215)).to.match(/^186,215 of 191,215 steps are not shown/)
  })
})
