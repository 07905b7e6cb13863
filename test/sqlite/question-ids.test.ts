import { expect } from 'chai'
import { makeQuestionId } from '../../server/sql/checkpoints/checkpoint-store.ts'

describe('the id of a question', () => {
  it('has 192 random bits', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => makeQuestionId()))
    expect(ids.size).to.equal(1000)
    for (const id of ids) expect(id).to.match(/^\w[\w-]{31}$/)
  })

  it('does not begin with a dash, which the command line reads as options', () => {
    const drawn = [Buffer.alloc(24, 0xfb), Buffer.alloc(24, 0xfa), Buffer.alloc(24, 1)]
    expect(Buffer.alloc(24, 0xfb).toString('base64url')).to.match(/^-/)
    expect(makeQuestionId(() => drawn.shift()!)).to.equal(Buffer.alloc(24, 1).toString('base64url'))
  })
})
