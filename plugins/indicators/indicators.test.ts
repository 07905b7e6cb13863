import { expect } from 'chai'
import { runSkill } from 'tocsin/plugin/testing'
import { extract } from './skills/extract.ts'

describe('indicators.extract', () => {
  it('reports truncation and its place', async () => {
    const { output } = await runSkill(extract, { text: '1.1.1.1 1.1.1.2', max_per_kind: 1 })
    expect(output).to.deep.include({ ip: ['1.1.1.1'], truncated: true, truncated_at: ['ip'] })
  })

  it('applies its options', async () => {
    const text = '10.0.0.1 mail.example.com evil.example'
    const { output } = await runSkill(extract, { text, include_private: true, own_domains: ['example.com'] })
    expect(output).to.deep.include({ ip: ['10.0.0.1'], domain: ['evil.example'], left_out: 1 })
  })

  it('reads JSON whose root is a list or a string', async () => {
    expect((await runSkill(extract, { json: ['1.1.1.1'] })).output.all[0]?.places).to.deep.equal(['/0'])
    expect((await runSkill(extract, { json: '{"user":"ana"}' })).output.user).to.deep.equal(['ana'])
  })

  it('requires exactly one input', async () => {
    for (const input of [{}, { text: 'a', json: 'b' }]) {
      const error = await runSkill(extract, input).catch((error: unknown) => error)
      expect(error).to.include({ code: 'one_input_needed' })
    }
  })
})
