import { expect } from 'chai'
import { contentPreview } from '../../core/domain/alert.ts'

describe('content preview', () => {
  it('is one line without indentation', () => {
    expect(contentPreview('\n{\r\n\t"a":  1,\n\u2028  "b": 2\n}')).to.equal('{ "a": 1, "b": 2 }')
    expect(contentPreview('')).to.equal('')
  })

  it('has at most 200 characters and splits none', () => {
    expect(contentPreview('x'.repeat(1_000_000))).to.equal('x'.repeat(200))
    const cut = contentPreview(`${'x'.repeat(199)}😀`)
    expect(cut).to.equal('x'.repeat(199))
    expect(contentPreview(`${'x'.repeat(198)}😀`)).to.have.length(200)
  })

  it('keeps markup and invisible characters', () => {
    expect(contentPreview('<img src=x> \u202Eabc\0')).to.equal('<img src=x> \u202Eabc\0')
  })
})
