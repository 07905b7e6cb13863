import { expect } from 'chai'
import { fromStored, toStored } from '../../server/postgres/schema/index.ts'
import { storedMark } from '../../server/postgres/schema/stored-text.ts'

const refuse = (): never => {
  throw new Error('nothing here is sealed')
}

describe('text stored in PostgreSQL', () => {
  it('comes back unchanged and without U+0000 in between', () => {
    for (const text of [
      '',
      'plain',
      '\0',
      'a\0b\0\0',
      storedMark,
      `${storedMark}0`,
      `${storedMark}${storedMark}1\0`,
      'ü€\u{1F600}',
    ]) {
      const stored = toStored(text)
      expect(stored).to.not.include('\0')
      expect(fromStored(stored, refuse)).to.equal(text)
    }
  })

  it('is different for different texts', () => {
    const texts = ['\0', `${storedMark}0`, storedMark, `${storedMark}1`, '0', '1']
    expect(new Set(texts.map(toStored)).size).to.equal(texts.length)
  })

  it('opens a sealed value at its place, which may hold U+0000', () => {
    const [sealed, place] = ['sealed:1:AAAA', 'input steps/a\0b']
    const selected = `${storedMark}2${toStored(place)}${storedMark}2${sealed}`
    expect(fromStored(selected, (...given) => given.join('|'))).to.equal(`${sealed}|${place}`)
  })

  it('does not take the text of people for a sealed value', () => {
    const text = `${storedMark}2place${storedMark}2sealed:1:AAAA`
    expect(fromStored(toStored(text), refuse)).to.equal(text)
  })
})
