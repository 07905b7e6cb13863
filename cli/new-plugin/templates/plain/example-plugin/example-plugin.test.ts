import { expect } from 'chai'
import { runSkill } from 'tocsin/plugin/testing'
import plugin from './plugin.ts'

describe('example_plugin.count_words', () => {
  const [countWords] = plugin.skills

  it('ignores extra whitespace between words', async () => {
    const { output } = await runSkill(countWords!, { text: ' one\n\n two\t' })
    expect(output).to.deep.equal({ words: 2 })
  })

  it('finds no words in an empty text', async () => {
    expect((await runSkill(countWords!, { text: '' })).output).to.deep.equal({ words: 0 })
  })
})
