import { expect } from 'chai'
import { notListedText } from '../../server/web/runs/run/not-listed-text.ts'

describe('steps that a field to choose from leaves out', () => {
  it('are counted, and nothing is said where there are none', () => {
    expect(notListedText(100)).to.equal(undefined)
    expect(notListedText(1_101)).to.match(/^1,001 more not listed/)
  })
})
