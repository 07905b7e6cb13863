import { expect } from 'chai'
import { contentPreview } from '../../core/domain/alert.ts'

describe('preview of a content', () => {
  it('is one line, without the blank space that indents', () => {
    expect(contentPreview('\n{\r\n\t"a":  1,\n\u2028  "b": 2\n}')).to.equal('{ "a": 1, "b": 2 }')
    expect(contentPreview('')).to.equal('')
  })

  it('has 200 characters at most, and no half of a character', () => {
    expect(contentPreview('x'.repeat(1_000_000))).to.equal('x'.repeat(200))
    const cut = contentPreview(`${'x'.repeat(199)}😀`)
    expect(cut).to.equal('x'.repeat(199))
    expect(contentPreview(`${'x'.repeat(198)}😀`)).to.have.length(200)
  })

  it('keeps what is no blank space as it is: markup and what is not seen too', () => {
    expect(contentPreview('<img src=x> \u202Eabc\0')).to.equal('<img src=x> \u202Eabc\0')
  })
})
